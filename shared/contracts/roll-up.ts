// Roll-ups: what is left of a subject's observations after they have expired, and what is read of them.
import { Type } from 'typebox'
import type { Stored } from '#shared/contracts/common.ts'
import { Id, Instant, LocationId, Slug } from '#shared/contracts/common.ts'

/**
 * One hour (twelve buckets of 5 minutes) or one day (24 buckets of an hour) of one location or signal; id: `rollUpId`.
 * Always computed anew from what it sums up, so writing it twice changes nothing.
 */
export interface RollUpDocument {
  id: string
  /** The packed buckets. */
  data: string
}

/** How far a partition is rolled up. id is the partition's key. */
export interface RollUpProgressDocument extends Stored {
  /** All hours before this instant have their rows; late reports may still be missing. Ms, a whole hour. */
  hoursTo: number
  /** All days before this instant are settled: their rows are final. Ms, a whole day. */
  daysTo: number
  /** Who wrote this revision, so that an unknown outcome is settled by asking again. */
  writer: string
}

export const RollUpStep = Type.Enum(['5m', '1h', '1d'])

/**
 * Buckets of one location's checks or of one signal's observations (its slug), from `from` (rounded down to the step) to before `to`
 * (rounded up); at most `limits.rollUp.bucketsPerAnswer` of them. Null where there is no such subject or signal.
 */
export const GetRollUps = Type.Object({
  subjectId: Id,
  source: Type.Union([
    Type.Object({ location: LocationId }, { additionalProperties: false }),
    Type.Object({ signal: Slug }, { additionalProperties: false }),
  ]),
  step: RollUpStep,
  from: Instant,
  to: Instant,
})

/**
 * A stretch with at least one report. Of checks the numbers are the total times of the passed ones, in ms; of observations their
 * values. The four numbers are null where nothing had one.
 */
export interface RollUpBucket {
  /** Its start, ms. */
  at: number
  count: number
  ok: number
  /** Reports with a number. */
  measured: number
  min: number | null
  mean: number | null
  max: number | null
  p95: number | null
  /** The relative error within which p95 is right. */
  p95Error: number
}

export interface RollUps {
  /** Stretches without a report are left out. */
  buckets: RollUpBucket[]
  /** Ms; buckets from here on are not in the answer: they lie ahead, or too much is not rolled up yet to be read at once. */
  completeTo: number
}
