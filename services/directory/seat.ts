// Seat of a directory in the queue of requests. A directory whose store does not respond leaves the queue, so that directories that have the
// store get all requests. Without this, half of the requests would fail for as long as one of two directories is cut off from the store.
import { repeat } from '#shared/async/repeat.ts'
import type { Subscription } from '#shared/bus/port.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Logger } from '#shared/observability/logger.ts'
import type { Store } from '#shared/store/port.ts'
import type { Clock } from '#shared/time/clock.ts'

const { storeAskMs, storeSilentMs } = limits.directory

export interface SeatOptions {
  store: Pick<Store, 'ping'>
  clock: Clock
  logger: Logger
  /** False: no other directory can run, so the seat is kept while the store is silent. */
  hasPeers: boolean
  /** Begins to serve requests; `close` of the subscription waits for the running ones. */
  serve(): Promise<Subscription>
}

export interface Seat {
  /** True while this directory gets requests. */
  isTaken(): boolean
  /** Leaves the queue for good. Resolves when all running requests have ended. */
  stop(): Promise<void>
}

/**
 * Resolves when the directory serves requests. If it has peers, it then asks the store each second, and leaves the queue while the store has
 * been silent for more than `limits.directory.storeSilentMs`.
 */
export async function takeSeat({ store, clock, logger, hasPeers, serve }: SeatOptions): Promise<Seat> {
  let subscription: Subscription | null = await serve()
  const leavings = new Set<Promise<void>>()
  let answeredAt = clock.monotonic()
  let lookedAt = answeredAt
  let isAsking = false

  const ask = async () => {
    if (isAsking) return
    isAsking = true
    const askedAt = clock.monotonic()
    try {
      await store.ping()
      answeredAt = Math.max(answeredAt, askedAt)
    } catch {
      // The time since the last response decides.
    } finally {
      isAsking = false
    }
  }
  const leave = (seat: Subscription) => {
    subscription = null
    const leaving = seat.close().catch(error => logger.warn({ err: error }, 'queue of requests not left'))
    leavings.add(leaving)
    void leaving.finally(() => leavings.delete(leaving))
  }
  const look = async () => {
    const now = clock.monotonic()
    // A pause of this process is no silence of the store.
    if (now - lookedAt > storeSilentMs) answeredAt = now
    lookedAt = now
    void ask()
    const isSilent = now - answeredAt > storeSilentMs
    if (isSilent && subscription !== null) {
      leave(subscription)
      logger.warn('the store does not respond: other directories get the requests')
    } else if (!isSilent && subscription === null) {
      subscription = await serve()
      logger.info('the store responds again: requests are served')
    }
  }
  const onError = (error: unknown) => logger.warn({ err: error }, 'queue of requests not entered')
  const looking = hasPeers ? repeat({ clock, everyMs: storeAskMs, onError }, look) : null
  void looking?.soon()
  return {
    isTaken: () => subscription !== null,
    stop: async () => {
      await looking?.stop()
      if (subscription !== null) leave(subscription)
      await Promise.all(leavings)
    },
  }
}
