// Pace of the messages to one destination. A receiver that limits its rate (429) or names a pause (Retry-After) makes all messages to it
// wait, not only the message that it refused. After a refusal by rate the pace is measured: so many messages were accepted in so much time.
// The pace then tries to become faster, each time later, so that a receiver that has recovered gets its messages quickly and a slow one
// gets few requests in vain. Pure. Instants in ms of a clock that cannot be set.

import { limits, minute, second } from '#shared/limits/limits.ts'

/** Pause after a 429 that names no pause. It doubles while the receiver accepts nothing, up to `gapMsMax`. */
const pauseMsLeast = 1 * second
/** Longest pause that Retry-After gets. */
const pauseMsMax = limits.notifier.retryMsMax
/** Longest time between two messages. */
const gapMsMax = 1 * minute
/** A gap below this is no gap: the responses themselves take longer. */
const leastGapMs = 20
/** Number of messages in a row that the receiver must accept before the gap is halved for the first time. */
const firstTrial = 4
const lastTrial = 1_024

export interface Refusal {
  /** Pause that the receiver requested; null: none. */
  retryAfterMs: number | null
  /** True for a 429: the receiver gets too many messages. False: it cannot accept any at present. */
  isRate: boolean
}

export class Pace {
  #pausedUntil = Number.NEGATIVE_INFINITY
  /** Pauses in a row without an accepted message. */
  #pauses = 0
  /** Time between the beginnings of two attempts; 0: no limit is known. */
  #gapMs = 0
  /** The gap before it was halved, while the halved gap is on trial. */
  #provenMs: number | null = null
  #trial = firstTrial
  #inARow = 0
  #startedAt = Number.NEGATIVE_INFINITY
  /** Begin of the time over which the pace is measured: the first attempt, or the end of the latest pause by rate. */
  #since: number | null = null
  #accepted = 0
  /** True if a refusal by rate is not yet reflected in the gap. */
  #isUnmeasured = false

  /** Returns the instant from which the next attempt may begin. It may have passed. */
  get readyAt(): number {
    return Math.max(this.#pausedUntil, this.#startedAt + this.#gapMs)
  }

  /** Returns whether nothing is known about the receiver that a new pace would not know. */
  isPlain(at: number): boolean {
    return this.#gapMs === 0 && !this.#isUnmeasured && this.#pausedUntil <= at
  }

  begin(at: number): void {
    if (this.#isUnmeasured) this.#measure(at)
    this.#since ??= at
    this.#startedAt = at
  }

  /** Records a response that is no refusal by rate. */
  accept(): void {
    this.#accepted++
    this.#pauses = 0
    if (this.#gapMs === 0 || this.#isUnmeasured || ++this.#inARow < this.#trial) return
    this.#inARow = 0
    this.#provenMs = this.#gapMs
    this.#gapMs = this.#gapMs / 2 < leastGapMs ? 0 : this.#gapMs / 2
  }

  /** A refusal that names no pause and is no refusal by rate changes nothing: only its own message waits. */
  refuse({ retryAfterMs, isRate }: Refusal, at: number): void {
    if (!isRate && retryAfterMs === null) return
    const isPaused = this.#pausedUntil > at
    // Attempts that ran when the pause began are refused too. They are no reason for a longer pause.
    if (!isPaused) this.#pauses++
    const own = isRate ? pauseMsLeast * 2 ** Math.min(Math.max(0, this.#pauses - 1), 30) : 0
    const pauseMs = Math.min(retryAfterMs ?? Math.min(own, gapMsMax), pauseMsMax)
    this.#pausedUntil = Math.max(this.#pausedUntil, at + pauseMs)
    this.#inARow = 0
    this.#isUnmeasured ||= isRate
  }

  /** Sets the gap after a pause: the gap that was proven before a trial that failed, else the measured one, never a shorter one. */
  #measure(at: number): void {
    this.#isUnmeasured = false
    if (this.#provenMs !== null) {
      this.#gapMs = this.#provenMs
      this.#provenMs = null
      this.#trial = Math.min(this.#trial * 2, lastTrial)
    } else {
      const measured = this.#accepted === 0 ? second : (at - (this.#since ?? at)) / this.#accepted
      this.#gapMs = Math.min(Math.max(this.#gapMs, measured), gapMsMax)
    }
    this.#since = at
    this.#accepted = 0
    this.#inARow = 0
  }
}
