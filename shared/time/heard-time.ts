// Clock that runs only while signs of life arrive. So an age on this clock leaves out the times in which no sign of life could be sent, or
// in which this process could receive none.

export class HeardTime {
  readonly #monotonic: () => number
  readonly #gapMs: number
  #signAt = Number.NEGATIVE_INFINITY
  #passedMs = 0
  /** Counted time at the end of the newest gap. */
  #gapEndedAt = 0

  /** The time between two signs does not count if it is longer than `gapMs`. */
  constructor(monotonic: () => number, gapMs: number) {
    this.#monotonic = monotonic
    this.#gapMs = gapMs
  }

  sign(): void {
    const gapMs = this.sinceSignMs()
    if (gapMs > this.#gapMs) this.#gapEndedAt = this.#passedMs
    else this.#passedMs += gapMs
    this.#signAt = this.#monotonic()
  }

  /** Returns the counted time up to the newest sign, ms; only differences are meaningful. */
  now(): number {
    return this.#passedMs
  }

  /** Returns the counted time from the end of the newest gap up to the newest sign, ms; 0 in a gap. */
  sinceGapMs(): number {
    return this.sinceSignMs() > this.#gapMs ? 0 : this.#passedMs - this.#gapEndedAt
  }

  sinceSignMs(): number {
    return this.#monotonic() - this.#signAt
  }
}
