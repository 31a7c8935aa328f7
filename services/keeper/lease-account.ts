// The part of a lease beside its holder: whether reports to its partition were taken. Every renewal writes it. The next holder copies it, so that
// a keeper that dies before it knows better leaves the account that it found (ADR 22). Pure.
import type { SilenceNotes } from '#shared/contracts/silence.ts'
import type { Precedent } from './silence.ts'

export interface Account {
  /** Absent: reports were taken and no silence was held back. Null: nobody knows. */
  silence?: SilenceNotes | null
  /** When it stood so, on the bus's clock, ms; absent: when the lease was written. */
  asOf?: number
}

export interface Lease extends Account {
  holder?: string | null
  /** Given up to this keeper. */
  heir?: string | null
}

/** As a keeper finds it that takes the lease; undefined: there was none. */
export const accountFound = (seen: { account: Account; at: number } | undefined): Account =>
  seen === undefined ? { silence: null } : { silence: {}, asOf: seen.at, ...seen.account }

/** As a holder writes it; `notes` null: it knows no more than it has found. */
export function accountNow(notes: SilenceNotes | null, found: Account): Account {
  if (notes === null) return found
  return Object.keys(notes).length === 0 ? {} : { silence: notes }
}

/** The account as the keeper reads it that took the lease at `at`, on the bus's clock; null: there is none. */
export const precedentOf = ({ silence, asOf }: Account, at: number): Precedent | null =>
  silence && asOf !== undefined ? { vacantMs: Math.max(0, at - asOf), notes: silence } : null
