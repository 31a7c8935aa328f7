// Cache of token owners: responses of the directory by token hash, bounded and short-lived. For a cached token the gateway does not ask the
// directory. Pings use it too, by what they name (pings/pings.ts). The watcher of revocations (revocations.ts) removes entries.
import { keys, type Revoked } from '#shared/bus/subjects.ts'
import type { Identity } from '#shared/contracts/ask/ask.ts'
import type { AddressIdentity } from '#shared/contracts/ask/ask-addresses.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Clock } from '#shared/time/clock.ts'

export interface TokenMemory<T> {
  /** Returns the remembered owner of a token. Null: no owner is remembered, or the entry has expired. Never asks the directory. */
  known(tokenHash: string): T | null
  /**
   * Returns the owner of a token, asking the directory if needed. Null: unknown, deleted or expired token. Rejects with an AppError if the
   * directory does not respond.
   */
  find(tokenHash: string): Promise<T | null>
  /**
   * Removes the entries that a revocation concerns. Null: the revocation is unreadable, so no entry is removed. Even then, questions that
   * still wait for a response are sent again.
   */
  revoke(revoked: { what: Revoked; id: string } | null): void
  forgetAll(): void
}

interface Remembering<T> {
  ask(tokenHash: string): Promise<T | null>
  /** Returns the keys of all revocations that would remove this entry. Revocations are stored under these keys in a bucket of the bus. */
  namesOf(one: T): string[]
  /** Returns the instant at which an entry expires, ms since the epoch. Null: never. */
  expiresAt(one: T): number | null
  /** Whether a response is remembered. Absent: each is. */
  isKept?(one: T): boolean
}

export function createTokenMemory<T>(clock: Clock, of: Remembering<T>): TokenMemory<T> {
  const memory = createMemory(clock, of)
  const asking = new Map<string, Promise<T | null>>()
  const askAfresh = async (tokenHash: string): Promise<T | null> => {
    for (let i = 0; ; i++) {
      const before = memory.revocations()
      const found = await of.ask(tokenHash)
      if (found === null) return null
      if (before === memory.revocations() && (of.isKept?.(found) ?? true)) memory.remember(tokenHash, found)
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

/** Cache of callers by the hash of their key. */
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

/** Creates the store of the entries, which never asks the directory. */
function createMemory<T>(clock: Clock, of: Remembering<T>) {
  /** Entries by token hash. `until`: instant at which the entry expires, on the monotonic clock. */
  const remembered = new Map<string, { one: T; until: number }>()
  /** Token hashes by key of a revocation. The revocation removes the entries of these token hashes. */
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
     * Returns the number of revocations so far; a lost connection counts as a revocation. If a revocation arrives while the directory is
     * asked, the question is sent again.
     */
    revocations: () => revocations,
  }
}
