// Effect of an Observation on a Resource: each kind of signal keeps it in its own way, and is judged (docs/reference/v3.md, section 7). Pure.
// Each function returns null if the Observation is a repeated one that its signal has heard.
import type { HeardObservation, HeardSignal } from '#shared/contracts/heard-signal.ts'
import type { PushedObservationDocument, SeriesDocument } from '#shared/contracts/observation.ts'
import type { SignalState } from '#shared/contracts/signal.ts'
import type { CustomState, Reading, SubjectDocument, TemplateState } from '#shared/contracts/subject.ts'
import type { Template } from '#shared/contracts/template.ts'
import { parsePushedObservationId, seriesId } from '#shared/ids.ts'
import { hear, nothingHeard } from '#shared/judging/heard-signal.ts'
import { hour, limits } from '#shared/limits.ts'
import { baselineDaysOn, countedOn } from '#shared/manifest/counted-on.ts'
import { ownMember } from '#shared/own-member.ts'
import { withBaselines } from './baselines.ts'
import { judgeSubject } from './judge-subject.ts'
import type { Target } from './observation-target.ts'
import { identityOf, stateOf } from './observed-row.ts'
import { accept } from './report-observation.ts'
import { nothingCustom } from './signal-commands.ts'
import type { Surrounding } from './types.ts'

/** The subject after the Observation, and the series to store. */
export interface Effect {
  subject: SubjectDocument
  series: SeriesDocument | null
}

export interface Taking {
  row: PushedObservationDocument
  /** The stored row that says the same; null: there is none. */
  repeated: PushedObservationDocument | null
  /** The keeper's now, ms. */
  at: number
  surrounding: Surrounding
}

/** Of a signal that a Template's rules read. */
export function takeHeard(
  subject: SubjectDocument,
  signal: SignalState,
  template: Template,
  { row, repeated, at, surrounding }: Taking,
): Effect | null {
  const custom = subject.custom as CustomState
  const templated = subject.templated as TemplateState
  const known = ownMember(templated.heard, signal.slug) ?? nothingHeard
  const number = (custom.accepted ?? 0) + 1
  const observation = heardOf(row, number)
  const recent = hear(known, observation, countedOn(template, signal.slug))
  if (repeated !== null && !isNews(known, recent, observation.identity)) return null
  const measured = { subjectId: subject.id, signalKey: signal.key, days: baselineDaysOn(template, signal.slug) }
  const heard = withBaselines(recent, measured, surrounding.stored, row)
  const reported: SubjectDocument = {
    ...subject,
    custom: { ...custom, accepted: Math.max(custom.accepted ?? 0, number) },
    templated: { ...templated, heard: { ...templated.heard, [signal.slug]: heard } },
  }
  const judged = judgeSubject(reported, at, surrounding)
  return { subject: judged, series: heardSeries(subject, signal, { heard, number, at, surrounding }) }
}

export const heardOf = (row: PushedObservationDocument, number: number): HeardObservation => ({
  identity: identityOf(row.id),
  atUs: instantOf(row),
  number,
  state: stateOf(row),
  value: row.value,
  reason: row.error,
})

const instantOf = ({ id }: PushedObservationDocument): number => parsePushedObservationId(id).observedAtUs

/** Whether a stored Observation is one that its signal has not heard: a crash came between the writes of its report. */
const isNews = (known: HeardSignal, heard: HeardSignal, identity: string): boolean =>
  heard.recent.some(one => one.identity === identity) && !known.recent.some(one => one.identity === identity)

/** One for a signal, whatever labels come: no rule of a Template selects by them. It holds what the subject's document may lack. */
function heardSeries(
  subject: SubjectDocument,
  signal: SignalState,
  { heard, number, at, surrounding }: { heard: HeardSignal; number: number; at: number; surrounding: Surrounding },
): SeriesDocument {
  const id = seriesId(subject.id, signal.key, {})
  const newest = heard.recent[0] as HeardObservation
  return {
    id,
    rev: surrounding.stored.series(id)?.rev ?? 0,
    writer: '',
    subjectId: subject.id,
    signalKey: signal.key,
    labels: {},
    observedAtUs: newest.atUs,
    status: newest.state,
    value: newest.value,
    error: newest.reason ?? '',
    heard,
    template: subject.template,
    number,
    expireAt: Math.ceil((at + limits.retention.pushedMs) / hour) * hour,
    judgedAt: at,
    subjectRev: subject.rev,
  }
}

/** Of a signal that rules of generation 2 read: they select by its labels. A late one counts for inputs that have read none as new. */
export function takeSelected(
  subject: SubjectDocument,
  signal: SignalState,
  { row, repeated, at, surrounding }: Taking,
): Effect | null {
  const observedAtUs = instantOf(row)
  const labels = row.labels === null ? {} : (JSON.parse(row.labels) as Record<string, string>)
  const newest = surrounding.stored.series(seriesId(subject.id, signal.key, labels))
  if (repeated !== null && newest !== null && newest.observedAtUs >= observedAtUs) return null
  const { value, error } = row
  const report = { signalKey: signal.key, labels, observedAtUs, status: stateOf(row), value, error: error ?? '' }
  return accept(subject, report, at, surrounding)
}

/** Of a signal that no rule reads: the row is all. */
export function takeDeclared(
  subject: SubjectDocument,
  { signal, isNew }: Extract<Target, { of: 'declared' }>,
  { row, repeated }: Taking,
): Effect | null {
  if (!isNew) return repeated === null ? { subject, series: null } : null
  const custom = subject.custom ?? nothingCustom
  const signals = [...custom.signals, { ...signal, declaredBy: identityOf(row.id) }]
  return { subject: { ...subject, custom: { ...custom, signals } }, series: null }
}

/**
 * Of a location of a website: the newest by time is its reading, until the next check. An instant ahead of now counts as now; of a repeated
 * Observation that is the now of its first arrival.
 */
export function takeReading(
  subject: SubjectDocument,
  { locationId, reading }: Extract<Target, { of: 'website' }>,
  { row, repeated, at, surrounding }: Taking,
): Effect | null {
  const arrivedAtUs = repeated === null ? at * 1_000 : repeated.receivedAtUs
  const readAt = Math.floor(Math.min(instantOf(row), arrivedAtUs) / 1_000)
  const isNewest = reading.at === null || readAt > reading.at || (readAt === reading.at && repeated === null)
  // Readings from before the location was one of the subject's are none of its own.
  if (!isNewest || readAt < reading.addedAt) return repeated === null ? { subject, series: null } : null
  const { addedAt, slotAt } = reading
  const pushed: Reading = {
    ...{ addedAt, slotAt, at: readAt, ok: row.ok === 1, error: row.error },
    ...{ statusCode: null, totalMs: row.value, isPushed: true },
  }
  const readings = { ...subject.readings, [locationId]: pushed }
  return { subject: judgeSubject({ ...subject, readings }, at, surrounding), series: null }
}
