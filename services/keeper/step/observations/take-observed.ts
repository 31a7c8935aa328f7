// Effect of an Observation on a Resource: one function for each kind of signal stores and judges the Observation (docs/reference/v3.md,
// section 7). Pure. The function returns null for a repeated Observation that the signal already includes.
import type { HeardObservation, HeardSignal } from '#shared/contracts/observations/heard-signal.ts'
import type { PushedObservationDocument, SeriesDocument } from '#shared/contracts/observations/observation.ts'
import type { Template } from '#shared/contracts/resources/template.ts'
import type { SignalState } from '#shared/contracts/subjects/signal.ts'
import type { CustomState, Reading, SubjectDocument, TemplateState } from '#shared/contracts/subjects/subject.ts'
import { hear, nothingHeard } from '#shared/judging/heard-signal.ts'
import { hour, limits } from '#shared/limits/limits.ts'
import { baselineDaysOn, countedOn } from '#shared/manifest/decision-reads.ts'
import { parsePushedObservationId, seriesId } from '#shared/text/ids.ts'
import { ownMember } from '#shared/text/own-member.ts'
import { nothingCustom } from '../commands/signal-commands.ts'
import { withBaselines } from '../judging/baselines.ts'
import { judgeSubject } from '../judging/judge-subject.ts'
import type { StepContext } from '../types.ts'
import type { Target } from './observation-target.ts'
import { identityOf, latestCountedUs, stateOf } from './observed-row.ts'
import { accept } from './report-observation.ts'

export interface Effect {
  subject: SubjectDocument
  series: SeriesDocument | null
  /** The row to store in the place of the one that was sent. Absent: that one. */
  row?: PushedObservationDocument
}

export interface Taking {
  row: PushedObservationDocument
  /** Stored row with the same content; null: none. */
  repeated: PushedObservationDocument | null
  /** Present instant of the keeper, ms. */
  at: number
  /** True if the keeper stamped the report: its instant is on the keeper's clock already. */
  isStampedHere: boolean
  context: StepContext
}

/** Returns the row of the first sending and the time to add to the sender's instant, ms. */
export const arrivalOf = ({ row, repeated, isStampedHere, context }: Taking): Arrival => ({
  arrived: repeated ?? row,
  aheadMs: isStampedHere ? 0 : (context.aheadMs ?? 0),
})

interface Arrival {
  /** Row of the first sending; a repeated Observation has its arrival. */
  arrived: PushedObservationDocument
  /** Time by which the keeper's clock is ahead of the sender's, ms. */
  aheadMs: number
}

export function takeHeard(subject: SubjectDocument, signal: SignalState, template: Template, taking: Taking): Effect | null {
  const { row, repeated, at, context } = taking
  const custom = subject.custom as CustomState
  const templated = subject.templated as TemplateState
  const known = ownMember(templated.heard, signal.slug) ?? nothingHeard
  const number = (custom.accepted ?? 0) + 1
  const observation = heardOf(row, number, arrivalOf(taking))
  const recent = hear(known, observation, countedOn(template, signal.slug))
  if (repeated !== null && !isNews(known, recent, observation.identity)) return null
  const measured = { subjectId: subject.id, signalKey: signal.key, days: baselineDaysOn(template, signal.slug) }
  const heard = withBaselines(recent, measured, context.stored, row)
  const reported: SubjectDocument = {
    ...subject,
    custom: { ...custom, accepted: Math.max(custom.accepted ?? 0, number) },
    templated: { ...templated, heard: { ...templated.heard, [signal.slug]: heard } },
  }
  const judged = judgeSubject(reported, at, context)
  return { subject: judged, series: heardSeries(subject, signal, { heard, number, at, context }) }
}

/** `arrival` absent: the row as it is stored. */
export const heardOf = (row: PushedObservationDocument, number: number, arrival?: Arrival): HeardObservation => ({
  identity: identityOf(row.id),
  atUs: countedUs(row, arrival ?? { arrived: row, aheadMs: 0 }),
  number,
  state: stateOf(row),
  value: row.value,
  reason: row.error,
})

/**
 * Returns the instant at which the Observation counts on the keeper's clock, µs: its own, or its arrival if its own was still in the future
 * then. So a report with a fast clock hides no report that comes after it (v3 7.7).
 */
export function countedUs({ id }: PushedObservationDocument, { arrived, aheadMs }: Arrival): number {
  const ownUs = parsePushedObservationId(id).observedAtUs + aheadMs * 1_000
  const isAhead = ownUs > latestCountedUs(Math.floor(arrived.receivedAtUs / 1_000))
  return isAhead ? arrived.receivedAtUs : ownUs
}

/** Returns whether a stored Observation is missing from its signal, because a crash came between the writes of its report. */
const isNews = (known: HeardSignal, heard: HeardSignal, identity: string): boolean =>
  heard.recent.some(one => one.identity === identity) && !known.recent.some(one => one.identity === identity)

/**
 * Returns the one series of a signal, whatever the labels: no rule of a Template selects by labels. The series holds the Observations that
 * the subject's document may lack.
 */
function heardSeries(
  subject: SubjectDocument,
  signal: SignalState,
  { heard, number, at, context }: { heard: HeardSignal; number: number; at: number; context: StepContext },
): SeriesDocument {
  const id = seriesId(subject.id, signal.key, {})
  const newest = heard.recent[0] as HeardObservation
  return {
    id,
    rev: context.stored.series(id)?.rev ?? 0,
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

/**
 * Adds an Observation to a signal that rules of generation 2 read. Each input of these rules selects Observations by their labels. So a
 * late Observation still counts for an input that selects no newer one.
 */
export function takeSelected(subject: SubjectDocument, signal: SignalState, taking: Taking): Effect | null {
  const { row, repeated, at, context } = taking
  const observedAtUs = countedUs(row, arrivalOf(taking))
  const labels = row.labels === null ? {} : (JSON.parse(row.labels) as Record<string, string>)
  const newest = context.stored.series(seriesId(subject.id, signal.key, labels))
  if (repeated !== null && newest !== null && newest.observedAtUs >= observedAtUs) return null
  const { value, error } = row
  const report = { signalKey: signal.key, labels, observedAtUs, status: stateOf(row), value, error: error ?? '' }
  return accept(subject, report, at, context)
}

/** Adds an Observation to a signal that no rule reads: only the row is stored. */
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
 * Adds an Observation of a check's location. The Observation with the newest instant is the location's reading, until the next check.
 */
export function takeReading(
  subject: SubjectDocument,
  { source, reading }: Extract<Target, { of: 'location' }>,
  taking: Taking,
): Effect | null {
  const { row, repeated, at, context } = taking
  const readAt = Math.floor(countedUs(row, arrivalOf(taking)) / 1_000)
  const isNewest = reading.at === null || readAt > reading.at || (readAt === reading.at && repeated === null)
  // Readings from before the location was added to the subject do not count.
  if (!isNewest || readAt < reading.addedAt) return repeated === null ? { subject, series: null } : null
  const { addedAt, slotAt } = reading
  const pushed: Reading = {
    ...{ addedAt, slotAt, at: readAt, ok: row.ok === 1, error: row.error },
    ...{ statusCode: null, totalMs: row.value, isPushed: true },
  }
  const readings = { ...subject.readings, [source]: pushed }
  return { subject: judgeSubject({ ...subject, readings }, at, context), series: null }
}
