// Whose token is it? Remembers what the directory answered, by token hash, for a short time and within bounds, so that a hot request
// asks nobody. A revocation makes it forget at once; being cut off from the bus, where no revocation arrives, makes it forget all.
import { hashToken, looksLikeToken } from '#shared/api-token.ts'
import type { Bus } from '#shared/bus/port.ts'
import { keys, parseKeyRevocation } from '#shared/bus/subjects.ts'
import type { Clock } from '#shared/clock.ts'
import type { Identity } from '#shared/contracts/ask.ts'
import { limits } from '#shared/limits.ts'

export interface Identities {
  /** The identity where it is known without asking, and not expired. */
  known(token: string): Identity | null
  /** Asks where needed. Null: unknown, deleted or expired. Rejects with an AppError where the directory does not answer. */
  find(token: string): Promise<Identity | null>
  close(): Promise<void>
}

interface Remembered {
  identity: Identity
  /** On the monotonic clock. */
  until: number
}

type Ask = (tokenHash: string) => Promise<Identity | null>

/** Resolves once revocations are heard. */
export async function createIdentities(bus: Bus, clock: Clock, ask: Ask): Promise<Identities> {
  const remembered = new Map<string, Remembered>()
  const hashes = new Map<string, Set<string>>()
  const asking = new Map<string, Promise<Identity | null>>()
  /** Counts what made answers stale; an answer asked for before the latest count is asked for again. */
  let revocations = 0

  const forget = (tokenHash: string) => {
    const keyId = remembered.get(tokenHash)?.identity.keyId
    remembered.delete(tokenHash)
    if (keyId !== undefined) hashes.delete(keyId)
  }
  const revoke = (keyId: string) => {
    revocations++
    for (const tokenHash of hashes.get(keyId) ?? []) forget(tokenHash)
  }
  const remember = (tokenHash: string, identity: Identity) => {
    const oldest = remembered.keys().next().value
    if (remembered.size >= limits.key.cached && oldest !== undefined) forget(oldest)
    remembered.set(tokenHash, { identity, until: clock.monotonic() + limits.key.cacheMs })
    hashes.set(identity.keyId, new Set([tokenHash]))
  }
  const askAfresh = async (tokenHash: string): Promise<Identity | null> => {
    for (let i = 0; ; i++) {
      const before = revocations
      const identity = await ask(tokenHash)
      if (identity === null) return null
      if (before === revocations) remember(tokenHash, identity)
      if (before === revocations || i === 1) return identity
    }
  }
  const usable = (identity: Identity) => identity.expiresAt > clock.now()
  const knownByHash = (tokenHash: string): Identity | null => {
    const found = remembered.get(tokenHash)
    if (found === undefined) return null
    if (clock.monotonic() < found.until && usable(found.identity)) return found.identity
    forget(tokenHash)
    return null
  }

  const subscription = await bus.bucket('revocations').watch(keys.allKeyRevocations, {
    onEntry: entry => revoke(parseKeyRevocation(entry.key) ?? ''),
  })
  const forgetConnection = bus.onConnection(connected => {
    if (connected) return
    revocations++
    remembered.clear()
    hashes.clear()
  })
  return {
    known: token => (looksLikeToken(token) ? knownByHash(hashToken(token)) : null),
    find: async token => {
      if (!looksLikeToken(token)) return null
      const tokenHash = hashToken(token)
      const known = knownByHash(tokenHash)
      if (known) return known
      const running = asking.get(tokenHash) ?? askAfresh(tokenHash).finally(() => asking.delete(tokenHash))
      asking.set(tokenHash, running)
      const identity = await running
      return identity && usable(identity) ? identity : null
    },
    close: async () => {
      forgetConnection()
      await subscription.close()
    },
  }
}
