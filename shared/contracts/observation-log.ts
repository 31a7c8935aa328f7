// The Observation log of a Resource: what senders reported and what its checks found, as the directory answers it (docs/reference/v3.md, 7.8).
import { type Static, Type } from 'typebox'
import { Id, Nullable } from '#shared/contracts/common.ts'
import type { ObservationState } from '#shared/contracts/heard-signal.ts'

/** The newest by instant. `signal`: the key of one, null for all; one that the Resource does not have has none. Answers ObservationEntry[]. */
export const ListObservations = Type.Object({
  subjectId: Id,
  signal: Nullable(Type.String({ minLength: 1, maxLength: 200 })),
  limit: Type.Integer({ minimum: 1, maximum: 200 }),
})
export type ListObservations = Static<typeof ListObservations>

export interface ObservationEntry {
  id: string
  /** The key of the signal. */
  signal: string
  /** The id of the location; null: it belongs to none. */
  locationId: string | null
  state: ObservationState
  value: number | null
  labels: Record<string, string>
  /** A JSON object as text. */
  body: string | null
  /** Both in microseconds since the epoch. A check arrives when it ends. */
  atUs: number
  receivedAtUs: number
  /** The door through which it came; a check is a worker's. */
  source: 'api' | 'address' | 'worker'
  reason: string | null
}
