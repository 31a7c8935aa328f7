// Places for messages to one destination, as its channel's spacing gives them: an attempt takes a place, which is free again later. Pure.
// Instants in ms of a clock that cannot be set.
import type { Spacing } from '#shared/channels/port.ts'

export class Spacer {
  readonly #rules: readonly Spacing[]
  /** For each rule, the instants at which taken places are free again, the earliest first. */
  readonly #freeAt: number[][]

  constructor(rules: readonly Spacing[]) {
    this.#rules = rules
    this.#freeAt = rules.map(() => [])
  }

  /** Whether it keeps these rules. */
  keeps(rules: readonly Spacing[]): boolean {
    return JSON.stringify(rules) === JSON.stringify(this.#rules)
  }

  /** Returns the instant from which the next attempt may begin. It may have passed. */
  get readyAt(): number {
    const instants = this.#rules.map(({ messages }, i) => this.#freeAt[i]?.at(-messages) ?? Number.NEGATIVE_INFINITY)
    return Math.max(Number.NEGATIVE_INFINITY, ...instants)
  }

  /** Returns whether every place is free, so that nothing is known that a new spacer would not know. */
  isFree(at: number): boolean {
    return this.#freeAt.every(instants => (instants.at(-1) ?? at) <= at)
  }

  take(at: number): void {
    for (const [i, { inMs, inTurn }] of this.#rules.entries()) {
      const taken = (this.#freeAt[i] ?? []).filter(instant => instant > at)
      const from = inTurn === true ? Math.max(at, taken.at(-1) ?? at) : at
      this.#freeAt[i] = [...taken, from + inMs]
    }
  }

  /** Frees the place that was taken last, because no attempt was made. */
  giveBack(): void {
    for (const instants of this.#freeAt) instants.pop()
  }
}
