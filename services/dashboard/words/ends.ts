// Words for what ends that the checks of a monitor watch, such as a certificate.
import { counted } from '../data/format.ts'

/** What ends, and when: as generation 3 says it in its figures (v3 13.1). */
export interface Ending {
  what: string
  /** RFC 3339. */
  at: string
}

const dayMs = 86_400_000

/** Returns a text such as `certificate ends in 61 days`. */
export function endWords({ what, at }: Ending, now: number): string {
  const days = Math.floor((Date.parse(at) - now) / dayMs)
  if (days < 0) return `${what} has ended`
  return `${what} ends ${days === 0 ? 'within a day' : `in ${counted(days, 'day')}`}`
}
