// Removal of expired sessions, invitations, sign-in counters and audit rows, for stores that do not remove them by themselves. Expired documents are
// never read, so removal only frees space. Several processes may remove documents at the same time.
import { repeat } from '#shared/async/repeat.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Logger } from '#shared/observability/logger.ts'
import type { Store } from '#shared/store/port.ts'
import type { Cancel, Clock } from '#shared/time/clock.ts'

const { expireMs, expireSlice } = limits.directory

/** Starts the removal. Returns a function that stops it. */
export function startExpiring(store: Store, clock: Clock, logger: Logger): Cancel {
  const onError = (error: unknown) => logger.warn({ err: error }, 'expired documents could not be removed')
  const repeats = [
    repeat({ clock, everyMs: expireMs, onError }, async () => {
      await store.expire('sessions', clock.now(), expireSlice)
      await store.expire('invitations', clock.now(), expireSlice)
      await store.expire('signInTries', clock.now(), expireSlice)
    }),
    repeat({ clock, everyMs: expireMs, onError }, async () => {
      const removed = await store.expire('server_api_audit', clock.now(), limits.audit.expireSlice)
      return removed < limits.audit.expireSlice ? expireMs : limits.audit.expireSliceMs
    }),
  ]
  return () => {
    for (const repeated of repeats) void repeated.stop()
  }
}
