// State of a reader: whether it may miss messages, since when, and whether it has caught up after an outage. In a cluster, a reader gets its
// messages from one server's copy of the stream, which can be behind the leader's while it sends heartbeats. Imports no NATS client.
import { limits } from '#shared/limits/limits.ts'
import type { Clock } from '#shared/time/clock.ts'

export interface HearingListener {
  /** Called when the reader has lost its stream. It may have missed messages of the last `forMs` ms, and misses all later messages. */
  onDeaf?: ((forMs: number) => void) | undefined
  /** Called when the reader has caught up: it has delivered all messages that waited when it could read again. */
  onHearing?: (() => void) | undefined
}

/** Last sequence of the stream, as its leader told it at `at` on the monotonic clock. */
interface Led {
  sequence: number
  at: number
}

const { readerUnprovenMs } = limits.bus

/**
 * Tracks whether a reader receives its stream. A new reader counts as receiving, because the code that opens it waits for the first
 * messages anyway.
 */
export class Hearing {
  readonly #clock: Clock
  readonly #listener: HearingListener
  #signAt: number
  #deliveredAt: number
  #isDeaf = false
  /** Number of messages that waited when the present consumer was created and are not delivered yet; null: there is no consumer. */
  #missing: number | null = 0
  /** Sequence that the copy must have before a deaf reader has caught up; null: any. */
  #mustHave: number | null = null
  /** Newest sequence of the leader, and the oldest that the copy has not shown yet; null: there is none. */
  #newest: Led | null = null
  #owed: Led | null = null
  /** Instant at which the leader had no message that the copy has not shown, on the monotonic clock. */
  #provenAt: number

  constructor(clock: Clock, listener: HearingListener) {
    this.#clock = clock
    this.#listener = listener
    this.#signAt = clock.monotonic()
    this.#deliveredAt = this.#signAt
    this.#provenAt = this.#signAt
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
    this.#newest = null
    this.#owed = null
    this.#fallDeaf(this.silentMs())
  }

  /**
   * Notes that a new consumer exists and that `pending` messages wait for it. `sequence`: last sequence of the leader after that; null: there is
   * no cluster.
   */
  found(pending: number, sequence: number | null): void {
    this.sign()
    this.#missing = pending
    this.#mustHave = sequence
    this.#provenAt = this.#signAt
    this.#newest = sequence === null ? null : { sequence, at: this.#signAt }
    this.#owed = this.#newest
    this.#settle()
  }

  /** Notes the delivery of the message with this sequence, after which `pending` messages still wait on the server. */
  delivered(sequence: number, pending: number): void {
    this.sign()
    this.#deliveredAt = this.#signAt
    if (this.#missing !== null) this.#missing = Math.min(this.#missing - 1, pending)
    this.has(sequence)
  }

  /** Notes that the copy has all messages up to this sequence, because it delivered that message or named it in a heartbeat. */
  has(sequence: number): void {
    if (this.#owed !== null && this.#newest !== null && sequence >= this.#owed.sequence) {
      const isComplete = sequence >= this.#newest.sequence
      this.#provenAt = isComplete ? this.#newest.at : this.#owed.at
      this.#owed = isComplete ? null : this.#newest
    }
    if (this.#mustHave !== null && sequence >= this.#mustHave) this.#mustHave = null
    this.#settle()
  }

  /**
   * Notes the last sequence of the leader at this moment. If the leader was silent for long, the reader is deaf until its copy has that message,
   * because a copy often catches up only after an outage. While there is no consumer, does nothing: its creation asks the leader anyway.
   */
  led(sequence: number): void {
    if (this.#missing === null || this.#newest === null) return
    const { at } = this.#newest
    this.#newest = { sequence, at: this.#clock.monotonic() }
    this.#owed ??= this.#newest
    if (this.#newest.at - at <= readerUnprovenMs) return
    this.#mustHave = sequence
    this.#fallDeaf(this.#newest.at - at)
  }

  /**
   * Returns whether the reader should get another copy: the leader has had messages for a while that this one has not shown, and it delivers
   * none. The reader is deaf as soon as its copy is behind. A paused reader asks for nothing, so its copy can show nothing.
   */
  isBehind(isPaused: boolean): boolean {
    if (isPaused) this.#owed = null
    const now = this.#clock.monotonic()
    if (this.#owed === null || now - this.#owed.at <= readerUnprovenMs) return false
    this.#mustHave = this.#newest?.sequence ?? null
    this.#fallDeaf(now - this.#provenAt)
    return now - this.#deliveredAt > readerUnprovenMs
  }

  #fallDeaf(forMs: number): void {
    if (this.#isDeaf) return
    this.#isDeaf = true
    this.#listener.onDeaf?.(forMs)
  }

  #settle(): void {
    if (!this.#isDeaf || this.#missing === null || this.#missing > 0 || this.#mustHave !== null) return
    this.#isDeaf = false
    this.#listener.onHearing?.()
  }
}
