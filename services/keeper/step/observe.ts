// A Resource's signal is reported on: the Observation is stored by its identity and judged where it is accepted (docs/reference/v3.md, section 7).
// Pure: what is stored of earlier Observations comes with the surrounding.
import { createHash } from 'node:crypto'
import type { HeardObservation, HeardSignal } from '#shared/contracts/heard-signal.ts'
import type { PushedObservationDocument, SeriesDocument } from '#shared/contracts/observation.ts'
import type { SentObservation } from '#shared/contracts/resource-commands.ts'
import type { ObservedResult } from '#shared/contracts/resource-views.ts'
import type { SignalState } from '#shared/contracts/signal.ts'
import type { CustomState, SubjectDocument, TemplateState } from '#shared/contracts/subject.ts'
import { observationOfSeries, seriesId } from '#shared/ids.ts'
import { hear, nothingHeard } from '#shared/judging/heard-signal.ts'
import { hour, limits } from '#shared/limits.ts'
import { countedOn } from '#shared/manifest/counted-on.ts'
import { judgeSubject } from './judge-subject.ts'
import type { Refusal } from './refusal.ts'
import { invalid } from './resource-commands.ts'
import type { Surrounding } from './types.ts'

/** Stamped by the keeper where the sender gave no instant. */
export type StampedObservation = SentObservation & { atUs: number; isStampedHere: boolean }

export type Observed =
  | { subject: SubjectDocument; row: PushedObservationDocument; series: SeriesDocument; result: ObservedResult }
  | { repeated: ObservedResult }
  | { refused: Refusal }

/** `at` is the keeper's now, ms. */
export function observe(subject: SubjectDocument, sent: StampedObservation, at: number, surrounding: Surrounding): Observed {
  const { custom, templated } = subject
  if (custom === null || templated === null) return { refused: invalid('signal', 'This Resource takes no Observations here yet') }
  const signal = custom.signals.find(({ slug }) => slug === sent.signal)
  if (signal === undefined) return { refused: invalid('signal', `The Resource has no signal '${sent.signal}'`) }
  const fault = instantFault(sent, at)
  if (fault !== null) return { refused: invalid('at', fault) }
  const row = rowOf(subject, signal, sent, at)
  const result = {
    ok: true as const,
    signal: signal.key,
    observation: observationIdOf(row.id, sent.sentId),
    createdSignal: false,
  }
  const before = surrounding.stored.pushed(row.id)
  if (before !== null && (sent.sentId !== null || isSame(before, row))) return { repeated: result }
  const number = (custom.accepted ?? 0) + 1
  const observation: HeardObservation = {
    identity: identityOf(row.id),
    atUs: sent.atUs,
    number,
    state: sent.state,
    value: row.value,
    reason: row.error,
  }
  const kept = countedOn(surrounding.templateOf(subject), signal.slug)
  const heard = hear(templated.heard[signal.slug] ?? nothingHeard, observation, kept)
  const reported = withHeard(subject, { custom, templated }, signal, heard, number)
  const judged = judgeSubject(reported, at, surrounding)
  return { subject: judged, row, series: seriesOf(subject, signal, { heard, number, at, surrounding }), result }
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

const shortHash = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22)

/** An Observation's id is the sender's own, else it follows from its identity. */
const observationIdOf = (rowId: string, sentId: string | null): string => sentId ?? shortHash(rowId)

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
