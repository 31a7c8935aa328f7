// Conversion of a sender's report to its stored row. Pure.
import type { PushedObservationDocument } from '#shared/contracts/observations/observation.ts'
import type { ObservationView } from '#shared/contracts/subjects/subject-views.ts'

export type PushedReport = Pick<ObservationView, 'receivedAtUs' | 'status' | 'value' | 'error' | 'labels' | 'rejectReason'>

/** `expireAt`: expiry of a report that is not accepted, ms since the epoch. */
export function pushedRow(id: string, report: PushedReport, expireAt: number): PushedObservationDocument {
  const { receivedAtUs, status, value, error, labels, rejectReason } = report
  const isAccepted = rejectReason === 'accepted'
  return {
    id,
    receivedAtUs,
    ok: status === 'ok' ? 1 : 0,
    value,
    // Replaces unpaired surrogates, which no store accepts.
    error: error === '' ? null : error.toWellFormed(),
    labels: Object.keys(labels).length === 0 ? null : JSON.stringify(labels),
    rejectReason: isAccepted ? null : rejectReason,
    expireAt: isAccepted ? null : expireAt,
    sentId: null,
    body: null,
    source: null,
  }
}
