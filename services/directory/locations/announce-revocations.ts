// Announces to the bus which locations have credentials and which credentials are revoked: at the start, after a reconnect, after each
// change, and again after a failure.
import type { Bus } from '#shared/bus/port.ts'
import type { Announced, ProberIssuer } from '#shared/bus/probers/prober-issuer.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Logger } from '#shared/observability/logger.ts'
import type { Store } from '#shared/store/port.ts'
import type { Cancel, Clock } from '#shared/time/clock.ts'
import { announced } from './announced.ts'

export interface Announcer {
  issuer: ProberIssuer
  /** Resolves when the bus knows all credentials and revocations that the store had before; rejects (BusError, StoreError) where it does not. */
  announce(): Promise<void>
  /** Removes consumers that no process of this installation reads through, which a revoked prober may have made. Best effort. */
  removeForeignConsumers(): Promise<void>
  stop(): void
}

interface Options {
  issuer: ProberIssuer
  store: Store
  bus: Pick<Bus, 'onConnection'>
  clock: Clock
  logger: Logger
}

export function createAnnouncer({ issuer, store, bus, clock, logger }: Options): Announcer {
  let cancelRetry: Cancel | null = null
  let stopped = false

  /** The announcement on its way, and the one after it, which all share that ask meanwhile: it reads what they have stored. */
  let current: Promise<void> | null = null
  let following: Promise<void> | null = null

  const announce = () => {
    if (following !== null) return following
    if (current === null) return begin()
    following = current.catch(() => undefined).then(begin)
    return following
  }
  const begin = () => {
    following = null
    current = tell(store, issuer)
      .catch(error => {
        retry(error)
        throw error
      })
      .finally(() => {
        current = null
      })
    return current
  }
  const inBackground = () => {
    if (!stopped) announce().catch(() => undefined)
  }
  const retry = (error: unknown) => {
    if (stopped || cancelRetry !== null) return
    logger.warn({ err: error }, 'revocations could not be announced')
    cancelRetry = clock.schedule(limits.prober.announceRetryMs, () => {
      cancelRetry = null
      inBackground()
    })
  }
  const stopListening = bus.onConnection(connected => {
    if (connected) inBackground()
  })
  inBackground()
  return {
    issuer,
    announce,
    removeForeignConsumers: async () => {
      try {
        const removed = await issuer.removeForeignConsumers()
        if (removed > 0) logger.warn({ removed }, 'consumers removed from the bus that no process of ours made')
      } catch (error) {
        logger.warn({ err: error }, 'consumers that no process of ours made could not be removed')
      }
    },
    stop: () => {
      stopped = true
      cancelRetry?.()
      stopListening()
    },
  }
}

/**
 * Announces all credentials; each announcement replaces the one before. Two directories may announce at once, so each looks afterwards
 * whether the store has more by now: the last one has announced all.
 */
async function tell(store: Store, issuer: ProberIssuer): Promise<void> {
  let told = await announced(store)
  for (let i = 0; i < limits.directory.guardedTries; i++) {
    await issuer.announce(told)
    const present = await announced(store)
    if (countOf(present) === countOf(told)) return
    told = present
  }
}

/** Locations and revocations are never taken back. */
const countOf = (all: Announced): number => Object.values(all).reduce((sum, revoked) => sum + 1 + Object.keys(revoked).length, 0)
