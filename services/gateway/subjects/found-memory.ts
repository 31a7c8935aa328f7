// Cache of objects that paths name, so that a sender's repeated requests need no question to the directory. A cached object may be
// outdated; only the keeper knows whether the object still exists. If the request is refused, all checks run again with the object from the
// directory.
import { AppError } from '#shared/errors.ts'
import type { FoundMemory } from '../http/route.ts'

interface MemoryOptions<Found, Caller> {
  /**
   * Returns the cache key of the object that the path names. Null: the path may mean several objects, or the caller may not see the object.
   */
  keyOf(call: Caller): string | null
  /** Returns the cache key of an object from `find`; null: objects like this are not cached. */
  keyOfFound(found: Found): string | null
  /** Maximum number of cached objects. If the cache is full, the least recently used object is removed. */
  max: number
}

export function createFoundMemory<Found, Caller>({
  keyOf,
  keyOfFound,
  max,
}: MemoryOptions<Found, Caller>): FoundMemory<Found, Caller> {
  /** Objects by key, least recently used first. A use updates this order only if at least half of the cache is full. */
  const remembered = new Map<string, Found>()
  const put = (key: string, found: Found) => {
    remembered.delete(key)
    const oldest = remembered.keys().next().value
    if (remembered.size >= max && oldest !== undefined) remembered.delete(oldest)
    remembered.set(key, found)
  }
  return {
    known: call => {
      const key = keyOf(call)
      const found = key === null ? null : (remembered.get(key) ?? null)
      if (key !== null && found !== null && remembered.size >= max / 2) put(key, found)
      return found
    },
    remember: found => {
      const key = keyOfFound(found)
      if (key !== null) put(key, found)
    },
    forget: found => {
      const key = keyOfFound(found)
      if (key !== null) remembered.delete(key)
    },
  }
}

/**
 * Calls `proceed` with the cached object of the path, or else with the object from `find`. If `proceed` refuses the cached object, it runs
 * a second time with the object from `find`.
 */
export async function proceedWithFound<Found, Caller, Result>(
  memory: FoundMemory<Found, Caller> | undefined,
  call: Caller,
  find: () => Promise<Found>,
  proceed: (found: Found) => Promise<Result>,
): Promise<Result> {
  const known = memory?.known(call) ?? null
  if (known !== null) {
    try {
      return await proceed(known)
    } catch (error) {
      // After a retryable or internal error the command may have taken effect. So the command is not sent again, because the second attempt
      // would have another id.
      if (!(error instanceof AppError) || error.retryable || error.code === 'internal') throw error
      if (error.code === 'not_found') memory?.forget(known)
    }
  }
  const found = await find()
  const result = await proceed(found)
  memory?.remember(found)
  return result
}
