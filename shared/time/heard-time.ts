// Clock that runs only while signs of life arrive. An age measured with it leaves out times in which no sign could be sent, or in which
// this process could not receive one.

export class HeardTime {
  readonly #monotonic: () => number
  readonly #gapMs: number
  #signAt = Number.NEGATIVE_INFINITY
  #passedMs = 0

  /** A gap of more than `gapMs` between two signs does not count. */
  constructor(monotonic: () => number, gapMs: number) {
    this.#monotonic = monotonic
    this.#gapMs = gapMs
  }

  sign(): void {
    const gapMs = this.sinceSignMs()
    if (gapMs <= this.#gapMs) this.#passedMs += gapMs
    this.#signAt = this.#monotonic()
  }

  /** Returns the counted time up to the newest sign, ms; only differences are meaningful. */
  now(): number {
    return this.#passedMs
  }

  sinceSignMs(): number {
    return this.#monotonic() - this.#signAt
  }
}
