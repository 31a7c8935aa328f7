// Keeps the bus told of who is revoked: at the start, when it was away, after each revocation, and again where it did not take it.
import type { Bus } from '#shared/bus/port.ts'
import type { ProberIssuer } from '#shared/bus/prober-issuer.ts'
import type { Cancel, Clock } from '#shared/clock.ts'
import { limits } from '#shared/limits.ts'
import type { Logger } from '#shared/logger.ts'
import type { Store } from '#shared/store/port.ts'
import { revocations } from './prober-credentials.ts'

export interface Announcer {
  issuer: ProberIssuer
  /** Resolves when the bus knows all revocations that the store had before; rejects (BusError, StoreError) where it does not. */
  announce(): Promise<void>
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
    cancelRetry = clock.after(limits.prober.announceRetryMs, () => {
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
    stop: () => {
      stopped = true
      cancelRetry?.()
      stopListening()
    },
  }
}

/**
 * What is announced replaces what was. Two directories may announce at once, so whoever has announced looks whether the store has
 * more by now: the last to announce has announced all.
 */
async function tell(store: Store, issuer: ProberIssuer): Promise<void> {
  let told = await revocations(store)
  for (let i = 0; i < limits.directory.guardedTries; i++) {
    await issuer.announce(told)
    const present = await revocations(store)
    if (Object.keys(present).length === Object.keys(told).length) return
    told = present
  }
}
