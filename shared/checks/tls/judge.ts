// Judgement of the dates of a certificate and of its chain. Pure. Reference: docs/reference/v3.md, 3.15.
import { day } from '#shared/limits/limits.ts'
import { humanDays } from '#shared/time/durations.ts'
import { chainExpired, dayOf, expired, notYetValid } from '../certificate-words.ts'
import type { TlsAnswers } from './fields.ts'

/** When a certificate is valid, ms since the epoch. */
export interface Dates {
  validFrom: number
  validTo: number
}

/** Returns the fault as a sentence; null: there is none. `path`: the server's certificate, then those that vouch for it, without the anchor. */
export function judgeDates({ days }: Pick<TlsAnswers, 'days'>, path: readonly [Dates, ...Dates[]], now: number): string | null {
  const [own, ...chain] = path
  if (own.validTo < now) return expired(own.validTo, now)
  if (own.validFrom > now) return notYetValid(own.validFrom)
  if (endsSoon(own, days, now)) return `certificate ${endWords(own, now)}`
  const first = chain.find(dates => endsSoon(dates, days, now))
  if (first === undefined) return null
  return first.validTo < now ? chainExpired : `a certificate of the chain ${endWords(first, now)}`
}

/** Whoever renews early enough has a third of the lifetime left, however short it is, and a quarter of a year is too early to say anything. */
const endsSoon = ({ validFrom, validTo }: Dates, days: number, now: number): boolean =>
  validTo - now < Math.min(days * day, (validTo - validFrom) / 4)

const endWords = ({ validTo }: Dates, now: number): string => `ends in ${humanDays(validTo - now)}, on ${dayOf(validTo)}`

/** Returns the days until the certificate ends, at most two decimals; negative after it. */
export const daysLeft = (validTo: number, now: number): number => Math.round(((validTo - now) / day) * 100) / 100
