// Notes on silence in a lease: they say whether the partition accepted reports. Each renewal writes the notes; the next holder copies them
// (ADR 22). Pure.
import type { SilenceNotes } from '#shared/contracts/observations/silence.ts'
import type { Precedent } from '../partition/silence.ts'

export interface Account {
  /** Notes on silence. If the notes are absent, reports were accepted and no silence was held back. Null: unknown. */
  silence?: SilenceNotes | null
  /**
   * Instant to which the notes refer, ms on the bus's clock. If it is absent, the notes refer to the instant at which the lease was
   * written.
   */
  asOf?: number
}

export interface Lease extends Account {
  holder?: string | null
  /** Id of the keeper for which the holder gave up the lease. */
  successor?: string | null
}

/** Returns the notes that a new holder finds in the lease. `seen` is undefined if the partition had no lease. */
export const accountFound = (seen: { account: Account; at: number } | undefined): Account =>
  seen === undefined ? { silence: null } : { silence: {}, asOf: seen.at, ...seen.account }

/** Returns the notes that the holder writes into the lease. If `notes` is null, the holder writes the notes that it found in the lease. */
export function accountNow(notes: SilenceNotes | null, found: Account): Account {
  if (notes === null) return found
  return Object.keys(notes).length === 0 ? {} : { silence: notes }
}

/** Returns the state of silence before the keeper took the lease at `at` (bus clock); null: the lease has no notes. */
export const precedentOf = ({ silence, asOf }: Account, at: number): Precedent | null =>
  silence && asOf !== undefined ? { vacantMs: Math.max(0, at - asOf), notes: silence } : null

/** A lease that this keeper holds. */
export interface Held {
  revision: number
  renewedAt: number
  /** Notes on silence that this keeper found when it took the lease. */
  found: Account
}

/** A lease as the bucket showed it last. */
export interface Seen {
  revision: number
  holder: string | null
  /** Id of the keeper for which the lease was given up. For a short time, only that keeper takes the lease. */
  successor: string | null
  /**
   * Instant at which this process received this revision of the lease, on the monotonic clock. `heardAt`: the same instant on the clock of
   * `HeardTime`.
   */
  since: number
  heardAt: number
  account: Account
  /** Instant at which this revision of the lease was written, on the bus's clock, ms. */
  at: number
}
