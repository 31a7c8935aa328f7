// Roll-ups (counts and statistics of observations), and the request that reads them. A roll-up stays stored after its observations have
// expired.
import { Type } from 'typebox'
import { ask, Id, Instant, LocationId, SignalName, type Stored, Strict } from '#shared/contracts/common.ts'

/**
 * Roll-up of one location or one signal. It covers an hour in twelve buckets of 5 minutes, or a day in 24 buckets of an hour. id:
 * `rollUpId`. A roll-up is always computed from all its observations, so a repeated write changes nothing.
 */
export interface RollUpDocument {
  id: string
  /** Packed buckets. */
  data: string
}

/** Progress of the roll-ups of a partition. id: key of the partition. */
export interface RollUpProgressDocument extends Stored {
  /** All hours before this instant are rolled up, but late reports may still change their roll-ups. A whole hour, in ms. */
  hoursTo: number
  /** All days before this instant are rolled up, and their roll-ups no longer change. A whole day, in ms. */
  daysTo: number
  /**
   * Id of the write that stored this revision. If a write gets no response, the writer reads the document again and recognises its own
   * write by this id.
   */
  writer: string
}

export const RollUpStep = Type.Enum(['5m', '1h', '1d'])

/**
 * Returns buckets of one location's checks, or of the observations of one signal, which its slug names, or `<signal>@<location>`. The buckets cover the time from
 * `from`, rounded down to the step, to `to`, rounded up to the step. Returns at most `limits.rollUp.bucketsPerAnswer` buckets. Null: there
 * is no such subject or signal.
 */
export const GetRollUps = ask<RollUps | null>()({
  subjectId: Id,
  source: Type.Union([Strict({ location: LocationId }), Strict({ signal: SignalName })]),
  step: RollUpStep,
  from: Instant,
  to: Instant,
})

/**
 * A bucket with at least one report. Its numbers are durations of passed checks in ms, or values of observations. If the reports contain no
 * number, the statistics are null.
 */
export interface RollUpBucket {
  /** Start of the bucket, ms. */
  at: number
  count: number
  ok: number
  /** Number of reports that contain a number. */
  measured: number
  min: number | null
  mean: number | null
  max: number | null
  p95: number | null
  /** Maximum relative error of `p95`. */
  p95Error: number
}

export interface RollUps {
  /** Buckets in order; buckets without a report are omitted. */
  buckets: RollUpBucket[]
  /**
   * Instant in ms. Buckets from this instant on are missing in the response, because they lie in the future, or because too many
   * observations are not rolled up yet.
   */
  completeTo: number
}
