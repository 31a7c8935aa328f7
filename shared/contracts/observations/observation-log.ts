// Observation log of a Resource as the directory returns it: reports of senders and results of checks (docs/reference/v3.md, 7.8).
import { type Static, Type } from 'typebox'
import { ask, Id, Instant, Nullable, SignalName } from '#shared/contracts/common.ts'
import type { ObservationState } from '#shared/contracts/observations/heard-signal.ts'
import type { RejectReason } from '#shared/contracts/subjects/subject-views.ts'

/**
 * Returns the newest Observations by instant, as ObservationEntry[]. `signal`: key of one signal, null for all signals; an unknown signal
 * has no entries. `from` and `to`: instants in ms, null for no bound. `unaccepted` true: returns only reports of generation 2 that were not
 * accepted. `unaccepted` false: returns only the other reports.
 */
export const ListObservations = ask<ObservationEntry[]>()({
  subjectId: Id,
  signal: Nullable(SignalName),
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
  /** Id of the location of a check; null: a sender reported the Observation. */
  locationId: string | null
  state: ObservationState
  value: number | null
  labels: Record<string, string>
  /** A JSON object as text. */
  body: string | null
  /**
   * Instant of the Observation and instant of its arrival, both in microseconds since the epoch. The end of a check counts as its arrival.
   */
  atUs: number
  receivedAtUs: number
  /** Way by which the Observation arrived. `worker`: it is the result of a prober's check. */
  source: 'api' | 'address' | 'ping' | 'worker'
  reason: string | null
  /** Reason why the Observation is not judged; null: accepted. */
  rejected: Exclude<RejectReason, 'accepted'> | null
}
