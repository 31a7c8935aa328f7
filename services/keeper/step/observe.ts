// A Resource's signal is reported on: the Observation is stored by its identity and judged where it is accepted (docs/reference/v3.md, section 7).
// Pure: what is stored of earlier Observations comes with the surrounding.
import type { HeardObservation, HeardSignal } from '#shared/contracts/heard-signal.ts'
import type { ObservationIdDocument, PushedObservationDocument, SeriesDocument } from '#shared/contracts/observation.ts'
import type { SentObservation } from '#shared/contracts/resource-commands.ts'
import type { ObservedResult } from '#shared/contracts/resource-views.ts'
import type { SignalState } from '#shared/contracts/signal.ts'
import type { CustomState, SubjectDocument, TemplateState } from '#shared/contracts/subject.ts'
import { observationIdKey, observationOfSeries, seriesId, shortHash } from '#shared/ids.ts'
import { hear, nothingHeard } from '#shared/judging/heard-signal.ts'
import { hour, limits } from '#shared/limits.ts'
import { baselineDaysOn, countedOn } from '#shared/manifest/counted-on.ts'
import { withBaselines } from './baselines.ts'
import { judgeSubject } from './judge-subject.ts'
import type { Refusal } from './refusal.ts'
import { invalid } from './resource-commands.ts'
import type { Surrounding } from './types.ts'

/** Stamped by the keeper where the sender gave no instant. */
export type StampedObservation = SentObservation & {
  atUs: number
  isStampedHere: boolean
  source: 'api' | 'address'
}

export type Observed =
  | {
      subject: SubjectDocument
      row: PushedObservationDocument
      series: SeriesDocument
      place: ObservationIdDocument | null
      result: ObservedResult
    }
  | { repeated: ObservedResult }
  | { refused: Refusal }

/** The place of an Observation. */
interface Place {
  signal: SignalState
  atUs: number
}

/** `at` is the keeper's now, ms. */
export function observe(subject: SubjectDocument, sent: StampedObservation, at: number, surrounding: Surrounding): Observed {
  const { custom, templated } = subject
  if (custom === null || templated === null) return { refused: invalid('signal', 'This Resource takes no Observations here yet') }
  const known = sent.sentId === null ? null : surrounding.stored.place(observationIdKey(subject.id, sent.sentId))
  const again = known && observeAgain({ subject, custom, templated }, sent, known, at, surrounding)
  if (again !== null) return again
  const signal = custom.signals.find(({ slug }) => slug === sent.signal)
  if (signal === undefined) return { refused: invalid('signal', `The Resource has no signal '${sent.signal}'`) }
  const declared = surrounding.templateOf(subject).signals.find(({ key }) => key === signal.slug)
  if (sent.signalKind !== null && declared?.kind !== sent.signalKind)
    return { refused: invalid('kind', `The signal '${signal.slug}' is of another kind`) }
  const fault = instantFault(sent, at)
  if (fault !== null) return { refused: invalid('at', fault) }
  const row = rowOf(subject, signal, sent, at)
  // The row of a sender's id is written behind its place: without a place there is none.
  const before = sent.sentId === null ? surrounding.stored.pushed(row.id) : null
  return take({ subject, custom, templated }, { signal, atUs: sent.atUs }, { row, before, sentId: sent.sentId }, at, surrounding)
}

interface Reported {
  subject: SubjectDocument
  custom: CustomState
  templated: TemplateState
}

/**
 * An id that was sent before: the first answer, whatever else it carries. A crash may have come between the writes of a report, which then was
 * never answered: its row is written where it belongs, and judged. Null: the report is a new one, because what the first one said is lost.
 */
function observeAgain(
  reported: Reported,
  sent: StampedObservation,
  place: ObservationIdDocument,
  at: number,
  surrounding: Surrounding,
): Observed | null {
  const { subject, custom } = reported
  const { signalKey, atUs } = place
  const sentId = sent.sentId as string
  const result = { ok: true as const, signal: signalKey, observation: sentId, createdSignal: place.createdSignal === 1 }
  const signal = custom.signals.find(({ key }) => key === signalKey)
  if (signal === undefined || atUs < (at - limits.retention.pushedMs) * 1_000) return { repeated: result }
  const before = surrounding.stored.pushed(observationRowId(subject.id, signalKey, { sentId, labels: {}, atUs }))
  if (before === null && signal.slug !== sent.signal) return null
  const row = before ?? rowOf(subject, signal, { ...sent, atUs }, at)
  return take(reported, { signal, atUs }, { row, before, sentId }, at, surrounding)
}

