// Memory of token owners: results of the directory by token hash, bounded and short-lived. Frequent callers need no question to the
// directory. The watcher of revocations (revocations.ts) removes entries.
import { keys, type Revoked } from '#shared/bus/subjects.ts'
import type { Identity } from '#shared/contracts/ask/ask.ts'
import type { AddressIdentity } from '#shared/contracts/ask/ask-addresses.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Clock } from '#shared/time/clock.ts'

export interface TokenMemory<T> {
  /** Returns the remembered owner of a token. Null: none, or the entry has expired. Never asks the directory. */
  known(tokenHash: string): T | null
  /**
   * Returns the owner of a token, asking the directory if needed. Null: unknown, deleted or expired token. Rejects with an AppError if the
   * directory does not respond.
   */
  find(tokenHash: string): Promise<T | null>
  /**
   * Removes the entries that a revocation concerns. Null: unreadable; no entry is removed. Questions under way are then sent again.
   */
  revoke(revoked: { what: Revoked; id: string } | null): void
  forgetAll(): void
}

interface Remembering<T> {
  ask(tokenHash: string): Promise<T | null>
  /** Returns the revocations that concern an entry, as keys of their bucket. */
  namesOf(one: T): string[]
  /** Returns the end of an entry, ms since the epoch. Null: never. */
  expiresAt(one: T): number | null
}

function createTokenMemory<T>(clock: Clock, of: Remembering<T>): TokenMemory<T> {
  const memory = createMemory(clock, of)
  const asking = new Map<string, Promise<T | null>>()
  const askAfresh = async (tokenHash: string): Promise<T | null> => {
    for (let i = 0; ; i++) {
      const before = memory.revocations()
      const found = await of.ask(tokenHash)
      if (found === null) return null
      if (before === memory.revocations()) memory.remember(tokenHash, found)
      if (before === memory.revocations() || i === 1) return found
    }
  }
  return {
    known: memory.known,
    find: async tokenHash => {
      const known = memory.known(tokenHash)
      if (known) return known
      const running = asking.get(tokenHash) ?? askAfresh(tokenHash).finally(() => asking.delete(tokenHash))
      asking.set(tokenHash, running)
      const found = await running
      return found !== null && isOver(clock, of, found) ? null : found
    },
    revoke: memory.revoke,
    forgetAll: memory.forgetAll,
  }
}

/** Callers by the hash of their key, and Observation addresses by the hash of their token. */
export type Identities = TokenMemory<Identity>
export type Addresses = TokenMemory<AddressIdentity>

export const createIdentities = (clock: Clock, ask: (tokenHash: string) => Promise<Identity | null>) =>
  createTokenMemory<Identity>(clock, {
    ask,
    namesOf: ({ keyId, userId }) => [keys.revocation('key', keyId), keys.revocation('user', userId)],
    expiresAt: ({ expiresAt }) => expiresAt,
  })

export const createAddresses = (clock: Clock, ask: (tokenHash: string) => Promise<AddressIdentity | null>) =>
  createTokenMemory<AddressIdentity>(clock, {
    ask,
    namesOf: ({ id }) => [keys.revocation('address', id)],
    expiresAt: () => null,
  })

const isOver = <T>(clock: Clock, { expiresAt }: Remembering<T>, one: T): boolean => (expiresAt(one) ?? Infinity) <= clock.now()

/** Cached entries. Sends no questions. */
function createMemory<T>(clock: Clock, of: Remembering<T>) {
  /** Entries by token hash. `until`: end of the entry on the monotonic clock. */
  const remembered = new Map<string, { one: T; until: number }>()
  /** Token hashes by the keys of the revocations that remove their entries. */
  const named = new Map<string, Set<string>>()
  let revocations = 0
  const forget = (tokenHash: string) => {
    const found = remembered.get(tokenHash)
    remembered.delete(tokenHash)
    for (const name of found ? of.namesOf(found.one) : []) {
      const hashes = named.get(name)
      hashes?.delete(tokenHash)
      if (hashes?.size === 0) named.delete(name)
    }
  }
  return {
    known: (tokenHash: string): T | null => {
      const found = remembered.get(tokenHash)
      if (found === undefined) return null
      if (clock.monotonic() < found.until && !isOver(clock, of, found.one)) return found.one
      forget(tokenHash)
      return null
    },
    remember: (tokenHash: string, one: T) => {
      const oldest = remembered.keys().next().value
      if (remembered.size >= limits.key.cached && oldest !== undefined) forget(oldest)
      forget(tokenHash)
      remembered.set(tokenHash, { one, until: clock.monotonic() + limits.key.cacheMs })
      for (const name of of.namesOf(one)) named.set(name, (named.get(name) ?? new Set()).add(tokenHash))
    },
    revoke: (revoked: { what: Revoked; id: string } | null) => {
      revocations++
      if (!revoked) return
      for (const tokenHash of [...(named.get(keys.revocation(revoked.what, revoked.id)) ?? [])]) forget(tokenHash)
    },
    forgetAll: () => {
      revocations++
      remembered.clear()
      named.clear()
    },
    /**
     * Returns the number of revocations so far, including lost connections. A result that was requested before the latest one is requested
     * again.
     */
    revocations: () => revocations,
  }
}
