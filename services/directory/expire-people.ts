// Sessions and counted sign-ins past their time are removed, where the store does not do that by itself. They count for nothing
// already: this only frees the space, and any number of processes may do it.
import type { Cancel, Clock } from '#shared/clock.ts'
import { limits } from '#shared/limits.ts'
import type { Logger } from '#shared/logger.ts'
import type { Store } from '#shared/store/port.ts'

/** Answers a function that stops it. */
export function startExpiring(store: Store, clock: Clock, logger: Logger): Cancel {
  const { expireMs, expireSlice } = limits.directory
  const expire = async () => {
    await store.expire('sessions', clock.now(), expireSlice)
    await store.expire('signInTries', clock.now(), expireSlice)
  }
  let cancel: Cancel = () => undefined
  let stopped = false
  const again = () => {
    if (stopped) return
    cancel = clock.after(expireMs, () => {
      void expire()
        .catch(error => logger.warn({ err: error }, 'expired sessions could not be removed'))
        .then(again)
    })
  }
  again()
  return () => {
    stopped = true
    cancel()
  }
}
