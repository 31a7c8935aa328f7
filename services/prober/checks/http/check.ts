// One check: a new connection, one request, one outcome (ADR 15). Owns its socket and its one timer, and releases both in every case. Never
// throws, never follows a redirect, never reads more than 1 MiB of a decoded body.

import type { Cancel } from '#shared/time/clock.ts'
import type { CheckContext, CheckOutcome, RunningCheck } from '../checker.ts'
import { Connection, type ConnectionListener } from '../connection.ts'
import {
  answerSentence,
  bodySentence,
  clean,
  errorSentence,
  type Phase,
  sentences,
  statusSentence,
  timeoutSentence,
} from '../sentences.ts'
import { Answer, type AnswerHead, type AnswerListener } from './answer.ts'
import { type BodySearch, createBodySearch, type Finding } from './body-search.ts'
import type { Target } from './target.ts'

/** Outcome of a check whose address is not an HTTP or HTTPS URL. */
export const impossible: CheckOutcome = Object.freeze({
  ok: false,
  error: 'address is not an HTTP or HTTPS URL',
  statusCode: null,
  phases: Object.freeze({ dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 0 }),
})

/** Maximum number of interim responses (1xx) before the final response. */
const interimMax = 32

/** A running check. `done` is called exactly once, possibly before `start` returns. It is not called after `abandon`. */
export class Check implements RunningCheck, ConnectionListener, AnswerListener {
  #settled = false
  readonly #target: Target
  readonly #context: CheckContext
  readonly #done: (outcome: CheckOutcome) => void
  readonly #startedAt: number
  #phase: Phase = 'name'
  readonly #connection: Connection
  #answer: Answer | null = null
  #cancelTimer: Cancel | null = null
  #search: BodySearch | null = null
  /** True while the decoders still have many bytes to decode. No more bytes are read until `onDrain`. */
  #isChoked = false
  #interim = 0
  #statusCode: number | null = null
  #dnsMs: number | null = null
  #connectMs: number | null = null
  #tlsMs: number | null = null
  #firstByteMs: number | null = null

  constructor(target: Target, context: CheckContext, done: (outcome: CheckOutcome) => void) {
    this.#target = target
    this.#context = context
    this.#done = done
    this.#startedAt = context.clock.monotonic()
    this.#connection = new Connection(this)
  }

  start(): void {
    const { clock, bounds } = this.#context
    this.#cancelTimer = clock.schedule(Math.min(bounds.connectMs, bounds.totalMs), this.#onTimer)
    if (this.#target.request === null) this.#settle(sentences.unsendable)
    else this.#connection.open(this.#target, this.#context)
  }

  /** Ends the check without an outcome. */
  abandon(): void {
    this.#release()
  }

  // Callbacks of the connection.

  onResolved(): void {
    this.#dnsMs = this.#elapsed()
    this.#phase = 'connect'
  }

  onConnected(): void {
    this.#connectMs = this.#elapsed()
    this.#phase = this.#target.secure ? 'handshake' : 'answer'
    if (!this.#target.secure) this.#ask()
  }

  onSecured(): void {
    this.#tlsMs = this.#elapsed()
    this.#phase = 'answer'
    this.#ask()
  }

  #ask(): void {
    this.#answer = new Answer(this.#target.method, this)
    this.#connection.write(this.#target.request as Buffer)
  }

  onBytes(bytes: Buffer): boolean {
    this.#firstByteMs ??= this.#elapsed()
    const parsed = this.#answer?.read(bytes)
    if (parsed === 'broken') this.#settle(answerSentence(this.#answer?.fault ?? 'start'))
    return parsed === 'more' && !this.#isChoked
  }

  onEnd(): void {
    if (this.#answer?.close()) return
    if (this.#phase === 'handshake') this.#settle(sentences.closedInHandshake)
    else this.#settle(this.#phase === 'body' ? sentences.closedWithin : sentences.closedBefore)
  }

  /** If the server did not state the response's length, a connection reset may be the regular end of the response. */
  onFailed(error: Error): void {
    if ((error as NodeJS.ErrnoException).code === 'ECONNRESET' && this.#answer?.close(true)) return
    this.#settle(errorSentence(error, this.#phase, this.#target, this.#context.clock.now()))
  }

  // Callbacks of the parser.

  onHead(head: AnswerHead): boolean {
    if (head.statusCode >= 200) this.#judge(head)
    else if (++this.#interim > interimMax) this.#settle(answerSentence('interim'))
    return !this.#settled
  }

  #judge(head: AnswerHead): void {
    const { statusCode } = head
    const { statuses, expectedText } = this.#target
    this.#statusCode = statusCode
    this.#phase = 'body'
    if (!statuses.includes(statusCode)) this.#settle(statusSentence(statusCode, statuses))
    else if (expectedText === '') this.#settle(null)
    else this.#search = this.#startSearch(head)
  }

  onBody(bytes: Buffer): boolean {
    if (this.#search?.write(bytes) === false) this.#isChoked = true
    return !this.#settled
  }

  /** Closes the connection, because a later failure of the connection must not change the outcome. */
  onComplete(): void {
    this.#search?.end()
    this.#connection.close()
  }

  #startSearch({ encoding, contentType }: AnswerHead): BodySearch {
    return createBodySearch({
      text: this.#target.expectedText,
      encoding,
      contentType,
      onFinding: finding => this.#settle(this.#findingSentence(finding)),
      onDrain: () => {
        this.#isChoked = false
        this.#connection.resume()
      },
    })
  }

  #findingSentence(finding: Finding): string | null {
    if (finding === 'found') return null
    return finding === 'broken' ? sentences.undecodable : bodySentence(this.#target.expectedText)
  }

  /** One timer serves all three bounds. When it fires, it ends the check, or it is set to the next bound of the present phase. */
  #onTimer = (): void => {
    const { clock } = this.#context
    const elapsed = clock.monotonic() - this.#startedAt
    // A timer may fire a fraction of a millisecond early.
    const over = this.#boundAt(elapsed + 1)
    if (typeof over === 'string') this.#settle(over)
    else this.#cancelTimer = clock.schedule(over - elapsed, this.#onTimer)
  }

  /** Returns the error sentence if a bound is reached `elapsed` ms after the start. Otherwise returns the next bound, ms from the start. */
  #boundAt(elapsed: number): string | number {
    const { bounds } = this.#context
    if (elapsed >= bounds.totalMs) return timeoutSentence('answer', bounds.totalMs)
    if (this.#connectMs === null) return timeoutSentence('connection', bounds.connectMs)
    if (this.#phase !== 'handshake') return bounds.totalMs
    const tlsEnd = this.#connectMs + bounds.tlsMs
    return elapsed >= tlsEnd ? timeoutSentence('TLS handshake', bounds.tlsMs) : Math.min(bounds.totalMs, tlsEnd)
  }

  #settle(error: string | null): void {
    if (this.#settled) return
    this.#release()
    this.#done({
      ok: error === null,
      error: error === null ? null : clean(error),
      statusCode: this.#statusCode,
      phases: {
        dnsMs: this.#dnsMs,
        connectMs: this.#connectMs,
        tlsMs: this.#tlsMs,
        firstByteMs: this.#firstByteMs,
        totalMs: this.#elapsed(),
      },
    })
  }

  #release(): void {
    this.#settled = true
    this.#cancelTimer?.()
    this.#search?.destroy()
    this.#answer?.stop()
    this.#connection.close()
  }

  #elapsed(): number {
    return Math.round((this.#context.clock.monotonic() - this.#startedAt) * 100) / 100
  }
}
