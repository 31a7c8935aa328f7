// Announcement of prober credentials to the bus: which locations have credentials, and which credentials are revoked. A directory makes the
// announcement at its start, after a reconnect and after each change, and retries it after a failure.
import type { Bus } from '#shared/bus/port.ts'
import type { Announced, ProberIssuer } from '#shared/bus/probers/prober-issuer.ts'
import type { ProberCredentialDocument } from '#shared/contracts/account.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Logger } from '#shared/observability/logger.ts'
import type { Store } from '#shared/store/port.ts'
import type { Cancel, Clock } from '#shared/time/clock.ts'

export interface Announcer {
  issuer: ProberIssuer
  /** Resolves when the bus has all credentials and revocations that were stored before the call. Rejects with BusError or StoreError. */
  announce(): Promise<void>
  /** Removes all bus consumers that this installation did not create, because a revoked prober may have created them. Best effort. */
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

  /**
   * `current`: the running announcement. `following`: the announcement after it. A call during an announcement waits for `following`,
   * because only `following` reads the store after the call.
   */
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
    current = announceAll(store, issuer)
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
 * Announces all credentials. An announcement replaces the previous one. Two directories may announce at the same time, so a directory reads
 * the store again after its announcement. If the store now has more credentials or revocations, the directory announces again. Thus the
 * last announcement is complete.
 */
async function announceAll(store: Store, issuer: ProberIssuer): Promise<void> {
  let sent = await announced(store)
  for (let i = 0; i < limits.directory.guardedTries; i++) {
    await issuer.announce(sent)
    const present = await announced(store)
    if (countOf(present) === countOf(sent)) return
    sent = present
  }
}

/** Returns all stored credentials, including revoked ones. */
export const allCredentials = (store: Store): Promise<ProberCredentialDocument[]> =>
  store.find('proberCredentials', { limit: limits.prober.credentials + limits.directory.listed })

/** Returns the locations with credentials. For each location: the instants of its revocations, ms since the epoch, by public key. */
async function announced(store: Store): Promise<Announced> {
  const locations: Record<string, Record<string, number>> = {}
  for (const { locationId, publicKey, revokedAt } of await allCredentials(store)) {
    const revoked = locations[locationId] ?? {}
    if (revokedAt !== null) revoked[publicKey] = revokedAt
    locations[locationId] = revoked
  }
  return locations
}

/**
 * Returns the number of locations plus the number of revocations. This sum never decreases, because neither locations nor revocations are
 * removed.
 */
const countOf = (all: Announced): number => Object.values(all).reduce((sum, revoked) => sum + 1 + Object.keys(revoked).length, 0)
