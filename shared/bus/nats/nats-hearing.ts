// State of a reader's connection to its stream: whether it may miss messages, since when, and whether it has caught up. Knows no client of
// NATS.
import type { Clock } from '#shared/time/clock.ts'

export interface HearingListener {
  /** The reader may have missed messages of the last `forMs` ms, and misses all later messages. */
  onDeaf?: ((forMs: number) => void) | undefined
  /** All messages that the stream had when the reader could read again have been delivered. */
  onHearing?: (() => void) | undefined
}

/** Tracks whether a reader receives its stream. Begins as receiving: its opener waits for the first messages anyway. */
export class Hearing {
  readonly #clock: Clock
  readonly #listener: HearingListener
  #signAt: number
  #isDeaf = false
  /** Messages that waited when the present consumer was created; null: there is no consumer. */
  #missing: number | null = 0

  constructor(clock: Clock, listener: HearingListener) {
    this.#clock = clock
    this.#listener = listener
    this.#signAt = clock.monotonic()
  }

  /** Returns the milliseconds since the last sign of life. */
  silentMs(): number {
    return this.#clock.monotonic() - this.#signAt
  }

  /** Notes a message, a heartbeat, or the first request after a pause. */
  sign(): void {
    this.#signAt = this.#clock.monotonic()
  }

  /** Notes that the reader has no consumer any more. */
  lost(): void {
    this.#missing = null
    if (this.#isDeaf) return
    this.#isDeaf = true
    this.#listener.onDeaf?.(this.silentMs())
  }

  /** Notes that a new consumer exists and that `pending` messages wait for it. */
  found(pending: number): void {
    this.sign()
    this.#missing = pending
    this.#settle()
  }

  /** Notes the delivery of one message; `pending` still wait on the server. */
  delivered(pending: number): void {
    this.sign()
    if (this.#missing === null || !this.#isDeaf) return
    this.#missing = Math.min(this.#missing - 1, pending)
    this.#settle()
  }

  #settle(): void {
    if (!this.#isDeaf || this.#missing === null || this.#missing > 0) return
    this.#isDeaf = false
    this.#listener.onHearing?.()
  }
}
