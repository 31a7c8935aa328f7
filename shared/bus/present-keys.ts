// Which keys of a bucket are present for a watch, so that it hands over each removal once, also if the bucket was lost and made anew.
import type { BucketEntry } from '#shared/bus/port.ts'

export interface WatchHandlers {
  onEntry(entry: BucketEntry): void
  onReady?(): void
}

export class PresentKeys {
  readonly #handlers: WatchHandlers
  readonly #now: () => number
  #present = new Set<string>()
  /** Those of before, while the watch catches up with a bucket that is another. */
  #earlier = new Set<string>()
  #isReady = false
  #isAnnounced = false

  /** `now`: the instant of removals that nobody wrote, ms since the epoch. */
  constructor(handlers: WatchHandlers, now: () => number) {
    this.#handlers = handlers
    this.#now = now
  }

  /** The watch begins with the first entry, for the first time or because the bucket is another. */
  begin(): void {
    this.#earlier = new Set([...this.#earlier, ...this.#present])
    this.#present = new Set()
    this.#isReady = false
  }

  /** Hands the entry over, unless it removes a key that was never present for this watch. */
  take(entry: BucketEntry): void {
    const { key, value } = entry
    const isUnheard = value === null && !this.#isReady && !this.#present.has(key) && !this.#earlier.has(key)
    if (value === null) this.#present.delete(key)
    else this.#present.add(key)
    if (!isUnheard) this.#handlers.onEntry(entry)
  }

  /** All that was present has been taken: the keys of before that are gone are handed over as removed, at revision 0. */
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
