// Judgement of pings, with its words. Pure.
import type { IcmpAnswers } from './fields.ts'

/** Reasons why a prober cannot ping. */
export const withoutPing = {
  notPermitted: 'this prober may not ping (net.ipv4.ping_group_range)',
  notSupported: 'this prober cannot ping on its system',
} as const

/**
 * Returns the fault of a check with this number of replies, as a sentence; null: they are enough. A ping without a reply is lost. How long
 * the replies took is not judged here.
 */
export function judgePings({ count, max_lost }: Pick<IcmpAnswers, 'count' | 'max_lost'>, replies: number): string | null {
  if (replies >= Math.max(1, count - max_lost)) return null
  return replies === 0 ? `no reply to ${count} ${count === 1 ? 'ping' : 'pings'}` : `${count - replies} of ${count} pings lost`
}
