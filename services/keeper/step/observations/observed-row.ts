// Row and place of an Observation on a Resource, and its identity (docs/reference/v3.md, 7.2). Pure.
import type { ObservationState } from '#shared/contracts/observations/heard-signal.ts'
import type { ObservationIdDocument, PushedObservationDocument } from '#shared/contracts/observations/observation.ts'
import type { SentObservation } from '#shared/contracts/resources/resource-commands.ts'
import { observationIdKey, observationOfSeries, seriesId, shortHash } from '#shared/text/ids.ts'

/** Observation with an instant: the keeper stamps the instant if the sender gave none. */
export type StampedObservation = SentObservation & {
  atUs: number
  isStampedHere: boolean
  /** Instant at which it arrived among the reports of its command, µs. A report that the keeper stamps has this instant. */
  stampUs: number
  source: 'api' | 'address' | 'ping'
}

/**
 * Returns the identity of an Observation: its signal and instant, and the sender's id or else its labels. Two Observations without a
 * sender's id have different identities if the keeper stamped one of them and the sender gave the instant of the other.
 */
export function observationRowId(
  subjectId: string,
  signalKey: string,
  { sentId, labels, atUs, isStampedHere }: Pick<StampedObservation, 'sentId' | 'labels' | 'atUs' | 'isStampedHere'>,
): string {
  const series = seriesId(subjectId, signalKey, labels)
  if (sentId === null && !isStampedHere) return observationOfSeries(series, atUs)
  return observationOfSeries(`${subjectId}.${signalKey}.${shortHash(sentId ?? `stamped ${series}`)}`, atUs)
}

/** Returns the row's id without subject and signal: this part identifies an Observation within its signal. */
export const identityOf = (rowId: string): string => rowId.split('.').slice(2).join('.')

/**
 * Returns the row. An Observation of no data has no value. `at`: present instant of the keeper, ms. `aheadMs`: time by which the keeper's clock
 * is ahead of the sender's.
 */
export function rowOf(
  subjectId: string,
  signalKey: string,
  sent: StampedObservation,
  { at, aheadMs }: { at: number; aheadMs: number },
): PushedObservationDocument {
  const { labels, state, value, reason } = sent
  return {
    id: observationRowId(subjectId, signalKey, sent),
    receivedAtUs: receivedUs(sent, at, aheadMs),
    ok: state === 'ok' ? 1 : state === 'problem' ? 0 : 2,
    value: state === 'no_data' ? null : value,
    // Replaces unpaired surrogates, which no store accepts.
    error: reason === '' ? null : reason.toWellFormed(),
    labels: Object.keys(labels).length === 0 ? null : JSON.stringify(labels),
    rejectReason: null,
    expireAt: null,
    sentId: sent.sentId,
    body: sent.body,
    source: sent.source,
  }
}

/**
 * Returns the instant of the arrival, µs: the millisecond. For a report from the future it is the place among the reports of this
 * millisecond, because the report counts there (v3 7.7).
 */
function receivedUs({ atUs, stampUs, isStampedHere }: StampedObservation, at: number, aheadMs: number): number {
  const latestUs = latestCountedUs(at)
  const isAhead = !isStampedHere && atUs + aheadMs * 1_000 > latestUs
  return isAhead ? Math.min(stampUs, latestUs) : at * 1_000
}

export const stateOf = ({ ok }: Pick<PushedObservationDocument, 'ok'>): ObservationState =>
  ok === 1 ? 'ok' : ok === 0 ? 'problem' : 'no_data'

/** Returns whether two rows of one identity have the same content. */
export const isSame = (one: PushedObservationDocument, other: PushedObservationDocument): boolean =>
  one.ok === other.ok && one.value === other.value && one.error === other.error && one.body === other.body

export const placeOf = (
  subjectId: string,
  { signalKey, sentId, atUs, isCreated }: { signalKey: string; sentId: string; atUs: number; isCreated: boolean },
): ObservationIdDocument => ({ id: observationIdKey(subjectId, sentId), signalKey, atUs, createdSignal: isCreated ? 1 : 0 })

/**
 * Returns the latest instant at which an Observation that arrived at `at` (ms) may count, µs: the end of this millisecond, within which the
 * keeper stamps several reports one after the other.
 */
export const latestCountedUs = (at: number): number => at * 1_000 + 999
