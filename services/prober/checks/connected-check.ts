// A check over one connection, or one after the other, without what is said over them: its bounds, its phases and its one end. Owns the present
// connection and the one timer, and releases both in every case. Never throws.

import type { ReadCertificate } from '#shared/contracts/observations/try.ts'
import type { Cancel } from '#shared/time/clock.ts'
import { readCertificate } from './certificate.ts'
import { type CheckContext, type CheckOutcome, noDetails, type RunningCheck } from './checker.ts'
import { Connection, type ConnectionListener, type ConnectionTarget } from './connection.ts'
import { clean, errorSentence, type Phase, sentences, timeoutSentence } from './sentences.ts'

/** `done` is called exactly once, possibly before `start` returns. It is not called after `abandon`. */
export abstract class ConnectedCheck<T extends ConnectionTarget> implements RunningCheck, ConnectionListener {
  /** Of the present connection. */
  protected target: T
  protected readonly context: CheckContext
  protected connection: Connection
  protected phase: Phase = 'name'
  /** Status of the response, of kinds that have one. */
  protected statusCode: number | null = null
  protected isSettled = false
  /** Time at which the answer was read, ms; null: it is the present one. */
  #endedMs: number | null = null
  /** Of the last connection, of a check that is tried. */
  #certificate: ReadCertificate | null = null
  readonly #done: (outcome: CheckOutcome) => void
  readonly #totalMs: number
  readonly #startedAt: number
  #cancelTimer: Cancel | null = null
  /** Whether the present connection is the check's first one. */
  #isFirst = true
  /** When the present connection was begun, ms from the start. */
  #openedMs = 0
  /** When the present connection was connected; null: it is not yet. */
  #reachedMs: number | null = null
  #dnsMs: number | null = null
  #connectMs: number | null = null
  #tlsMs: number | null = null
  #firstByteMs: number | null = null

  /** `totalMs`: bound of the whole check. */
  constructor(target: T, context: CheckContext, totalMs: number, done: (outcome: CheckOutcome) => void) {
    this.target = target
    this.context = context
    this.#totalMs = totalMs
    this.#done = done
    this.#startedAt = context.clock.monotonic()
    this.connection = new Connection(this)
  }

  start(): void {
    this.#open(0)
  }

  /** Closes the present connection and opens another one. The phases of the first one stay, but for its first byte. */
  protected moveTo(target: T): void {
    this.#certificate = null
    this.connection.close()
    this.#cancelTimer?.()
    this.target = target
    this.connection = new Connection(this)
    this.phase = 'name'
    this.#isFirst = false
    this.#reachedMs = null
    this.#firstByteMs = null
    this.#open(this.elapsed())
  }

