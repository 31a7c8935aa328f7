// Newest changes of a bucket with checks, kept in memory so that waiting probers cause no requests to the bus. Owns one watch of the bucket,
// which starts at the first request. Older changes must be read from the bus.
import type { Bucket, BucketEntry, BucketPosition, Subscription } from '#shared/bus/port.ts'
import { parseCheckKey, parseCheckPage } from '#shared/bus/subjects.ts'
import type { Change, ChangedName, Changes, CheckBucket } from '#shared/contracts/observations/door.ts'
import { doorLimits } from '#shared/limits/door-limits.ts'

const { recentChanges, recentCharacters } = doorLimits

interface Recent {
  locationId: string
  change: Change
  characters: number
}

/** What a key of a bucket names, and its location; null: no keeper has written the key. */
export function nameIn(of: CheckBucket, key: string): { locationId: string; name: ChangedName } | null {
  const entry = of === 'checks' ? parseCheckKey(key) : null
  if (entry !== null) return { locationId: entry.locationId, name: { subjectId: entry.subjectId } }
  const page = of === 'check-pages' ? parseCheckPage(key) : null
  return page === null ? null : { locationId: page.locationId, name: { page: page.number } }
}

export interface ChangeLogOptions {
  of: CheckBucket
  bucket: Bucket
  /**
   * Called when a check of the location has changed. `locationId` is null if the bucket was replaced, so that all earlier changes are
   * invalid.
   */
  onChange(locationId: string | null): void
}

export class ChangeLog {
  readonly #options: ChangeLogOptions
  #watching: Promise<Subscription> | null = null
  /** Newest changes, in the order of their revisions. */
  #recent: Recent[] = []
  #characters = 0
  /** Revision after which `#recent` contains all changes. Infinite until the watch has delivered the present entries. */
  #from = Number.POSITIVE_INFINITY
  #newest = 0
  readonly #newestOf = new Map<string, number>()
  /** Stream to which the revisions belong; null until a page was read from the bus. */
  #stream: string | null = null
  #generation = 0

  constructor(options: ChangeLogOptions) {
    this.#options = options
  }

  /** Starts the watch at the first call. Resolves when the watch runs; rejects with a BusError. */
  async follow(): Promise<void> {
    this.#watching ??= this.#watch()
    await this.#watching.catch(error => {
      this.#watching = null
      throw error
    })
  }

  /**
   * Returns a location's changes after a position. Returns null if some of these changes are not in memory; the caller then reads them from
   * the bus.
   */
  after(locationId: string, position: BucketPosition | null): Changes | null {
    if (position === null || position.stream !== this.#stream) return null
    if (position.revision < this.#from || position.revision > this.#newest) return null
    const { stream, revision } = position
    const newer = this.#recent.filter(each => each.locationId === locationId && each.change.revision > revision)
    return { changes: newer.map(({ change }) => change), position: { stream, revision: this.#newest }, isLast: true }
  }

  /**
   * Stores the identity of the bucket's stream, which a page from the bus contains. Does nothing if the bucket was replaced after the
   * caller read `generation`.
   */
  learn({ stream }: BucketPosition, generation: number): void {
    if (generation === this.#generation) this.#stream ??= stream
  }

  /** Returns how often the bucket was replaced. */
  generation(): number {
    return this.#generation
  }

  /** Returns the revision of a location's newest change; null: none is known. */
  newestOf(locationId: string): number | null {
    return this.#newestOf.get(locationId) ?? null
  }

  async close(): Promise<void> {
    const subscription = await this.#watching?.catch(() => null)
    await subscription?.close()
  }

  async #watch(): Promise<Subscription> {
    let isReady = false
    const ready = Promise.withResolvers<void>()
    const subscription = await this.#options.bucket.watch('>', {
      onEntry: entry => this.#note(entry, isReady),
      onReady: () => {
        isReady = true
        this.#from = Math.min(this.#from, this.#newest)
        ready.resolve()
      },
    })
    await ready.promise
    return subscription
  }

  #note(entry: BucketEntry, isReady: boolean): void {
    const { revision } = entry
    if (revision <= this.#newest) {
      this.#beginAnew(revision)
      return
    }
    this.#newest = revision
    const parsed = nameIn(this.#options.of, entry.key)
    if (parsed === null) return
    this.#newestOf.set(parsed.locationId, revision)
    if (!isReady) return
    const change: Change = { ...parsed.name, revision, at: Math.floor(entry.at), value: entry.value }
    this.#keep({ locationId: parsed.locationId, change, characters: JSON.stringify(change).length })
    this.#options.onChange(parsed.locationId)
  }

  #keep(recent: Recent): void {
    this.#recent.push(recent)
    this.#characters += recent.characters
    while (this.#recent.length > recentChanges || this.#characters > recentCharacters) {
      const oldest = this.#recent.shift()
      if (oldest === undefined) return
      this.#characters -= oldest.characters
      this.#from = oldest.change.revision
    }
  }

  /** Forgets all changes, because the bucket was replaced. For a replaced bucket, the bus reports the old keys as removed at revision 0. */
  #beginAnew(revision: number): void {
    this.#generation += 1
    this.#recent = []
    this.#characters = 0
    this.#stream = null
    this.#newest = revision || this.#newest
    this.#from = this.#newest
    this.#newestOf.clear()
    this.#options.onChange(null)
  }
}
