// Faults of a certificate's dates as sentences for people. Pure. Instants in ms since the epoch.
import { humanDays } from '#shared/time/durations.ts'

/** `validTo` is before `now`. */
export const expired = (validTo: number, now: number): string => `certificate expired ${humanDays(now - validTo)} ago`

export const notYetValid = (validFrom: number): string => `certificate is not valid before ${dayOf(validFrom)}`

export const chainExpired = 'a certificate of the chain has expired'

/** Returns the day of an instant, as `2026-12-10`. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
