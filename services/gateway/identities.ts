// Whose token is it? Remembers what the directory answered, by token hash, for a short time and within bounds, so that a hot request
// asks nobody. A revocation makes it forget at once; being cut off from the bus, where no revocation arrives, makes it forget all.
import type { Bus } from '#shared/bus/port.ts'
import { keys, parseRevocation, type Revoked } from '#shared/bus/subjects.ts'
import type { Clock } from '#shared/clock.ts'
import type { Identity } from '#shared/contracts/ask.ts'
import { limits } from '#shared/limits.ts'

export interface Identities {
  /** The identity where it is known without asking, and not expired. */
  known(tokenHash: string): Identity | null
  /** Asks where needed. Null: unknown, deleted or expired. Rejects with an AppError where the directory does not answer. */
  find(tokenHash: string): Promise<Identity | null>
  close(): Promise<void>
}

type Ask = (tokenHash: string) => Promise<Identity | null>

/** Resolves once revocations are heard. */
export async function createIdentities(bus: Bus, clock: Clock, ask: Ask): Promise<Identities> {
  const memory = createMemory(clock)
  const asking = new Map<string, Promise<Identity | null>>()
  const askAfresh = async (tokenHash: string): Promise<Identity | null> => {
    for (let i = 0; ; i++) {
      const before = memory.revocations()
      const identity = await ask(tokenHash)
      if (identity === null) return null
      if (before === memory.revocations()) memory.remember(tokenHash, identity)
      if (before === memory.revocations() || i === 1) return identity
    }
  }
  const subscription = await bus.bucket('revocations').watch(keys.allRevocations, {
    onEntry: entry => memory.revoke(parseRevocation(entry.key)),
  })
  const forgetConnection = bus.onConnection(connected => {
    if (!connected) memory.forgetAll()
  })
  return {
    known: memory.known,
    find: async tokenHash => {
      const known = memory.known(tokenHash)
      if (known) return known
      const running = asking.get(tokenHash) ?? askAfresh(tokenHash).finally(() => asking.delete(tokenHash))
      asking.set(tokenHash, running)
      const identity = await running
      return identity && identity.expiresAt > clock.now() ? identity : null
    },
    close: async () => {
      forgetConnection()
      await subscription.close()
    },
  }
}

interface Memory {
  known(tokenHash: string): Identity | null
  remember(tokenHash: string, identity: Identity): void
  revoke(revoked: { what: Revoked; id: string } | null): void
  forgetAll(): void
  /** Counts what made answers stale; an answer asked for before the latest count is asked for again. */
  revocations(): number
}

function createMemory(clock: Clock): Memory {
  /** `until` is on the monotonic clock. */
  const remembered = new Map<string, { identity: Identity; until: number }>()
  /** Token hashes by what a revocation of them names: their key, or their user. */
  const named = new Map<string, Set<string>>()
  let revocations = 0
  const namesOf = ({ keyId, userId }: Identity) => [keys.revocation('key', keyId), keys.revocation('user', userId)]
  const forget = (tokenHash: string) => {
    const found = remembered.get(tokenHash)
    remembered.delete(tokenHash)
    for (const name of found ? namesOf(found.identity) : []) {
      const hashes = named.get(name)
      hashes?.delete(tokenHash)
      if (hashes?.size === 0) named.delete(name)
    }
  }
  return {
    known: tokenHash => {
      const found = remembered.get(tokenHash)
      if (found === undefined) return null
      if (clock.monotonic() < found.until && found.identity.expiresAt > clock.now()) return found.identity
      forget(tokenHash)
      return null
    },
    remember: (tokenHash, identity) => {
      const oldest = remembered.keys().next().value
      if (remembered.size >= limits.key.cached && oldest !== undefined) forget(oldest)
      forget(tokenHash)
      remembered.set(tokenHash, { identity, until: clock.monotonic() + limits.key.cacheMs })
      for (const name of namesOf(identity)) named.set(name, (named.get(name) ?? new Set()).add(tokenHash))
    },
    revoke: revoked => {
      revocations++
      if (!revoked) return
      for (const tokenHash of [...(named.get(keys.revocation(revoked.what, revoked.id)) ?? [])]) forget(tokenHash)
    },
    forgetAll: () => {
      revocations++
      remembered.clear()
      named.clear()
    },
    revocations: () => revocations,
  }
}
