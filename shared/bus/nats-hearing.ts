// Whether a reader hears its stream: since when it may miss messages, and when it has caught up again. Knows no client of NATS.
import type { Clock } from '#shared/clock.ts'

export interface HearingListener {
  /** The reader may miss messages that the stream got in the last `forMs` ms, and all that it gets from now on. */
  onDeaf?: ((forMs: number) => void) | undefined
  /** Whatever the stream had when the reader could read it again has been delivered. */
  onHearing?: (() => void) | undefined
}

/** Begins as hearing: whoever opens a reader waits for its first messages anyway. */
export class Hearing {
  readonly #clock: Clock
  readonly #listener: HearingListener
  #signAt: number
  #isDeaf = false
  /** Messages that waited when the present consumer was made; null: there is none. */
  #missing: number | null = 0

  constructor(clock: Clock, listener: HearingListener) {
    this.#clock = clock
    this.#listener = listener
    this.#signAt = clock.monotonic()
  }

  /** Since the last sign of life, ms. */
  silentMs(): number {
    return this.#clock.monotonic() - this.#signAt
  }

  /** A message or a heartbeat arrived, or the server was asked for the first time in a while. */
  sign(): void {
    this.#signAt = this.#clock.monotonic()
  }

  /** The reader has no consumer any more. */
  lost(): void {
    this.#missing = null
    if (this.#isDeaf) return
    this.#isDeaf = true
    this.#listener.onDeaf?.(this.silentMs())
  }

  /** It has one again, in front of `pending` messages. */
  found(pending: number): void {
    this.sign()
    this.#missing = pending
    this.#settle()
  }

  /** One of them was delivered; `pending` still wait on the server. */
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
