// Checks of a simulated Resource: its verdicts equal those of the naive evaluator, and its incidents and messages equal those of the
// oracle. A replay of each incident's record gives the stored state of the incident. Each acknowledged report is stored exactly once.

import type { HeldIncident } from '#shared/contracts/ask/ask-subjects.ts'
import type { AlertDocument } from '#shared/contracts/incidents/alert.ts'
import type { ResourceView } from '#shared/contracts/resources/resource-views.ts'
import { seriesId } from '#shared/text/ids.ts'
import { replayIncident } from '../../../infra/replay/replay-incident.ts'
import { historyOf, naiveBaseline } from '../../judging/naive-decision.ts'
import { checkSaid } from './check-said.ts'
import { expectedOf, pastOf, type Variant } from './expected.ts'
import { isArchived, latestBinding } from './facts.ts'
import type { ExpectedIncident, ExpectedMessage } from './incidents.ts'
import type { Resource } from './resource.ts'
import { silenceTo, statusAt } from './truths.ts'

/** Compares the statuses in the Resource's detail with the rules. Returns the number of compared rules. */
export async function checkDetail(resource: Resource, variants: readonly Variant[]): Promise<number> {
  const { facts, house } = resource
  const before = house.keepers.now()
  const view = await resource.read()
  const after = house.keepers.now()
  if (isArchived(facts)) return 0
  const { template } = latestBinding(facts)
  const { rules } = house.revisions.get(template)!
  const [key, version] = template.split('@') as [string, string]
  const past = pastOf(resource, key, Number(version))
  for (const rule of rules) {
    const possible = new Set(
      variants.flatMap(({ held }) =>
        [before, after].map(at => statusAt(past, rule, facts.events.length, at, silenceTo(held, at))),
      ),
    )
    const said = view.rules.find(one => one.key === rule.key)?.status
    if (said === undefined || !possible.has(said))
      resource.fault(`at ${after} ${rule.key} reads ${said} instead of ${[...possible].join(' or ')}`)
  }
  checkStanding(resource, view, variants, [before, after])
  await checkSaid(resource, view, variants, [before, after])
  await checkBaselines(resource)
  return rules.length
}

/** Checks that the open incident of each rule exists in at least one variant. Usually it exists in the first variant. */
function checkStanding(resource: Resource, view: ResourceView, variants: readonly Variant[], instants: readonly number[]): void {
  let left = view.rules
  for (const variant of variants) {
    for (const at of instants) {
      if (left.length === 0) return
      const { incidents } = expectedOf(resource, variant, at)
      const isOpen = (key: string) => incidents.some(one => one.rule === key && one.closedAt === null && one.reason === null)
      left = left.filter(({ key, standing }) => isOpen(key) !== (standing !== null))
    }
  }
  for (const { key, standing } of left)
    resource.fault(`at ${instants[1]} ${key} is ${standing}, and ${standing ? 'no' : 'an'} incident is open`)
}

/** Checks samples and median of each baseline that a rule uses (v3 4.5). */
async function checkBaselines(resource: Resource): Promise<void> {
  const { facts, house } = resource
  const { template } = latestBinding(facts)
  const [key, version] = template.split('@') as [string, string]
  const known = pastOf(resource, key, Number(version)).after(facts.events.length)
  const { templated, custom } = await resource.subject()
  for (const signal of house.revisions.get(template)!.signals) {
    const id = seriesId(facts.id, custom?.signals.find(({ slug }) => slug === signal.key)?.key ?? '', {})
    const [series] = await house.keepers.store.get('series', [id])
    // A report that changes no status is stored beside the Resource's document, not in it.
    const isBeside = (series?.number ?? 0) > (custom?.accepted ?? 0)
    const heard = isBeside ? series?.heard : templated?.heard[signal.key]
    const history = historyOf(signal.key, known)
    if ((heard?.recent[0]?.atUs ?? null) !== (history.at(-1)?.atUs ?? null))
      resource.fault(`${signal.key} reads another Observation`)
    for (const [days, { samples, median }] of Object.entries(heard?.baselines ?? {})) {
      const expected = naiveBaseline(history, Number(days))
      if (samples !== expected.samples || median !== expected.median)
        resource.fault(
          `${signal.key} has ${median} of ${samples} in ${days} d instead of ${expected.median} of ${expected.samples}`,
        )
    }
  }
}

export async function checkRecords(resource: Resource): Promise<number> {
  const { facts, house } = resource
  const { store } = house.keepers
  const subject = await resource.subject()
  const incidents = await store.find('incidents', { where: { subjectId: facts.id }, limit: 10_000 })
  for (const incident of incidents) {
    const where = { incidentId: incident.id }
    const history = await store.find('history', { where, sort: [['sequence', 'asc']], limit: 10_000 })
    const rule = subject.rules.find(one => one.incident?.context.incidentId === incident.id)
    const held = rule ? ({ ruleKey: rule.key, snapshot: rule.incident, verdict: rule.verdict } as HeldIncident) : null
    for (const fault of replayIncident(incident, history, held).faults) resource.fault(`replay of ${incident.id}: ${fault}`)
    const alerts = await store.find('alerts', { where, sort: [['number', 'asc']], limit: 10_000 })
    if (alerts.some((alert, i) => alert.number !== i + 1)) resource.fault(`alerts of ${incident.id} have a gap`)
  }
  await checkRows(resource)
  return incidents.length
}

/**
 * Checks the stored reports: of the reports with one identity only the last acknowledged report is stored, and no report after an archive.
 */
async function checkRows(resource: Resource): Promise<void> {
  const expected = new Map<string, string>()
  for (const event of resource.facts.events) {
    if (event.kind !== 'observed') continue
    const { identity, state, value } = event.observation
    expected.set(identity, `${state} ${value}`)
  }
  for (const { id, ok, value } of await resource.rows()) {
    const stored = `${ok === 1 ? 'ok' : ok === 0 ? 'problem' : 'no_data'} ${value}`
    if (expected.get(id) !== stored) resource.fault(`${id} is stored as ${stored} instead of ${expected.get(id)}`)
    expected.delete(id)
  }
  for (const id of expected.keys()) resource.fault(`${id} was acknowledged and is not stored`)
}

export async function storedIncidents({ facts, house }: Resource): Promise<ExpectedIncident[]> {
  const found = await house.keepers.store.find('incidents', {
    where: { subjectId: facts.id },
    sort: [['troubleSince', 'asc']],
    limit: 10_000,
  })
  return found.map(({ rule, troubleSince: openedAt, confirmedAt, closedAt, closedReason: reason }) => ({
    ...{ rule: rule.key, openedAt, confirmedAt, closedAt, reason, endedAt: null, slackMs: 0 },
  }))
}

export async function storedMessages({ facts, house }: Resource): Promise<ExpectedMessage[]> {
  const alerts = await house.keepers.store.find('alerts', { where: { subjectId: facts.id }, limit: 10_000 })
  // What is withdrawn is told to no place of a simulation.
  const told = alerts.filter(({ kind }) => kind !== 'withdrawn')
  return told.map(alert => ({ rule: alert.facts.ruleKey, kind: kindOf(alert), at: alert.decidedAt, slackMs: 0 }))
}

const kindOf = ({ kind, held, reminder }: AlertDocument): string =>
  held === null ? (reminder ? 'reminder' : kind) : `held ${kind}`