  #open(atMs: number): void {
    const { clock, bounds } = this.context
    this.#openedMs = atMs
    this.#cancelTimer = clock.schedule(Math.min(bounds.connectMs, this.#totalMs - atMs), this.#onTimer)
    this.connection.open(this.target, this.context)
  }

  /** The answer was read. The time of the check ends with it, so no bound ends what is left to judge. */
  protected endReading(): void {
    this.#endedMs = this.elapsed()
    this.connection.close()
    this.#cancelTimer?.()
  }

  abandon(): void {
    this.release()
  }

  /** The connection is ready: connected and, if it is secure, secured. */
  protected abstract onReady(): void

  /** Takes received bytes. Returns false to receive no more of them until `connection.resume`. */
  protected abstract read(bytes: Buffer): boolean

  /** The server has closed its side after the connection was ready. */
  protected abstract onClosed(): void

  onResolved(): void {
    if (this.#isFirst) this.#dnsMs = this.elapsed()
    this.phase = 'connect'
  }

  onConnected(): void {
    this.#reachedMs = this.elapsed()
    if (this.#isFirst) this.#connectMs = this.#reachedMs
    this.phase = this.target.secure ? 'handshake' : 'answer'
    if (!this.target.secure) this.onReady()
  }

  onSecured(): void {
    this.#readCertificate()
    if (this.#isFirst) this.#tlsMs = this.elapsed()
    this.phase = 'answer'
    this.onReady()
  }

  onBytes(bytes: Buffer): boolean {
    this.#firstByteMs ??= this.elapsed()
    return this.read(bytes)
  }

  onEnd(): void {
    if (this.phase === 'handshake') this.settle(sentences.closedInHandshake)
    else this.onClosed()
  }

  onFailed(error: Error): void {
    this.#readCertificate()
    this.settle(errorSentence(error, this.phase, this.named, this.context.clock.now()))
  }

  /** The present target as sentences may name it. */
  protected get named(): ConnectionTarget {
    return this.target
  }

  /** One timer serves all three bounds. When it fires, it ends the check, or it is set to the next bound of the present phase. */
  #onTimer = (): void => {
    const { clock } = this.context
    const elapsed = clock.monotonic() - this.#startedAt
    // A timer may fire early: a busy event loop counts its delay from an instant before it was set.
    const over = this.#boundAt(elapsed + 1)
    if (typeof over === 'string') this.settle(over)
    else this.#cancelTimer = clock.schedule(over - elapsed, this.#onTimer)
  }

  /** Returns the error sentence if a bound is reached `elapsed` ms after the start. Otherwise returns the next bound, ms from the start. */
  #boundAt(elapsed: number): string | number {
    const { connectMs, tlsMs } = this.context.bounds
    const totalMs = this.#totalMs
    // What remains of the time for a later connection says nothing about its server.
    const isOver = elapsed >= totalMs && !this.#isFirst
    if (this.#reachedMs === null && !isOver) {
      const connectEnd = Math.min(this.#openedMs + connectMs, totalMs)
      return elapsed >= connectEnd ? timeoutSentence('connection', Math.min(connectMs, totalMs)) : connectEnd
    }
    const isHandshake = this.phase === 'handshake' && !isOver
    const tlsEnd = (this.#reachedMs ?? 0) + tlsMs
    if (isHandshake && tlsEnd < totalMs) return elapsed >= tlsEnd ? timeoutSentence('TLS handshake', tlsMs) : tlsEnd
    if (elapsed < totalMs) return totalMs
    return isHandshake ? timeoutSentence('TLS handshake', totalMs) : this.lateSentence(totalMs)
  }

  /** Returns the error of a check whose connection was ready when its time ran out. */
  protected lateSentence(totalMs: number): string {
    return timeoutSentence('answer', totalMs)
  }

  /** Ends the check, the first time. `error`: reason of the failure; null: the check passed. */
  protected settle(error: string | null): void {
    if (!this.isSettled) this.finish(this.outcomeOf(error === null ? null : clean(error)))
  }

  /** Ends the check with an outcome, the first time. */
  protected finish(outcome: CheckOutcome): void {
    if (this.isSettled) return
    this.release()
    this.#done(outcome)
  }

  #readCertificate(): void {
    const certificate = this.context.isTried ? this.connection.certificate() : null
    if (certificate !== null) this.#certificate = readCertificate(certificate)
  }

  protected outcomeOf(error: string | null): CheckOutcome {
    return {
      ...(this.context.isTried && { details: { ...noDetails, certificate: this.#certificate } }),
      ok: error === null,
      error,
      statusCode: this.statusCode,
      phases: {
        dnsMs: this.#dnsMs,
        connectMs: this.#connectMs,
        tlsMs: this.#tlsMs,
        firstByteMs: this.#firstByteMs,
        totalMs: this.#endedMs ?? this.elapsed(),
      },
    }
  }

  /** Releases everything that the check holds. */
  protected release(): void {
    this.isSettled = true
    this.#cancelTimer?.()
    this.connection.close()
  }

  /** Returns the time since the start, ms, to a hundredth of a ms. */
  protected elapsed(): number {
    return Math.round((this.context.clock.monotonic() - this.#startedAt) * 100) / 100
  }
}
