// A semaphore: bounds the amount of work that runs at once.

/**
 * Calls beyond the bound wait, first in, first out. The number of waiting calls is unbounded. A call whose work fails also frees its place.
 */
export class Semaphore {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(atOnce: number) {
    this.#free = atOnce
  }

  get waiting(): number {
    return this.#waiting.length
  }

  get isFull(): boolean {
    return this.#free === 0
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>(resolve => void this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      // The freed place goes to the call that has waited longest, so a new call cannot overtake the waiting calls.
      const next = this.#waiting.shift()
      if (next === undefined) this.#free++
      else next()
    }
  }
}
