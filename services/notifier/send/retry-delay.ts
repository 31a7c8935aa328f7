// How long to wait after a failed attempt. Pure; the share of jitter is handed in.

import { limits } from '#shared/limits/limits.ts'
import { fromBase62, randomId } from '#shared/text/ids.ts'

const { retryMs, retryMsMax } = limits.notifier

/**
 * The pause after the `attempt`-th attempt (from 1), ms: doubled each time, with up to a half of it taken off by `jitter`
 * (0 to 1). A longer wish of the receiver wins, but nothing is longer than limits.notifier.retryMsMax.
 */
export function retryDelay(attempt: number, jitter: number, retryAfterMs: number | null): number {
  const full = Math.min(retryMs * 2 ** Math.min(attempt - 1, 30), retryMsMax)
  const own = Math.round(full * (1 - jitter / 2))
  return Math.min(Math.max(own, retryAfterMs ?? 0), retryMsMax)
}

const digits = 4

export const systemJitter = (): number => fromBase62(randomId(digits)) / 62 ** digits
