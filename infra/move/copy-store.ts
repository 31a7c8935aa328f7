// Copy of all collections of a store: one pass. The collections are those of `collections.ts`, so a new one is copied without a change here.
import { retry } from '#shared/async/retry.ts'
import { limits, minute } from '#shared/limits/limits.ts'
import { type CollectionName, collections } from '#shared/store/collections.ts'
import { type Store, StoreError } from '#shared/store/port.ts'
import type { Clock } from '#shared/time/clock.ts'
import { StartError } from '../runtime/start-error.ts'
import { CopyFault, type CopyOptions, copyCollection } from './copy-collection.ts'
import { type Digest, shownSum } from './digest.ts'

export interface StoreCopyOptions {
  source: Pick<Store, 'find'>
  target: Store
  clock: Clock
  /** Called from time to time with a sentence without a full stop. */
  onProgress(text: string): void
}

export interface CollectionCopied {
  collection: CollectionName
  count: number
  /** Digest of all its documents, hex; the same at both sides. */
  digest: string
}

/** Time for which a store may be away, such as during an election. */
const patienceMs = 5 * minute
const names = Object.keys(collections) as CollectionName[]

/** Makes the target equal to the source. May end at any point and be repeated. Throws a StartError. */
export async function copyStore({ source, target, clock, onProgress }: StoreCopyOptions): Promise<CollectionCopied[]> {
  const copied: CollectionCopied[] = []
  let [read, written] = [0, 0]
  for (const collection of names) {
    const onRange = (count: number, isWritten: boolean) => {
      read += count
      if (isWritten) written += count
      onProgress(`${collection}: ${read} documents read, ${written} of them written`)
    }
    const options: CopyOptions = {
      source: patient(source, clock),
      target: patient(target, clock),
      now: () => clock.now(),
      onRange,
    }
    const digest: Digest = await copyCollection(collection, options).catch(error => {
      if (error instanceof CopyFault || error instanceof StoreError) throw new StartError((error as Error).message)
      throw error
    })
    copied.push({ collection, count: digest.count, digest: shownSum(digest) })
  }
  return copied
}

const patientMethods = ['find', 'insert', 'upsert', 'delete', 'deleteRange'] as const

/** Returns the store with methods that are repeated while it is away. All of them may be repeated. */
function patient<S extends Pick<Store, 'find'>>(store: S, clock: Clock): S {
  const retrying: Record<string, unknown> = {}
  for (const name of patientMethods) {
    const method = (store as unknown as Record<string, ((...given: unknown[]) => Promise<unknown>) | undefined>)[name]
    if (method === undefined) continue
    retrying[name] = (...given: unknown[]) =>
      retry(() => method(...given), {
        clock,
        withinMs: patienceMs,
        pauseMs: () => limits.keeper.retryMsMax,
        mayPass: error => error instanceof StoreError && error.kind === 'unavailable',
      })
  }
  return { ...store, ...retrying }
}
