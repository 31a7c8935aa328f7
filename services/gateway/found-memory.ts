// Objects that paths named before, remembered so that a sender who comes again costs no question to the directory. Only a hint: the object's keeper knows
// whether it is there, and a refusal is judged anew with the object that the directory finds.
import { AppError } from '#shared/errors.ts'
import type { FoundMemory } from './route.ts'

interface MemoryOptions<Found, Caller> {
  /** The key of the object that the path means; null: it may mean several, or the caller may not know of it. */
  keyOf(call: Caller): string | null
  /** The key of an object that `find` returned; null: it is not remembered. */
  keyOfFound(found: Found): string | null
  /** Objects at most; of more the least recently used is forgotten. */
  max: number
}

export function createFoundMemory<Found, Caller>({
  keyOf,
  keyOfFound,
  max,
}: MemoryOptions<Found, Caller>): FoundMemory<Found, Caller> {
  /** The least recently used first, as far as that matters: while there is much room the order stays as it is. */
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
 * Proceeds with the remembered object of the path, else with the one that `find` returns. `proceed` may run twice: a refusal with a remembered
 * object is judged anew.
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
      // A command that may have been carried out is not sent again under another id.
      if (!(error instanceof AppError) || error.retryable || error.code === 'internal') throw error
      if (error.code === 'not_found') memory?.forget(known)
    }
  }
  const found = await find()
  const result = await proceed(found)
  memory?.remember(found)
  return result
}
