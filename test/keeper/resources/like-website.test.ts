// A website monitor beside a Resource whose Template states the same rule over a check: over the same random history, both have the same
// verdicts from the same instants. If an unknown result is the verdict no data, both also have the same Incidents.
import t from 'tap'
import { websiteTemplate } from '#shared/checks/website/website-template.ts'
import type { Template } from '#shared/contracts/resources/template.ts'
import type { StoredCheck } from '#shared/contracts/subjects/check.ts'
import type { Command } from '#shared/contracts/subjects/command.ts'
import type { RuleState, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { readManifest } from '#shared/manifest/read-manifest.ts'
import { findSystemTemplate, upgradedAnswers } from '#shared/manifest/system-templates.ts'
import { noReports } from '../../../services/keeper/loading/stored-reports.ts'
import { isDueBy } from '../../../services/keeper/step/judging/judge-subject.ts'
import { nextDeadline, step } from '../../../services/keeper/step/step.ts'
import type { HeldSilence, Input, StepContext } from '../../../services/keeper/step/types.ts'
import { Random } from '../../simulation/random.ts'
import { minute, websiteMeta } from '../world.ts'

const start = Date.UTC(2026, 0, 5)
const histories = 60
const places = ['aaaa', 'bbbb', 'cccc', 'dddd', 'eeee']
const waits = { confirm_after: 120, recover_after: 180 }

const templateWith = (unknown: 'hold' | 'no_data') =>
  readManifest(
    {
      ...{ key: 'site', version: 1, name: 'Site' },
      fields: [
        { key: 'places', type: 'location_list', required: true },
        { key: 'needed', type: 'enum', options: ['at_least_one', 'majority', 'all'], required: true },
      ],
      signals: [
        {
          ...{ key: 'page', kind: 'check', check: { type: 'http', url: 'https://example.org/' }, every_seconds: 60 },
          ...{ locations: { meta: 'places' }, agreement: { meta: 'needed' } },
        },
      ],
      rules: [
        {
          ...{ key: 'down', action: 'Look.', wait: waits, unknown },
          decision: { signal: 'page', field: 'status', operator: 'eq', operand: 'problem' },
        },
      ],
    },
    { systemKeys: new Set(), destinations: [] },
  )

/** A subject that a test steps, with the deadlines between its inputs. */
function createStepped(create: object, template: Template, reportedOn?: string) {
  let signal = reportedOn
  let subject: SubjectDocument | null = null
  let commands = 0
  const take = (input: Input, context: StepContext) => {
    const { subject: next, change } = step(subject, input, context)
    subject = next && { ...next, rev: next.rev + (change === 'commit' ? 1 : 0), outbox: [], hasOutbox: 0 }
  }
  const contextAt = (now: number, held: HeldSilence): StepContext => ({
    ...{ now, held, confirmAfterMs: 0, closeAfterMs: 0, templateOf: () => template, stored: noReports },
  })
  const stepped = {
    subject: () => subject as unknown as SubjectDocument,
    command: (at: number, command: object, held: HeldSilence) =>
      take(
        { kind: 'command', subjectId: 'subject000', at, command: { id: `c${commands++}`, ...command } as Command },
        contextAt(at, held),
      ),
    report: (at: number, locationId: string, ok: boolean, error: string | null, held: HeldSilence) => {
      const phases = { dnsMs: 0, connectMs: 1, tlsMs: null, firstByteMs: 2, totalMs: 3 }
      const named = signal === undefined ? {} : { signal }
      const result = { rev: 1_000_000, slotAt: at, ageMs: 0, ok, error, statusCode: 200, phases, ...named }
      take({ kind: 'result', subjectId: 'subject000', at, stampedAt: at, locationId, result }, contextAt(at, held))
    },
    passTo: (at: number, held: HeldSilence) => {
      for (let due = nextDeadline(stepped.subject(), stepped.subject().judgedAt); due !== null && due <= at; ) {
        take({ kind: 'deadline', subjectId: 'subject000', at: due }, contextAt(due, held))
        due = nextDeadline(stepped.subject(), due)
      }
      // A keeper steps deadlines that stayed due once silence counts again.
      if (isDueBy(stepped.subject(), at)) take({ kind: 'deadline', subjectId: 'subject000', at }, contextAt(at, held))
    },
    rule: () => stepped.subject().rules[0] as RuleState,
    reportsOn: (next: string) => {
      signal = next
    },
  }
  stepped.command(start, create, { checks: null, pushed: null })
  return stepped
}

/** A result of a rule that judges no unknown one. */
function decided({ verdict }: RuleState) {
  const isDecided = verdict?.verdict === 'problem' || verdict?.verdict === 'ok'
  return isDecided ? { verdict: verdict.verdict, since: verdict.since } : { verdict: 'unknown' }
}

/** `not_judged` of a Template's rule begins anew with the first report. */
const verdictOf = ({ verdict }: RuleState) => ({
  verdict: verdict?.verdict,
  since: verdict?.verdict === 'not_judged' ? null : verdict?.since,
})

function whole(rule: RuleState) {
  const { value, context } = rule.incident ?? {}
  const { condition, troubleSince, confirmedAt, wellSince, deadlineAt } = context ?? {}
  return { ...verdictOf(rule), value, condition, troubleSince, confirmedAt, wellSince, deadlineAt }
}

/** The end of an outage is judged at the last judgement, which deadlines that are lower bounds may move. */
const verdictAlone = ({ verdict }: RuleState) => ({ verdict: verdict?.verdict })

const siteWith = (unknown: 'hold' | 'no_data'): Other => ({
  template: templateWith(unknown),
  signal: 'page',
  answersOf: ({ locations, failure_mode }) => ({ places: locations, needed: failure_mode }),
  upgradesAt: null,
})

const httpCheck = findSystemTemplate('http-check') as Template
const ofSystem: Other = {
  ...{ template: httpCheck, signal: 'reachability', upgradesAt: null },
  answersOf: check => upgradedAnswers(websiteTemplate, httpCheck, check, { confirmAfter: 0, recoverAfter: 0 }) ?? {},
}
const upgraded: Other = { ...ofSystem, upgradesAt: 75 }

/** What stands beside the website monitor. `upgradesAt`: it is one, too, until this input, and is bound to the Template then. */
interface Other {
  template: Template
  signal: string
  answersOf(check: StoredCheck): object
  upgradesAt: number | null
}

const kinds = [
  { other: siteWith('hold'), isHeld: true, looked: decided, title: 'decided verdicts of a rule that holds' },
  { other: siteWith('no_data'), isHeld: true, looked: verdictAlone, title: 'verdicts of a rule with no data' },
  {
    ...{ other: siteWith('no_data'), isHeld: false, looked: whole },
    title: 'verdicts and Incidents of a rule with no data, without outages',
  },
  { other: ofSystem, isHeld: true, looked: verdictAlone, title: 'verdicts of the Template with all options (v3 3.23)' },
  { other: ofSystem, isHeld: false, looked: whole, title: 'verdicts and Incidents of the Template with all options (v3 3.23)' },
  { other: upgraded, isHeld: true, looked: verdictAlone, title: 'verdicts of a monitor that is bound to it (v3 6.14)' },
  {
    other: upgraded,
    isHeld: false,
    looked: whole,
    title: 'verdicts and the Incident of a monitor that is bound to it (v3 6.14)',
  },
] as const

for (const { other, isHeld, looked, title } of kinds) {
  const { template, signal, answersOf, upgradesAt } = other
  t.test(`${title} are those of a website monitor with the same rule`, t => {
    const of = { workspaceId: 'w', slug: 's', name: 'S' }
    const seen = new Set<string>()
    for (let seed = 0; seed < histories; seed++) {
      const random = new Random(seed, 'like a website')
      const locations = places.slice(0, random.integer(1, places.length))
      const needed = random.pick(['at_least_one', 'majority', 'all'] as const)
      const check = {
        ...websiteMeta,
        ...waits,
        locations,
        failure_mode: needed,
        interval_value: 1,
        interval_unit: 'MINUTE' as const,
      }
      const made = { kind: 'create-website', ...of, check }
      const website = createStepped(made, template)
      const bound = { workspaceId: of.workspaceId, template: `${template.key}@${template.version}`, answers: answersOf(check) }
      const resource = createStepped(
        upgradesAt === null ? { kind: 'create-resource', ...of, ...bound, labels: {} } : made,
        template,
        upgradesAt === null ? signal : undefined,
      )
      let at = start
      let heldAt: number | null = null
      for (let i = 0; i < 150; i++) {
        at += random.integer(1, random.pick([1_000, minute, 4 * minute]))
        if (isHeld && random.chance(0.05)) heldAt = heldAt === null ? at - random.integer(0, minute) : null
        const held = { checks: heldAt, pushed: null }
        for (const one of [website, resource]) one.passTo(at, held)
        if (i === upgradesAt) {
          resource.command(at, { kind: 'rebind-resource', ...bound, replaces: resource.subject().check }, held)
          resource.reportsOn(signal)
        }
        const [location, ok] = [random.pick(locations), random.chance(0.6)]
        const error = ok ? null : random.pick(['connection refused', 'no answer in 30 s'])
        if (random.chance(0.9)) for (const one of [website, resource]) one.report(at, location, ok, error, held)
        const [wanted, found] = [looked(website.rule()), looked(resource.rule())]
        seen.add(`${wanted.verdict}`)
        if (JSON.stringify(wanted) !== JSON.stringify(found)) {
          t.strictSame(found, wanted, `seed ${seed}, input ${i}, ${needed} of ${locations.length}`)
          break
        }
      }
    }
    t.ok(seen.size >= 3, [...seen].join(' '))
    t.end()
  })
}
