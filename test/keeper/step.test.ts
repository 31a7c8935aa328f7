// Decisions of a step, without bus, store and clock.
import t from 'tap'
import type { Command } from '#shared/contracts/subjects/command.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { limits } from '#shared/limits/limits.ts'
import { noReports } from '../../services/keeper/loading/stored-reports.ts'
import { factsOf } from '../../services/keeper/step/judging/judge-rule.ts'
import { judgeIntake } from '../../services/keeper/step/observations/report-observation.ts'
import { step } from '../../services/keeper/step/step.ts'
import { nothingHeld } from '../../services/keeper/step/types.ts'
import { noTemplates } from './resources/no-templates.ts'
import { minute, websiteMeta } from './world.ts'

const start = Date.UTC(2026, 0, 5)
const surroundingAt = (now: number) => ({
  now,
  held: nothingHeld,
  confirmAfterMs: 2 * minute,
  closeAfterMs: 2 * minute,
  templateOf: noTemplates,
  stored: noReports,
})

/** Website monitor that a test steps. Each commit raises its revision. */
function createSite(check: Partial<typeof websiteMeta> = {}) {
  let subject: SubjectDocument | null = null
  let commands = 0
  const site = {
    subject: () => subject as SubjectDocument,
    command: (at: number, command: object) => {
      const input = { kind: 'command' as const, subjectId: 'site', at, command: { id: `c${commands++}`, ...command } as Command }
      return site.take(step(subject, input, surroundingAt(at)))
    },
    report: (at: number, ok: boolean, over: object = {}, location = 'aaaa', stampedAt = at) => {
      const phases = { dnsMs: 0, connectMs: 1, tlsMs: null, firstByteMs: 2, totalMs: 3 }
      const result = { rev: 1, slotAt: at, ageMs: 0, ok, error: null, statusCode: 200, phases, ...over }
      const input = { kind: 'result' as const, subjectId: 'site', at, stampedAt, locationId: location, result }
      return site.take(step(subject, input, surroundingAt(at)))
    },
    take: (stepped: ReturnType<typeof step>) => {
      subject = stepped.subject
      if (stepped.change === 'commit' && subject !== null) subject = { ...subject, rev: subject.rev + 1 }
      return stepped
    },
    incident: () => site.subject().outbox.findLast(entry => entry.mode === 'advance' && entry.collection === 'incidents'),
  }
  site.command(start, { kind: 'create-website', workspaceId: 'w', slug: 's', name: 'S', check: { ...websiteMeta, ...check } })
  return site
}

t.test('full replacement of a monitor keeps its delays, and its failure mode when none is sent', async t => {
  const held = { confirm_after: 30, recover_after: 45 }
  const site = createSite({ ...held, failure_mode: 'at_least_one' })
  site.report(start, true)
  const { failure_mode: _, confirm_after, recover_after, ...sent } = { ...websiteMeta, url: 'https://example.org/new' }
  site.command(start + 1, { kind: 'update-website', name: 'S', check: { ...sent, failure_mode: null } })
  t.match(site.subject().check, { url: 'https://example.org/new', ...held, failure_mode: 'at_least_one' })
  site.command(start + 2, { kind: 'update-website', name: 'S', check: { ...sent, failure_mode: 'all' } })
  t.match(site.subject().check, { ...held, failure_mode: 'all' })
  t.equal(site.subject().readings['aaaa']?.slotAt, start, 'and what a location that stays has reported')
})

t.test('problem that returns during the recovery dates from its return, not from the first confirmation', async t => {
  const site = createSite()
  site.report(start + minute, false)
  for (let passed = 2; passed <= 4; passed++) site.report(start + passed * minute, false)
  t.match(site.incident(), { document: { status: 'problem', effectiveAt: start + 3 * minute } })
  site.report(start + 5 * minute, true)
  t.match(site.incident(), { document: { status: 'recovering', effectiveAt: start + 5 * minute } })
  site.report(start + 6 * minute, false)
  t.match(site.incident(), { document: { status: 'problem', effectiveAt: start + 6 * minute } })
})

t.test('report with an older slot is committed after the bus clock was set back, because a successor compares slots', async t => {
  const site = createSite()
  site.report(start, true, { slotAt: start })
  site.report(start + minute, true, { slotAt: start + 61 * minute }, 'aaaa', start + 61 * minute)
  t.equal(site.subject().readings['aaaa']?.slotAt, start + 61 * minute)
  t.equal(site.report(start + 2 * minute, true).change, 'commit')
  t.equal(site.subject().readings['aaaa']?.slotAt, start + 2 * minute)
})

