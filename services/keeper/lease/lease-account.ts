// Account of silence in a lease: whether its partition accepted reports. Renewals write it, the next holder copies it (ADR 22). Pure.
import type { SilenceNotes } from '#shared/contracts/observations/silence.ts'
import type { Precedent } from '../partition/silence.ts'

export interface Account {
  /** Notes on silence. Absent: reports were accepted and no silence was held back. Null: unknown. */
  silence?: SilenceNotes | null
  /** Instant for which the notes hold, on the bus's clock, ms; absent: the instant at which the lease was written. */
  asOf?: number
}

export interface Lease extends Account {
  holder?: string | null
  /** Id of the keeper for which the holder gave up the lease. */
  successor?: string | null
}

/** Returns the account in a lease as its new holder reads it; undefined: the partition had no lease. */
export const accountFound = (seen: { account: Account; at: number } | undefined): Account =>
  seen === undefined ? { silence: null } : { silence: {}, asOf: seen.at, ...seen.account }

/** Returns the account that the holder writes. `notes` null: the account that the holder found in the lease. */
export function accountNow(notes: SilenceNotes | null, found: Account): Account {
  if (notes === null) return found
  return Object.keys(notes).length === 0 ? {} : { silence: notes }
}

/** Returns the precedent for the keeper that took the lease at `at` (bus clock); null: the lease has no account. */
export const precedentOf = ({ silence, asOf }: Account, at: number): Precedent | null =>
  silence && asOf !== undefined ? { vacantMs: Math.max(0, at - asOf), notes: silence } : null
