// State of a reader: whether it may miss messages, since when, and whether it has caught up after an outage. Imports no NATS client.
import type { Clock } from '#shared/time/clock.ts'

export interface HearingListener {
  /** Called when the reader has lost its stream. It may have missed messages of the last `forMs` ms, and misses all later messages. */
  onDeaf?: ((forMs: number) => void) | undefined
  /** Called when the reader has caught up: it has delivered all messages that waited when it could read again. */
  onHearing?: (() => void) | undefined
}

/**
 * Tracks whether a reader receives its stream. A new reader counts as receiving, because the code that opens it waits for the first
 * messages anyway.
 */
export class Hearing {
  readonly #clock: Clock
  readonly #listener: HearingListener
  #signAt: number
  #isDeaf = false
  /** Number of messages that waited when the present consumer was created and are not delivered yet; null: there is no consumer. */
  #missing: number | null = 0

  constructor(clock: Clock, listener: HearingListener) {
    this.#clock = clock
    this.#listener = listener
    this.#signAt = clock.monotonic()
  }

  /** Returns the time since the last sign of life of the stream, ms. */
  silentMs(): number {
    return this.#clock.monotonic() - this.#signAt
  }

  /** Notes a sign of life: a message, a heartbeat, or the first request after a pause. */
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

  /** Notes the delivery of one message, after which `pending` messages still wait on the server. */
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