t.test("input of website monitoring's own signal reads the newest report of the selected locations", async t => {
  const site = createSite({ locations: ['aaaa', 'bbbb', 'cccc'] })
  const phases = (totalMs: number) => ({ phases: { dnsMs: 0, connectMs: 0, tlsMs: 0, firstByteMs: 0, totalMs } })
  site.report(start + 1_000, true, phases(11), 'bbbb')
  site.report(start + 3_000, true, phases(33), 'cccc')
  site.report(start + 2_000, true, phases(22), 'aaaa')
  const input = { signal: 's', from: null, mode: null, compare: null, threshold: null, noDataAfterMs: null }
  const read = (match: object | null) => factsOf(site.subject(), 'r1', { ...input, match } as never, start + 4_000)
  t.match(read(null), { observed: { value: 33, observedAtUs: (start + 3_000) * 1_000 } })
})

t.test(
  "each report is judged if rules read website monitoring's own signal: a check that passes slowly changes the verdict",
  async t => {
    const site = createSite()
    const unset = { signal: 's', from: null, mode: null, compare: null, threshold: null, match: null, noDataAfterMs: null }
    const slow = { ...unset, mode: 'latest_value', compare: '>', threshold: 100 }
    const failing = { ...unset, mode: 'status' }
    const policyOf = (...inputs: object[]) => ({ inputs, need: 'any', atLeast: null, confirmAfterMs: 0, closeAfterMs: 0 })
    site.command(start, { kind: 'create-rule', name: 'Slow', policy: policyOf(failing, slow), convert: true })
    const slowness = () => site.subject().rules.find(({ slug }) => slug === 'slow')?.verdict
    const report = (at: number, totalMs: number) =>
      site.report(at, true, { phases: { dnsMs: 0, connectMs: 0, tlsMs: 0, firstByteMs: 0, totalMs } })
    report(start + 1_000, 50)
    t.equal(slowness()?.verdict, 'ok')
    t.equal(report(start + 2_000, 150).change, 'commit')
    t.equal(slowness()?.verdict, 'problem')
    report(start + 3_000, 50)
    site.command(start + 4_000, { kind: 'replace-rule', rule: 'slow', name: 'Slow', policy: policyOf(failing) })
    t.equal(slowness()?.evidence.inputs.length, 1, 'an input that is gone is no evidence any more')
  },
)

t.test('check that its prober could not make is no reading: only its sentence is kept', async t => {
  const site = createSite()
  site.report(start, true)
  const lack = { cannot: true, error: 'this prober may not', statusCode: null }
  const taken = site.report(start + minute, false, lack)
  t.match(taken, { change: 'commit', observation: null })
  t.match(site.subject().readings['aaaa'], { ok: true, at: start, cannot: 'this prober may not' })
  t.equal(site.report(start + 2 * minute, false, lack).change, 'nothing', 'the same again says nothing new')
  t.equal(site.report(start + 2 * minute, true).change, 'commit', 'a check that passes takes the sentence away')
  t.notOk(site.subject().readings['aaaa']?.cannot)
  t.equal(site.report(start + 3 * minute, true).change, 'freshness')
})

t.test('value of a check is the one that it states, else its total time', async t => {
  const site = createSite()
  t.equal(site.report(start, true).observation?.totalMs, 3)
  t.equal(site.report(start + minute, true, { value: 20.6 }).observation?.totalMs, 21)
  t.equal(site.report(start + 2 * minute, false, { value: null }).observation?.totalMs, null)
  t.equal(site.subject().readings['aaaa']?.totalMs, null)
})

t.test('delay of a check is its age, minus the time that its prober held the report', async t => {
  const site = createSite()
  const { observation } = site.report(start + 9_000, true, { slotAt: start, ageMs: 8_800 })
  t.equal(observation?.delayMs, 200)
  const early = site.report(start + 60_000, true, { slotAt: start + 60_010 })
  t.equal(early.observation?.delayMs, 0, "never less than nothing, where the prober's clock is ahead")
})

