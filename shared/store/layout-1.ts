// What layout 1 kept otherwise: one place for both adapters. Pure.
import type { PushedObservationDocument } from '#shared/contracts/observation.ts'
import { observationOfSeries } from '#shared/ids.ts'

/** A pushed observation of layout 1, as far as it is taken over. id: `<subject>.<signal key>.<labels hash>.<observed, µs>`. */
export interface PushedOfLayout1 {
  id: string
  receivedAtUs: number
  status: 'ok' | 'problem'
  value: number | null
  error: string
  labels: Record<string, string>
  rejectReason: 'accepted' | NonNullable<PushedObservationDocument['rejectReason']>
  expireAt: number
}

export function fromLayout1(old: PushedOfLayout1): PushedObservationDocument {
  const instant = old.id.lastIndexOf('.')
  const isAccepted = old.rejectReason === 'accepted'
  return {
    id: observationOfSeries(old.id.slice(0, instant), Number(old.id.slice(instant + 1))),
    receivedAtUs: old.receivedAtUs,
    ok: old.status === 'ok' ? 1 : 0,
    value: old.value,
    error: old.error === '' ? null : old.error.toWellFormed(),
    labels: Object.keys(old.labels).length === 0 ? null : JSON.stringify(old.labels),
    rejectReason: old.rejectReason === 'accepted' ? null : old.rejectReason,
    expireAt: isAccepted ? null : old.expireAt,
  }
}
