// Cache of the objects that paths name, so that repeated requests of a sender need no question to the directory. A cached object is only a
// hint: its keeper knows whether the object exists. After a refusal, the request is checked again with the object from the directory.
import { AppError } from '#shared/errors.ts'
import type { FoundMemory } from '../http/route.ts'

interface MemoryOptions<Found, Caller> {
  /** Returns the key of the object that the path names. Null: the path may mean several objects, or the caller may not see the object. */
  keyOf(call: Caller): string | null
  /** Returns the key of an object from `find`; null: the object is not cached. */
  keyOfFound(found: Found): string | null
  /** Largest number of objects. Beyond it, the least recently used object is removed. */
  max: number
}

export function createFoundMemory<Found, Caller>({
  keyOf,
  keyOfFound,
  max,
}: MemoryOptions<Found, Caller>): FoundMemory<Found, Caller> {
  /** Objects by key, least recently used first. While the cache is far from full, this order is not updated. */
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
 * Calls `proceed` with the cached object of the path, or else with the object from `find`. `proceed` may run twice: after a refusal with a
 * cached object it runs again with the object from `find`.
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
      // After these errors the command may have taken effect, so it is not sent again under another id.
      if (!(error instanceof AppError) || error.retryable || error.code === 'internal') throw error
      if (error.code === 'not_found') memory?.forget(known)
    }
  }
  const found = await find()
  const result = await proceed(found)
  memory?.remember(found)
  return result
}