/** `before`: the row of this identity that is stored already; null: there is none. */
function take(
  { subject, custom, templated }: Reported,
  { signal, atUs }: Place,
  { row, before, sentId }: { row: PushedObservationDocument; before: PushedObservationDocument | null; sentId: string | null },
  at: number,
  surrounding: Surrounding,
): Observed {
  const result = {
    ok: true as const,
    signal: signal.key,
    observation: sentId ?? shortHash(row.id),
    createdSignal: false,
  }
  const template = surrounding.templateOf(subject)
  const known = templated.heard[signal.slug] ?? nothingHeard
  const number = (custom.accepted ?? 0) + 1
  const observation: HeardObservation = { identity: identityOf(row.id), atUs, number, ...saidBy(row) }
  const recent = hear(known, observation, countedOn(template, signal.slug))
  if (before !== null && isSame(before, row) && !isNews(known, recent, observation.identity)) return { repeated: result }
  const measured = { subjectId: subject.id, signalKey: signal.key, days: baselineDaysOn(template, signal.slug) }
  const heard = withBaselines(recent, measured, surrounding.stored, row)
  const reported = withHeard(subject, { custom, templated }, signal, heard, number)
  const judged = judgeSubject(reported, at, surrounding)
  const series = seriesOf(subject, signal, { heard, number, at, surrounding })
  return { subject: judged, row, series, place: sentId === null ? null : placeOf(subject, signal, sentId, atUs), result }
}

/** Whether a stored Observation is one that its signal has not heard: a crash came between the writes of its report. */
const isNews = (known: HeardSignal, heard: HeardSignal, identity: string): boolean =>
  heard.recent.some(one => one.identity === identity) && !known.recent.some(one => one.identity === identity)

/** No value goes with no data. */
const saidBy = ({ ok, value, error }: PushedObservationDocument): Pick<HeardObservation, 'state' | 'value' | 'reason'> => ({
  state: ok === 1 ? 'ok' : ok === 0 ? 'problem' : 'no_data',
  value,
  reason: error,
})

function placeOf({ id }: SubjectDocument, { key }: SignalState, sentId: string, atUs: number): ObservationIdDocument {
  const expireAt = Math.ceil((atUs / 1_000 + limits.retention.pushedMs) / hour) * hour
  return { id: observationIdKey(id, sentId), signalKey: key, atUs, createdSignal: 0, expireAt }
}

/** One that was stamped here is of now, however the clock went. */
function instantFault({ atUs, isStampedHere }: StampedObservation, at: number): string | null {
  if (isStampedHere) return null
  if (atUs > (at + limits.intake.clockSkewMs) * 1_000) return `'at' is more than ${limits.intake.clockSkewMs / 1_000} s ahead`
  return atUs < (at - limits.retention.pushedMs) * 1_000 ? "'at' is older than Observations are kept" : null
}

/** No value goes with no data. */
function rowOf(subject: SubjectDocument, signal: SignalState, sent: StampedObservation, at: number): PushedObservationDocument {
  const { labels, state, value, reason } = sent
  return {
    id: observationRowId(subject.id, signal.key, sent),
    receivedAtUs: at * 1_000,
    ok: state === 'ok' ? 1 : state === 'problem' ? 0 : 2,
    value: state === 'no_data' ? null : value,
    error: reason === '' ? null : reason,
    labels: Object.keys(labels).length === 0 ? null : JSON.stringify(labels),
    rejectReason: null,
    expireAt: null,
    sentId: sent.sentId,
    body: sent.body,
    source: sent.source,
  }
}

/** The identity of an Observation: the sender's id, else its labels, at its signal and instant. */
export function observationRowId(
  subjectId: string,
  signalKey: string,
  { sentId, labels, atUs }: Pick<StampedObservation, 'sentId' | 'labels' | 'atUs'>,
): string {
  const series = sentId === null ? seriesId(subjectId, signalKey, labels) : `${subjectId}.${signalKey}.${shortHash(sentId)}`
  return observationOfSeries(series, atUs)
}

const isSame = (one: PushedObservationDocument, other: PushedObservationDocument): boolean =>
  one.ok === other.ok && one.value === other.value && one.error === other.error

/** Without the subject and the signal: what a signal has heard is kept under them. */
const identityOf = (rowId: string): string => rowId.split('.').slice(2).join('.')

function withHeard(
  subject: SubjectDocument,
  { custom, templated }: { custom: CustomState; templated: TemplateState },
  signal: SignalState,
  heard: HeardSignal,
  number: number,
): SubjectDocument {
  return {
    ...subject,
    custom: { ...custom, accepted: Math.max(custom.accepted ?? 0, number) },
    templated: { ...templated, heard: { ...templated.heard, [signal.slug]: heard } },
  }
}

/** One for a signal, whatever labels come: no rule of a Template selects by them. It holds what the subject's document may lack. */
function seriesOf(
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
    number,
    expireAt: Math.ceil((at + limits.retention.pushedMs) / hour) * hour,
    judgedAt: at,
    subjectRev: subject.rev,
  }
}