t.test('subject refuses a signal or rule when it has the largest number of them', async t => {
  const site = createSite()
  const make = (kind: string, n: number, over: object) =>
    site.command(start + n, { kind, name: `n${n}`, convert: true, ...over }).reply
  const signal = (n: number) => make('create-signal', n, { signalKind: 'custom_event', meta: '{}' })
  for (let n = 1; n <= limits.subject.signals; n++) t.match(signal(n), { ok: true })
  t.match(signal(limits.subject.signals + 1), { ok: false, error: { message: 'Too many signals' } })
  const input = { signal: 'n1', from: null, mode: 'status', compare: null, threshold: null, match: null, noDataAfterMs: null }
  const policy = { inputs: [input], need: 'any', atLeast: null, confirmAfterMs: 0, closeAfterMs: 0 }
  const rule = (n: number) => make('create-rule', n, { policy })
  for (let n = 2; n <= limits.subject.rules; n++) t.match(rule(n), { ok: true })
  t.match(rule(limits.subject.rules + 1), { ok: false, error: { message: 'Too many rules' } })
})

t.test('deadline due before a command is committed when the command is refused', async t => {
  const site = createSite()
  site.report(start + minute, false)
  for (let passed = 2; passed <= 3; passed++) site.report(start + passed * minute - 1, false)
  t.match(site.incident(), { document: { status: 'pending' } })
  const { change, reply } = site.command(start + 3 * minute, { kind: 'cancel-maintenance' })
  t.match(reply, { ok: false, error: { code: 'not_found' } })
  t.equal(change, 'commit')
  t.match(site.incident(), { document: { status: 'problem', confirmedAt: start + 3 * minute } })
})

t.test('another reason while a monitor stays down becomes the cause, and the cause stays after the close', async t => {
  const site = createSite()
  const causeAt = () => (site.incident() as { document: { cause: unknown } }).document.cause
  const cause = (reason: string, at: number) => ({ input: 'aaaa', isLocation: true, reason, at, isSilence: false })
  site.report(start + minute, false, { error: 'status 503, expected 200' })
  t.strictSame(causeAt(), cause('status 503, expected 200', start + minute))
  t.equal(
    site.report(start + 2 * minute, false, { error: 'status 503, expected 200' }).change,
    'freshness',
    'the same is no commit',
  )
  t.equal(site.report(start + 3 * minute, false, { error: 'connection refused' }).change, 'commit')
  t.strictSame(causeAt(), cause('connection refused', start + 3 * minute))
  const soon = start + 3 * minute + limits.judging.causeEveryMs - 1
  t.equal(
    site.report(soon, false, { error: 'status 500, expected 200' }).change,
    'freshness',
    'a reason that changes all the time',
  )
  t.equal(site.report(soon + 1, false, { error: 'status 500, expected 200' }).change, 'commit')
  t.strictSame(causeAt(), cause('status 500, expected 200', soon + 1))
  site.report(start + 5 * minute, true)
  site.report(start + 7 * minute, true)
  t.match(site.incident(), { document: { status: 'ok', open: 0, cause: cause('status 500, expected 200', soon + 1) } })
})

t.test('repeated deletion gets its first reply', async t => {
  const site = createSite()
  const { reply } = site.command(start + 1, { kind: 'delete-subject', id: 'gone' })
  t.match(reply, { ok: true })
  t.strictSame(site.command(start + 2, { kind: 'delete-subject', id: 'gone' }).reply, reply)
  t.match(site.command(start + 3, { kind: 'delete-subject', id: 'other' }).reply, { ok: false, error: { code: 'not_found' } })
})

t.test('observation is refused one microsecond beyond its bounds in past and future', async t => {
  const now = start * 1_000
  const [skewUs, lateUs, keptUs] = [limits.intake.clockSkewMs, limits.intake.lateMs, limits.retention.pushedMs].map(
    ms => ms * 1_000,
  ) as [number, number, number]
  const newest = { rev: 1, observedAtUs: now }
  const cases: [observedAtUs: number, reason: string][] = [
    [now + skewUs, 'accepted'],
    [now + skewUs + 1, 'clock_skew'],
    [now - lateUs, 'accepted'],
    [now - lateUs - 1, 'late'],
    [now - keptUs, 'late'],
    [now - keptUs - 1, 'out_of_retention'],
  ]
  for (const [observedAtUs, reason] of cases) t.equal(judgeIntake(observedAtUs, null, start, skewUs), reason)
  t.equal(judgeIntake(now, newest, start, skewUs), 'accepted', 'an equal time is not older')
  t.equal(judgeIntake(now - 1, newest, start, skewUs), 'out_of_order')
})
