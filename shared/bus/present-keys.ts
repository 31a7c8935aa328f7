// Set of the keys that a watched bucket has. With this set, a watch delivers each removal once, even if the bucket was lost and created
// again.
import type { BucketEntry } from '#shared/bus/port.ts'

export interface WatchHandlers {
  onEntry(entry: BucketEntry): void
  onReady?(): void
}

export class PresentKeys {
  readonly #handlers: WatchHandlers
  readonly #now: () => number
  #present = new Set<string>()
  /** Keys of the bucket that was lost. Empty, except while the watch reads the entries of the new bucket. */
  #earlier = new Set<string>()
  #isReady = false
  #isAnnounced = false

  /** `now` returns the present time, ms since the epoch. It dates removals for which the bucket has no entry with an instant. */
  constructor(handlers: WatchHandlers, now: () => number) {
    this.#handlers = handlers
    this.#now = now
  }

  /** Called when the watch starts at the first entry: for the first time, or because the bucket was created again. */
  begin(): void {
    this.#earlier = new Set([...this.#earlier, ...this.#present])
    this.#present = new Set()
    this.#isReady = false
  }

  /** Delivers the entry, unless it removes a key that was never present for this watch. */
  take(entry: BucketEntry): void {
    const { key, value } = entry
    const isUnheard = value === null && !this.#isReady && !this.#present.has(key) && !this.#earlier.has(key)
    if (value === null) this.#present.delete(key)
    else this.#present.add(key)
    if (!isUnheard) this.#handlers.onEntry(entry)
  }

  /**
   * Called when all present entries have arrived. Delivers every key of the lost bucket that the new bucket lacks, as removed at revision
   * 0.
   */
  becomeReady(): void {
    if (this.#isReady) return
    this.#isReady = true
    for (const key of this.#earlier) {
      if (!this.#present.has(key)) this.#handlers.onEntry({ key, revision: 0, at: this.#now(), value: null })
    }
    this.#earlier = new Set()
    if (!this.#isAnnounced) this.#handlers.onReady?.()
    this.#isAnnounced = true
  }
}
