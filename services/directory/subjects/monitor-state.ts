// State of one monitor for the dashboard's page of the monitor, made from the subject's document and its Template.
import { nextStep } from '#machines/incident-outlook.ts'
import type { ObservationEntry } from '#shared/contracts/observations/observation-log.ts'
import type { Template } from '#shared/contracts/resources/template.ts'
import type { MonitorReading, MonitorRule } from '#shared/contracts/subjects/monitor-state.ts'
import { inputsOf } from '#shared/contracts/subjects/policy.ts'
import type { RuleState, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { inputKeyOf } from '#shared/judging/policy-input.ts'
import { redactedText } from '#shared/secrecy/redacted-text.ts'
import { checkedPairs } from '#shared/subjects/checked-pairs.ts'
import { rosterRow } from '#shared/subjects/roster-row.ts'
import { isFault, readRevisions } from '#shared/subjects/stored-revisions.ts'
import type { AskAnswerer, DirectoryContext } from '../context.ts'
import { pick } from '../documents/pick.ts'
import { getResource } from '../resources/resources.ts'
import { newestReports } from './observation-log.ts'
import { thresholdsOf } from './thresholds.ts'

export const getMonitor: AskAnswerer<'get-monitor'> = async (context, { subjectId }) => {
  const [subject = null] = await context.store.get('subjects', [subjectId])
  if (subject === null || subject.deletedAt !== null) return null
  const resource = await getResource(context, { workspaceId: subject.workspaceId, reference: subjectId })
  if (resource === null) return null
  const template = await templateOf(context, subject)
  return {
    row: rosterRow(subject, nextStep),
    resource,
    rules: subject.rules.map(rule => ruleOf(rule, subject)),
    signals: await readingsOf(context, subject),
    expects: expectsOf(subject, template),
    window: subject.maintenance,
    thresholds: thresholdsOf(subject, template),
  }
}

function expectsOf(subject: SubjectDocument, template: Template | null): Record<string, number | null> {
  const checks = checkedPairs(subject).map(({ key, everySeconds }) => [key, everySeconds] as const)
  const everySeconds = (slug: string) => {
    const stated = template?.signals.find(({ key }) => key === slug)?.everySeconds ?? null
    return typeof stated === 'number' ? stated : null
  }
  return Object.fromEntries([
    ...checks,
    ...(subject.custom?.signals ?? []).map(({ slug }) => [slug, everySeconds(slug)] as const),
  ])
}

async function readingsOf(context: DirectoryContext, subject: SubjectDocument): Promise<MonitorReading[]> {
  const read = [...checkReadings(subject), ...heardReadings(subject), ...observedReadings(subject)]
  const known = new Set(read.map(({ signal }) => signal))
  const unread = new Set(subject.custom?.signals.map(({ slug }) => slug).filter(slug => !known.has(slug)))
  return unread.size === 0 ? read : [...read, ...(await newestReports(context, subject, unread)).map(unreadReading)]
}

/** Returns the reading of a signal that no rule reads. The reading comes from the Observation log, not from the subject's document. */
const unreadReading = ({ signal, state, value, atUs, reason }: ObservationEntry): MonitorReading =>
  readingOf(signal, { state, value, atUs, reason })

const readingOf = (signal: string, read: Pick<MonitorReading, 'state' | 'value' | 'atUs' | 'reason'>): MonitorReading => ({
  signal,
  locationId: null,
  ...read,
  reason: plain(read.reason),
  baselines: {},
})

async function templateOf({ store }: DirectoryContext, subject: SubjectDocument): Promise<Template | null> {
  if (subject.kind !== 'template') return null
  const id = `${subject.workspaceId}/${subject.template}`
  const found = (await readRevisions(store, [id])).get(id) ?? null
  return isFault(found) ? null : found
}

function ruleOf({ key, slug, name, policy, verdict, incident }: RuleState, { maintenance }: SubjectDocument): MonitorRule {
  const open = incident === null || incident.value === 'closed' ? null : incident
  const isDecided = verdict !== null && verdict.verdict !== 'not_judged'
  return {
    key: policy.language === 'inputs' ? slug : key,
    name,
    isOfLocations: policy.language === 'reachability',
    verdict,
    incident: open,
    next: open && nextStep(open, { isDecided, mutedTo: maintenance?.context.endsAt ?? null }),
  }
}

function checkReadings(subject: SubjectDocument): MonitorReading[] {
  return checkedPairs(subject).flatMap(({ key, locationId, source }) => {
    const { at = null, ok = false, error = null, totalMs = null } = subject.readings[source] ?? {}
    if (at === null) return []
    const read = { state: ok ? ('ok' as const) : ('problem' as const), value: totalMs, atUs: at * 1_000, reason: error }
    return [{ ...readingOf(key, read), locationId }]
  })
}

/** Returns the readings of signals that the rules of the Resource's Template read. */
function heardReadings({ templated, custom }: SubjectDocument): MonitorReading[] {
  const names = new Map(custom?.signals.map(({ key, slug }) => [key, slug]))
  return Object.entries(templated?.heard ?? {}).flatMap(([key, { recent, baselines }]) => {
    const [newest] = recent
    if (newest === undefined) return []
    const medians = Object.fromEntries(Object.entries(baselines).map(([days, { median }]) => [days, median]))
    return [{ ...readingOf(names.get(key) ?? key, pick(newest, ['state', 'value', 'atUs', 'reason'])), baselines: medians }]
  })
}

/** Returns the newest reading of each signal that rules of generation 2 read. */
function observedReadings({ rules, custom }: SubjectDocument): MonitorReading[] {
  const newest = new Map<string, MonitorReading>()
  for (const { key: ruleKey, policy } of rules) {
    for (const input of inputsOf(policy)) {
      const read = custom?.observed[inputKeyOf(ruleKey, input)]
      if (input.signal === null || read === undefined || read.observedAtUs === null) continue
      const { observedAtUs: atUs, ok, isNoData = false, value, error } = read
      if (atUs <= (newest.get(input.signal)?.atUs ?? -1)) continue
      const state = isNoData ? 'no_data' : ok ? 'ok' : 'problem'
      newest.set(input.signal, readingOf(input.signal, { state, value, atUs, reason: error }))
    }
  }
  return [...newest.values()]
}

const plain = (text: string | null): string | null => (text === null ? null : redactedText(text))
