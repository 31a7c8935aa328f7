// Pause after a failed attempt, with jitter, so that the retries of many messages are spread.

import { limits } from '#shared/limits/limits.ts'
import { fromBase62, randomId } from '#shared/text/ids.ts'

const { retryMs, retryMsMax } = limits.notifier

/**
 * Returns the pause after the `attempt`-th attempt (from 1), ms. The pause doubles with each attempt, and `jitter` (0 to 1) shortens it by
 * up to a half. If the receiver requested a longer pause, returns the requested pause. No pause is longer than limits.notifier.retryMsMax.
 */
export function retryDelay(attempt: number, jitter: number, retryAfterMs: number | null): number {
  const full = Math.min(retryMs * 2 ** Math.min(attempt - 1, 30), retryMsMax)
  const own = Math.round(full * (1 - jitter / 2))
  return Math.min(Math.max(own, retryAfterMs ?? 0), retryMsMax)
}

const digits = 4

export const systemJitter = (): number => fromBase62(randomId(digits)) / 62 ** digits
