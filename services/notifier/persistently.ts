// Repeats a store call whose outcome is unknown. Only for calls that may be repeated: reads, and puts that settle by writer.
import type { Clock } from '#shared/clock.ts'
import { limits } from '#shared/limits.ts'
import { StoreError } from '#shared/store/port.ts'

/** Rejects with the last error after limits.notifier.storeTries, and at once with an error that repeating cannot mend. */
export async function persistently<T>(clock: Clock, call: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await call()
    } catch (error) {
      const mayPass = error instanceof StoreError && error.kind === 'unavailable'
      if (!mayPass || tried >= limits.notifier.storeTries) throw error
    }
    const pauseMs = limits.notifier.storeRetryMs * 2 ** (tried - 1)
    await new Promise<void>(resolve => void clock.after(pauseMs, resolve))
  }
}
