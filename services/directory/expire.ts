// Sessions, counted sign-ins and audit rows past their time are removed if the store does not do that by itself. Nobody reads them any
// more: this only frees the space, and any number of processes may do it.
import type { Cancel, Clock } from '#shared/clock.ts'
import { limits } from '#shared/limits.ts'
import type { Logger } from '#shared/logger.ts'
import type { Store } from '#shared/store/port.ts'

const { expireMs, expireSlice } = limits.directory

/** Returns a function that stops it. */
export function startExpiring(store: Store, clock: Clock, logger: Logger): Cancel {
  const stops = [
    repeat(clock, logger, async () => {
      await store.expire('sessions', clock.now(), expireSlice)
      await store.expire('signInTries', clock.now(), expireSlice)
      return expireMs
    }),
    repeat(clock, logger, async () => {
      const removed = await store.expire('server_api_audit', clock.now(), expireSlice)
      return removed < expireSlice ? expireMs : limits.audit.expireSliceMs
    }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

/** Runs `expire`, which returns after how many ms it is to run again. After a failure it runs again at the usual time. */
function repeat(clock: Clock, logger: Logger, expire: () => Promise<number>): Cancel {
  let cancel: Cancel = () => undefined
  let stopped = false
  const again = (delayMs: number) => {
    if (stopped) return
    cancel = clock.after(delayMs, () => {
      void expire()
        .catch(error => {
          logger.warn({ err: error }, 'expired documents could not be removed')
          return expireMs
        })
        .then(again)
    })
  }
  again(expireMs)
  return () => {
    stopped = true
    cancel()
  }
}
