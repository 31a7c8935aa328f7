// The newest changes of all check entries, so that probers who wait for one cost the bus no question. Owns one watch of the bucket,
// from the first question on; says where it does not reach back far enough.
import type { Bucket, BucketEntry, BucketPosition, Subscription } from '#shared/bus/port.ts'
import { parseCheckKey } from '#shared/bus/subjects.ts'
import type { Change, Changes } from '#shared/contracts/observations/door.ts'
import { doorLimits } from '#shared/limits/door-limits.ts'

const { recentChanges, recentCharacters } = doorLimits

interface Recent {
  locationId: string
  change: Change
  characters: number
}

export interface ChangeLogOptions {
  bucket: Bucket
  /** A check of the location has changed; null: whatever was known of any location is void. */
  onChange(locationId: string | null): void
}

export class ChangeLog {
  readonly #options: ChangeLogOptions
  #watching: Promise<Subscription> | null = null
  /** In the order of their revisions. */
  #recent: Recent[] = []
  #characters = 0
  /** All changes beyond this revision are in `recent`; infinite while it is not known. */
  #from = Number.POSITIVE_INFINITY
  #newest = 0
  readonly #newestOf = new Map<string, number>()
  /** The stream that the revisions are of; null until somebody has asked the bus. */
  #stream: string | null = null
  #generation = 0

  constructor(options: ChangeLogOptions) {
    this.#options = options
  }

  /** Resolves once changes are followed; rejects with a BusError. */
  async follow(): Promise<void> {
    this.#watching ??= this.#watch()
    await this.#watching.catch(error => {
      this.#watching = null
      throw error
    })
  }

  /** The changes of a location after a position as far as they are at hand; null: the bus must be asked. */
  after(locationId: string, position: BucketPosition | null): Changes | null {
    if (position === null || position.stream !== this.#stream) return null
    if (position.revision < this.#from || position.revision > this.#newest) return null
    const { stream, revision } = position
    const newer = this.#recent.filter(each => each.locationId === locationId && each.change.revision > revision)
    return { changes: newer.map(({ change }) => change), position: { stream, revision: this.#newest }, isLast: true }
  }

  /** Notes a page that the bus has sent: from now on the revisions are known to be of this stream, unless they began anew meanwhile. */
  learn({ stream }: BucketPosition, generation: number): void {
    if (generation === this.#generation) this.#stream ??= stream
  }

  /** Another number whenever the bucket began anew. */
  generation(): number {
    return this.#generation
  }

  /** The revision of the newest change of a location; null: none is known. */
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
    const parsed = parseCheckKey(entry.key)
    if (parsed === null) return
    this.#newestOf.set(parsed.locationId, revision)
    if (!isReady) return
    const change = { subjectId: parsed.subjectId, revision, at: Math.floor(entry.at), value: entry.value }
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

  /** Forgets everything, because the bucket is another one. Keys of the old bucket are announced as removed, at revision 0. */
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
