// Observation log of a Resource as the directory returns it: reports of senders and results of checks (docs/reference/v3.md, 7.8).
import { type Static, Type } from 'typebox'
import { ask, Id, Instant, Nullable } from '#shared/contracts/common.ts'
import type { ObservationState } from '#shared/contracts/observations/heard-signal.ts'
import type { RejectReason } from '#shared/contracts/subjects/subject-views.ts'

/**
 * Returns the newest Observations by instant, as ObservationEntry[]. `signal`: key of one signal, null for all; an unknown signal has no
 * entries. `from` and `to`: instants in ms, null for no bound. `unaccepted`: true returns only reports of generation 2 that were not
 * accepted, false only the others.
 */
export const ListObservations = ask<ObservationEntry[]>()({
  subjectId: Id,
  signal: Nullable(Type.String({ minLength: 1, maxLength: 200 })),
  from: Nullable(Instant),
  to: Nullable(Instant),
  unaccepted: Type.Boolean(),
  limit: Type.Integer({ minimum: 1, maximum: 200 }),
})
export type ListObservations = Static<typeof ListObservations>

export interface ObservationEntry {
  id: string
  /** Key of the signal. */
  signal: string
  /** Id of the location; null: a pushed observation. */
  locationId: string | null
  state: ObservationState
  value: number | null
  labels: Record<string, string>
  /** A JSON object as text. */
  body: string | null
  /** Instant and arrival, both in microseconds since the epoch. A check arrives at its end. */
  atUs: number
  receivedAtUs: number
  /** Route by which the Observation arrived; `worker`: a check of a prober. */
  source: 'api' | 'address' | 'worker'
  reason: string | null
  /** Reason why the Observation is not judged; null: accepted. */
  rejected: Exclude<RejectReason, 'accepted'> | null
}
