// Roll-ups: counts and statistics of observations, which stay after the observations have expired, and the request that reads them.
import { Type } from 'typebox'
import { ask, Id, Instant, LocationId, Slug, type Stored, Strict } from '#shared/contracts/common.ts'

/**
 * Roll-up of one hour (twelve buckets of 5 minutes) or one day (24 buckets of an hour) of one location or signal. id: `rollUpId`. Always
 * computed anew from its observations, so writing it twice changes nothing.
 */
export interface RollUpDocument {
  id: string
  /** Packed buckets. */
  data: string
}

/** Progress of a partition's roll-ups. id: key of the partition. */
export interface RollUpProgressDocument extends Stored {
  /** All hours before this instant have rows; late reports may still be missing. Ms, a whole hour. */
  hoursTo: number
  /** The rows of all days before this instant are final. Ms, a whole day. */
  daysTo: number
  /** Id of the write of this revision, by which a retry recognises its own write after an unknown outcome. */
  writer: string
}

export const RollUpStep = Type.Enum(['5m', '1h', '1d'])

/**
 * Returns buckets of one location's checks or of one signal's observations (by its slug). They reach from `from` (rounded down to the step)
 * to before `to` (rounded up), at most `limits.rollUp.bucketsPerAnswer`. Null: no such subject or signal.
 */
export const GetRollUps = ask<RollUps | null>()({
  subjectId: Id,
  source: Type.Union([Strict({ location: LocationId }), Strict({ signal: Slug })]),
  step: RollUpStep,
  from: Instant,
  to: Instant,
})

/** A bucket with a report. Numbers are durations of passed checks in ms, or values; without numbers the statistics are null. */
export interface RollUpBucket {
  /** Start of the bucket, ms. */
  at: number
  count: number
  ok: number
  /** Number of reports with a number. */
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
  /** Ms; the response contains no buckets from this instant on: they lie in the future, or too many observations are not rolled up yet. */
  completeTo: number
}
