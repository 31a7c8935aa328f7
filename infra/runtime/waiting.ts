// What a start waits for, as /readyz and the log say it. A start waits for a store that is slow or has no primary as long as that takes: a
// process that ends and starts again would only add to its load.
import { retry } from '#shared/async/retry.ts'
import { limits, second } from '#shared/limits/limits.ts'
import type { Logger } from '#shared/observability/logger.ts'
import { StoreError } from '#shared/store/port.ts'
import type { Clock } from '#shared/time/clock.ts'
import { startStep } from './start-error.ts'

export interface Waiting {
  /** Returns sentences about what the start is waiting for; empty: nothing, or not for long. */
  reasons(): string[]
  /**
   * Returns the result of the first attempt that succeeds. Throws the error of an attempt for which `mayPass` returns false. `what`: what the
   * attempts need, for people.
   */
  until<T>(what: string, attempt: () => Promise<T>, mayPass: (error: unknown) => boolean): Promise<T>
  /**
   * Runs a step of the start that may be repeated, until a shared store has answered. Turns other errors, and those of the embedded store,
   * into a StartError.
   */
  storeStep<T>(run: () => Promise<T>): Promise<T>
}

export const isAway = (error: unknown): error is StoreError => error instanceof StoreError && error.kind !== 'permanent'

/** `isShared`: the store is a database server. */
export function createWaiting(clock: Clock, logger: Logger, isShared: boolean): Waiting {
  const reasons = new Set<string>()
  const { waitSaidMs, waitLogMs } = limits.start

  const until: Waiting['until'] = async (what, attempt, mayPass) => {
    const beganAt = clock.monotonic()
    const sentence = `It waits for ${what}.`
    let error: unknown = null
    const say = () => {
      reasons.add(sentence)
      const waitedSeconds = Math.round((clock.monotonic() - beganAt) / second)
      // The driver's error is its cause: it names addresses but no password.
      logger.warn({ for: what, waitedSeconds, ...(error instanceof Error ? { reason: error.message } : {}) }, 'start waits')
      cancel = clock.schedule(waitLogMs, say)
    }
    let cancel = clock.schedule(waitSaidMs, say)
    const onRetry = (latest: unknown) => {
      error = latest
    }
    try {
      const result = await retry(attempt, { clock, pauseMs: () => limits.keeper.retryMsMax, mayPass, onRetry })
      if (reasons.has(sentence)) logger.info({ for: what }, 'start goes on')
      return result
    } finally {
      cancel()
      reasons.delete(sentence)
    }
  }
  return {
    reasons: () => [...reasons],
    until,
    storeStep: run => startStep(() => until('the store', run, error => isShared && isAway(error))),
  }
}
