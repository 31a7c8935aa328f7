// What the runner knows of a check of any kind: how it is begun and ended, and what it found.
import type { CheckEntry, CheckPhases } from '#shared/contracts/observations/check.ts'
import type { KeptAnswer } from '#shared/contracts/observations/kept-answer.ts'
import type { TriedDetails } from '#shared/contracts/observations/try.ts'
import type { Egress } from '#shared/net/egress.ts'
import type { Resolve } from '#shared/net/resolve.ts'
import type { Clock } from '#shared/time/clock.ts'
import type { Trust } from './trust.ts'

export interface CheckOutcome {
  ok: boolean
  /** Reason of the failure, a sentence for people; null: the check succeeded. */
  error: string | null
  /** Status of the response, of kinds that have one; null: there was none. */
  statusCode: number | null
  /** Times in ms from the start of the check, to a hundredth of a ms. */
  phases: CheckPhases
  /** Value of the check, at most two decimals; null: it has none. Absent: the total time is the value. */
  value?: number | null
  /** Set: this prober cannot make the check, `error` says why, and `ok` is false. It is no reading. */
  cannot?: true
  /** What the server answered, if it is kept. */
  response?: KeptAnswer
  /** Set for a check that somebody tries. */
  details?: TriedDetails
}

/** Phases of a check that opened no connection. */
export const noPhases: CheckPhases = Object.freeze({ dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 0 })

/** Details of a check that has none of them. */
export const noDetails: TriedDetails = Object.freeze({ hops: [], certificate: null, records: null })

export interface CheckContext {
  clock: Clock
  resolve: Resolve
  trust: Trust
  egress: Egress
  userAgent: string
  /** Bounds of the check in ms (reference/website-monitors 5.2). */
  bounds: { connectMs: number; tlsMs: number; totalMs: number }
  /** Set for a check that somebody tries, who sees more of it. */
  isTried?: true
  /** Whether the answer to a check is kept that failed with this sentence. Absent: none is. Called once, when the check has failed. */
  keepsAnswer?(error: string): boolean
}

/** A check that `start` begins. It releases what it holds in every case, and never throws. */
export interface RunningCheck {
  start(): void
  /** Ends the check without an outcome. */
  abandon(): void
}

/**
 * Makes a check. The entry is one that its kind accepts. `done` is called exactly once, possibly before `start` returns. It is not called
 * after `abandon`.
 */
export type Checker = (entry: CheckEntry, context: CheckContext, done: (outcome: CheckOutcome) => void) => RunningCheck
