// Time as far as somebody was there to be heard. It runs only between signs that follow each other closely: an age counted in it says nothing of
// times in which nobody could have given a sign, or this process could not hear one.

export class HeardTime {
  readonly #monotonic: () => number
  readonly #gapMs: number
  #signAt = Number.NEGATIVE_INFINITY
  #passedMs = 0

  /** Signs further apart than `gapMs` have a time between them that does not count. */
  constructor(monotonic: () => number, gapMs: number) {
    this.#monotonic = monotonic
    this.#gapMs = gapMs
  }

  sign(): void {
    const gapMs = this.sinceSignMs()
    if (gapMs <= this.#gapMs) this.#passedMs += gapMs
    this.#signAt = this.#monotonic()
  }

  /** Up to the newest sign, ms; only differences mean anything. */
  now(): number {
    return this.#passedMs
  }

  sinceSignMs(): number {
    return this.#monotonic() - this.#signAt
  }
}
