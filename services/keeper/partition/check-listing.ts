// Listing of the check entries that the bus has, for take-overs. Partitions that are opened together share one reading of the buckets,
// because each reading walks all keys whatever its filter.

import type { Bucket, BucketEntry } from '#shared/bus/port.ts'
import { keys, parseCheckKey, parseCheckPage } from '#shared/bus/subjects.ts'
import { schemaOf } from '#shared/contracts/form.ts'
import { readCheckPage, revOf } from '#shared/contracts/observations/check-page.ts'
import { limits } from '#shared/limits/limits.ts'
import { partitionOf } from '#shared/text/hash.ts'
import type { ListedChecks } from '../check-forms.ts'
import { type KeeperContext, NoLongerOurs, retryWhile } from '../context.ts'

export class CheckListing {
  readonly #context: KeeperContext
  /** Partitions for the next reading. */
  #wanted = new Map<number, PromiseWithResolvers<ListedChecks>>()
  /** Listings that nobody has taken yet. */
  readonly #listed = new Map<number, Promise<ListedChecks>>()
  #isReading = false

  constructor(context: KeeperContext) {
    this.#context = context
  }

  /** Lists a partition, with all that are wanted before the reading begins. Call it once the lease is held. */
  want(partition: number): void {
    const wanted = this.#wanted.get(partition) ?? Promise.withResolvers<ListedChecks>()
    wanted.promise.catch(() => undefined)
    this.#wanted.set(partition, wanted)
    this.#listed.set(partition, wanted.promise)
    if (this.#isReading) return
    this.#isReading = true
    void Promise.resolve().then(this.#readAll)
  }

  /**
   * Resolves to the listing that was wanted last, once; a further call lists anew. Rejects with NoLongerOurs if no partition of the reading
   * is held any more.
   */
  take(partition: number): Promise<ListedChecks> {
    if (!this.#listed.has(partition)) this.want(partition)
    const listed = this.#listed.get(partition) as Promise<ListedChecks>
    this.#listed.delete(partition)
    return listed
  }

  /** Called when a partition was closed. */
  forget(partition: number): void {
    this.#listed.delete(partition)
  }

  #readAll = async (): Promise<void> => {
    while (this.#wanted.size > 0) {
      const wanted = this.#wanted
      this.#wanted = new Map()
      try {
        const listed = await this.#read([...wanted.keys()])
        for (const [partition, { resolve }] of wanted) resolve(listed.get(partition) as ListedChecks)
      } catch (error) {
        for (const { reject } of wanted.values()) reject(error)
      }
    }
    this.#isReading = false
  }

  async #read(partitions: readonly number[]): Promise<Map<number, ListedChecks>> {
    const { bus, mayCommit } = this.#context
    const mayGoOn = () => partitions.some(partition => mayCommit(partition))
    const isSome = partitions.length <= limits.keeper.listedOneByOne
    const filters = isSome ? partitions.map(keys.checksOfPartition) : [keys.allChecks]
    return retryWhile(this.#context, mayGoOn, 'list check entries', async () => {
      const listed = new Map(partitions.map(partition => [partition, nothingListed()]))
      for (const filter of filters) {
        await readPresent(bus.bucket('check-pages'), filter, entry => notePage(listed, entry))
        await readPresent(bus.bucket('checks'), filter, entry => noteAlone(listed, entry))
      }
      if (!mayGoOn()) throw new NoLongerOurs('not ours any more')
      return listed
    })
  }
}

const nothingListed = (): ListedChecks => ({ alone: new Map(), paged: new Map(), apart: new Set(), pages: new Set() })

/** Calls `onEntry` for each present entry, so that only what it keeps stays in memory. */
async function readPresent(bucket: Bucket, filter: string, onEntry: (entry: BucketEntry) => void): Promise<void> {
  const { promise: complete, resolve: onReady } = Promise.withResolvers<void>()
  const reader = await bucket.watch(filter, { onEntry, onReady })
  await complete
  await reader.close()
}

function noteAlone(listed: ReadonlyMap<number, ListedChecks>, { key, value }: BucketEntry): void {
  const parsed = parseCheckKey(key)
  if (parsed === null) return
  const alone = listed.get(partitionOf(parsed.subjectId))?.alone
  if (value === null) alone?.delete(key)
  else alone?.set(key, { ...parsed, rev: revOf(value), schema: schemaOf(value as object) })
}

function notePage(listed: ReadonlyMap<number, ListedChecks>, { key, value }: BucketEntry): void {
  const parsed = parseCheckPage(key)
  const of = parsed === null ? undefined : listed.get(parsed.number % limits.partitions)
  if (parsed === null || of === undefined) return
  const { locationId } = parsed
  // The page may be delivered again, after a reconnect.
  if (of.pages.delete(key)) {
    for (const [name, entry] of of.paged) if (keys.checkPageOf(entry.locationId, entry.subjectId) === key) of.paged.delete(name)
  }
  if (value === null) return
  of.pages.add(key)
  const page = readCheckPage(value)
  for (const [subjectId, , entry] of page?.entries ?? []) {
    const listedEntry = { locationId, subjectId, rev: revOf(entry), schema: schemaOf(entry) }
    of.paged.set(keys.check(locationId, subjectId), listedEntry)
  }
  for (const subjectId of page?.apart ?? []) of.apart.add(keys.check(locationId, subjectId))
}
