// Retries a store call whose outcome is unknown. Only for calls that may be repeated: reads, and puts that settle by writer.
import { doubled, retry } from '#shared/async/retry.ts'
import { limits } from '#shared/limits/limits.ts'
import { StoreError } from '#shared/store/port.ts'
import type { Clock } from '#shared/time/clock.ts'

/** Rejects with the last error after limits.notifier.storeTries, and at once with an error that a retry cannot mend. */
export const retryStoreCall = <T>(clock: Clock, call: () => Promise<T>): Promise<T> =>
  retry(call, {
    clock,
    attempts: limits.notifier.storeTries,
    pauseMs: doubled(limits.notifier.storeRetryMs),
    mayPass: error => error instanceof StoreError && error.kind === 'unavailable',
  })
