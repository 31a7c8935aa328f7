// What a sender reported as the row that is stored of it. Pure.
import type { PushedObservationDocument } from '#shared/contracts/observation.ts'
import type { ObservationView } from '#shared/contracts/subject-views.ts'

export type PushedReport = Pick<ObservationView, 'receivedAtUs' | 'status' | 'value' | 'error' | 'labels' | 'rejectReason'>

/** `expireAt`, ms: of one that is not accepted. */
export function pushedRow(id: string, report: PushedReport, expireAt: number): PushedObservationDocument {
  const { receivedAtUs, status, value, error, labels, rejectReason } = report
  const isAccepted = rejectReason === 'accepted'
  return {
    id,
    receivedAtUs,
    ok: status === 'ok' ? 1 : 0,
    value,
    // No store keeps half a character.
    error: error === '' ? null : error.toWellFormed(),
    labels: Object.keys(labels).length === 0 ? null : JSON.stringify(labels),
    rejectReason: isAccepted ? null : rejectReason,
    expireAt: isAccepted ? null : expireAt,
    sentId: null,
    body: null,
    source: null,
  }
}
