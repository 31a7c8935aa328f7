// A semaphore: bounds the amount of work that runs at once.

/** Work beyond the bound waits, first in, first out. Failed work frees its place. The number of waiting calls is unbounded. */
export class Semaphore {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(atOnce: number) {
    this.#free = atOnce
  }

  /** Number of calls that wait for a place. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Whether a further call would have to wait. */
  get isFull(): boolean {
    return this.#free === 0
  }

  /** Returns what `work` returns; rejects as `work` does. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>(resolve => void this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      // The place goes to the call that has waited longest, so later calls cannot overtake it.
      const next = this.#waiting.shift()
      if (next === undefined) this.#free++
      else next()
    }
  }
}
