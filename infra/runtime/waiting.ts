// What a start waits for, as /readyz and the log say it. A start waits for a store that is slow or has no primary, and for a directory that
// waits for such a store, as long as that takes: a process that ends and starts again would only add to the load.
import { retry } from '#shared/async/retry.ts'
import { BusError } from '#shared/bus/port.ts'
import { AppError } from '#shared/errors.ts'
import { limits, second } from '#shared/limits/limits.ts'
import type { Logger } from '#shared/observability/logger.ts'
import { StoreError } from '#shared/store/port.ts'
import type { Clock } from '#shared/time/clock.ts'
import { startStep } from './start-error.ts'

export interface Waiting {
  /** Returns sentences about what the start is waiting for; empty: nothing, or not for long. */
  reasons(): string[]
  /** Returns the result of the first attempt that succeeds. Throws the error of an attempt for which `mayPass` returns false. */
  until<T>(awaited: Awaited, attempt: () => Promise<T>, mayPass: (error: unknown) => boolean): Promise<T>
  /**
   * Runs a step of the start that may be repeated, until a shared store has answered. Turns other errors, and those of the embedded store,
   * into a StartError.
   */
  storeStep<T>(run: () => Promise<T>): Promise<T>
  /**
   * Runs a step of the start that may be repeated, until a directory has answered and a process with a store has made the streams. Throws
   * other errors.
   */
  directoryStep<T>(run: () => Promise<T>): Promise<T>
}

/** What a start waits for. `pauseMs`: pause between two attempts. */
interface Awaited {
  /** For people. */
  what: string
  advice?: string
  pauseMs: number
}

export const awaitedStore: Awaited = { what: 'the store', pauseMs: limits.keeper.retryMsMax }
const awaitedDirectory: Awaited = {
  what: 'a directory',
  advice: 'Start a directory on the same bus, or correct NATS_URL.',
  pauseMs: limits.bus.reconnectMs,
}

export const isAway = (error: unknown): error is StoreError => error instanceof StoreError && error.kind !== 'permanent'

/** True if no directory responds, or if no process with a store has created the streams yet. */
const isDirectoryAway = (error: unknown): boolean =>
  error instanceof BusError || (error instanceof AppError && error.code === 'unavailable')

/** `isShared`: the store is a database server. */
export function createWaiting(clock: Clock, logger: Logger, isShared: boolean): Waiting {
  const reasons = new Set<string>()
  const { waitSaidMs, waitLogMs } = limits.start

  const until: Waiting['until'] = async ({ what, advice, pauseMs }, attempt, mayPass) => {
    const beganAt = clock.monotonic()
    const sentence = `It waits for ${what}.`
    let error: unknown = null
    const say = () => {
      reasons.add(sentence)
      const waitedSeconds = Math.round((clock.monotonic() - beganAt) / second)
      // The driver's error is its cause: it names addresses but no password.
      const reason = error instanceof Error ? { reason: error.message } : {}
      logger.warn({ for: what, waitedSeconds, ...reason, ...(advice ? { advice } : {}) }, 'start waits')
      cancel = clock.schedule(waitLogMs, say)
    }
    let cancel = clock.schedule(waitSaidMs, say)
    const onRetry = (latest: unknown) => {
      error = latest
    }
    try {
      const result = await retry(attempt, { clock, pauseMs: () => pauseMs, mayPass, onRetry })
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
    storeStep: run => startStep(() => until(awaitedStore, run, error => isShared && isAway(error))),
    directoryStep: run => until(awaitedDirectory, run, isDirectoryAway),
  }
}
