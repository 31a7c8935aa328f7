// Row and place of an Observation on a Resource, and its identity (docs/reference/v3.md, 7.2). Pure.
import type { ObservationState } from '#shared/contracts/heard-signal.ts'
import type { ObservationIdDocument, PushedObservationDocument } from '#shared/contracts/observation.ts'
import type { SentObservation } from '#shared/contracts/resource-commands.ts'
import { observationIdKey, observationOfSeries, seriesId, shortHash } from '#shared/ids.ts'
import { limits } from '#shared/limits.ts'

/** Stamped by the keeper where the sender gave no instant. */
export type StampedObservation = SentObservation & {
  atUs: number
  isStampedHere: boolean
  source: 'api' | 'address'
}

/**
 * The identity of an Observation: the sender's id, else its labels, at its signal and instant. One that was stamped here is never equal to
 * one whose sender says the same instant.
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

/** Without the subject and the signal: what a signal has heard is kept under them. */
export const identityOf = (rowId: string): string => rowId.split('.').slice(2).join('.')

/** No value goes with no data. `at` is the keeper's now, ms. */
export function rowOf(subjectId: string, signalKey: string, sent: StampedObservation, at: number): PushedObservationDocument {
  const { labels, state, value, reason } = sent
  return {
    id: observationRowId(subjectId, signalKey, sent),
    receivedAtUs: at * 1_000,
    ok: state === 'ok' ? 1 : state === 'problem' ? 0 : 2,
    value: state === 'no_data' ? null : value,
    // No store keeps half a character.
    error: reason === '' ? null : reason.toWellFormed(),
    labels: Object.keys(labels).length === 0 ? null : JSON.stringify(labels),
    rejectReason: null,
    expireAt: null,
    sentId: sent.sentId,
    body: sent.body,
    source: sent.source,
  }
}

export const stateOf = ({ ok }: Pick<PushedObservationDocument, 'ok'>): ObservationState =>
  ok === 1 ? 'ok' : ok === 0 ? 'problem' : 'no_data'

/** Whether two rows of one identity say the same. */
export const isSame = (one: PushedObservationDocument, other: PushedObservationDocument): boolean =>
  one.ok === other.ok && one.value === other.value && one.error === other.error && one.body === other.body

/** Of an Observation with a sender's id. It leaves with the row; an instant of its own keeps what expires in the order in which it was written. */
export function placeOf(
  subjectId: string,
  { signalKey, sentId, atUs, isCreated }: { signalKey: string; sentId: string; atUs: number; isCreated: boolean },
): ObservationIdDocument {
  const expireAt = Math.ceil(atUs / 1_000 + limits.retention.pushedMs)
  return { id: observationIdKey(subjectId, sentId), signalKey, atUs, createdSignal: isCreated ? 1 : 0, expireAt }
}
