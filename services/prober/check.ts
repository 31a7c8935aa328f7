// One check: a fresh connection, one request, one judgement. Owns its socket and its one timer and gives both back whatever the
// far end does; never throws, never follows a redirect, never reads more than 1 MiB of a decoded body.
//
// A bare undici Client with its own connector, given its request by `dispatch`, and the socket destroyed by hand at the moment
// of judgement: that costs 0.6 of what `node:http` without an agent costs (an Agent a check: 1.6; `client.destroy()`: 0.9).
// Nothing else holds such a Client, so nothing else has to be closed. undici's own timers are coarse and stay off.
import type { Socket } from 'node:net'
import { Client, type Dispatcher } from 'undici'
import type { Cancel, Clock } from '#shared/clock.ts'
import type { CheckEntry, CheckPhases } from '#shared/contracts/check.ts'
import { createEgress, type Egress } from '#shared/egress.ts'
import { limits } from '#shared/limits.ts'
import type { Resolve } from '#shared/resolve.ts'
import { type BodySearch, createBodySearch, type Finding } from './body.ts'
import { type ConnectionListener, createTrust, openConnection, type Trust } from './connection.ts'
import { bodySentence, clean, errorSentence, type Phase, statusSentence, timeoutSentence } from './sentences.ts'
import { compileTarget, type Target } from './target.ts'

/** What a check found; `error` is a sentence for a person, null when ok. Phases in ms from the start, to a hundredth. */
export interface CheckOutcome {
  ok: boolean
  error: string | null
  statusCode: number | null
  phases: CheckPhases
}

export interface CheckSurroundings {
  clock: Clock
  resolve: Resolve
  trust: Trust
  egress: Egress
  /** Bounds of the check in ms; the defaults are the contract's (spec D 1, Checks), tests shorten them. */
  bounds: { connectMs: number; tlsMs: number; totalMs: number }
}

export interface CheckOptions extends Partial<CheckSurroundings> {
  clock: Clock
  resolve: Resolve
  userAgent: string
}

/** One check of an entry (spec D 1, Checks). Resolves always; every failure is an outcome. */
export function runCheck(entry: CheckEntry, options: CheckOptions): Promise<CheckOutcome> {
  const target = compileTarget(entry, options.userAgent)
  if (target === null) return Promise.resolve(impossible)
  const defaults = { trust: options.trust ?? createTrust(), egress: options.egress ?? createEgress(), bounds: limits.check }
  const surroundings = { ...defaults, ...options }
  return new Promise(done => void new Check(target, surroundings, done).start())
}

/** The outcome of an entry whose address cannot be checked at all. */
export const impossible: CheckOutcome = Object.freeze({
  ok: false,
  error: 'address is not an HTTP or HTTPS URL',
  statusCode: null,
  phases: Object.freeze({ dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 0 }),
})

/** Interim answers (1xx) before the real one; more are a far end that never means to answer. */
const interimMax = 32

/** Why sockets are destroyed: where none is given undici makes one for each, and the stacks cost much of a check. */
const over = new Error('the check is over')

/** A check under way. `done` is called exactly once, possibly before `start` returns, unless it is abandoned. */
export class Check implements Dispatcher.DispatchHandler, ConnectionListener {
  settled = false
  readonly #target: Target
  readonly #surroundings: CheckSurroundings
  readonly #done: (outcome: CheckOutcome) => void
  readonly #startedAt: number
  #phase: Phase = 'name'
  #socket: Socket | null = null
  #connected: ((error: Error | null, socket: Socket | null) => void) | null = null
  #cancelTimer: Cancel | null = null
  #search: BodySearch | null = null
  /** The answer came whole: what happens to the connection now says nothing about it. */
  #complete = false
  #interim = 0
  #statusCode: number | null = null
  #dnsMs: number | null = null
  #connectMs: number | null = null
  #tlsMs: number | null = null
  #firstByteMs: number | null = null

  constructor(target: Target, surroundings: CheckSurroundings, done: (outcome: CheckOutcome) => void) {
    this.#target = target
    this.#surroundings = surroundings
    this.#done = done
    this.#startedAt = surroundings.clock.monotonic()
  }

  start(): void {
    const { clock, bounds } = this.#surroundings
    this.#cancelTimer = clock.after(Math.min(bounds.connectMs, bounds.totalMs), this.#onTimer)
    try {
      const client = new Client(this.#target.origin, {
        connect: this.#connect as never,
        headersTimeout: 0,
        bodyTimeout: 0,
        pipelining: 0,
        allowH2: false,
        maxHeaderSize: limits.check.headerBytes,
      })
      client.dispatch(this.#target.request, this)
    } catch (error) {
      this.#fail(error as Error)
    }
  }

  /** Ends the check without an outcome: whoever stops it no longer wants one. */
  abandon(): void {
    this.#release()
  }

  // The connection reports.

  #connect = (_options: unknown, connected: (error: Error | null, socket: Socket | null) => void): void => {
    // A second call would be undici trying again; a check is one connection.
    if (this.settled || this.#connected !== null) return
    this.#connected = connected
    openConnection(this.#target, this.#surroundings, this, this.#adopt)
  }

  #adopt = (socket: Socket): void => {
    if (this.settled) socket.destroy()
    else this.#socket = socket
  }

  onResolved(): void {
    this.#dnsMs = this.#elapsed()
    this.#phase = 'connect'
  }

  onConnected(): void {
    if (this.settled) return
    this.#connectMs = this.#elapsed()
    this.#phase = this.#target.secure ? 'tls' : 'answer'
    if (!this.#target.secure) this.#connected?.(null, this.#socket)
  }

  onSecured(): void {
    if (this.settled) return
    this.#tlsMs = this.#elapsed()
    this.#phase = 'answer'
    this.#connected?.(null, this.#socket)
  }

  onFailed(error: Error): void {
    this.#fail(error)
  }

  // The answer arrives.

  onRequestStart(): void {}

  onResponseStarted(): void {
    this.#firstByteMs ??= this.#elapsed()
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (this.settled) return
    if (statusCode < 200) {
      if (++this.#interim > interimMax) this.#settle('answer is not HTTP')
      return
    }
    this.#judge(controller, statusCode, headers['content-encoding'])
    this.#endParsing(controller)
  }

  #judge(controller: Dispatcher.DispatchController, statusCode: number, encoding: string | string[] | undefined): void {
    const { statuses, needle } = this.#target
    this.#statusCode = statusCode
    this.#phase = 'body'
    if (!statuses.includes(statusCode)) this.#settle(statusSentence(statusCode, statuses))
    else if (needle === null) this.#settle(null)
    else this.#search = this.#startSearch(needle, encoding, controller)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.settled) return
    if (this.#search?.write(chunk) === false && !this.settled) controller.pause()
    this.#endParsing(controller)
  }

  /** Of a pause undici makes no error, as it does of a destroyed socket on which it would have gone on reading. */
  #endParsing(controller: Dispatcher.DispatchController): void {
    if (this.settled) controller.pause()
  }

  onResponseEnd(): void {
    this.#complete = true
    if (!this.settled) this.#search?.end()
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#fail(error)
  }

  #startSearch(needle: Buffer, encoding: string | string[] | undefined, controller: Dispatcher.DispatchController): BodySearch {
    return createBodySearch({
      needle,
      encoding: Array.isArray(encoding) ? encoding.join(',') : (encoding ?? ''),
      onFinding: finding => this.#settle(this.#findingSentence(finding)),
      onDrain: () => {
        if (!this.settled) controller.resume()
      },
    })
  }

  #findingSentence(finding: Finding): string | null {
    if (finding === 'found') return null
    return finding === 'broken' ? 'body cannot be decoded' : bodySentence(this.#target.expectedText)
  }

  // The end.

  /** One timer serves three bounds: it looks how far the check is and, where that is in time, waits for the next bound. */
  #onTimer = (): void => {
    const { clock } = this.#surroundings
    const elapsed = clock.monotonic() - this.#startedAt
    // A timer may fire a fraction of a millisecond early.
    const over = this.#boundAt(elapsed + 1)
    if (typeof over === 'string') this.#settle(over)
    else this.#cancelTimer = clock.after(over - elapsed, this.#onTimer)
  }

  /** The sentence of the bound that is reached `elapsed` ms after the start, or when the next one will be. */
  #boundAt(elapsed: number): string | number {
    const { bounds } = this.#surroundings
    if (elapsed >= bounds.totalMs) return timeoutSentence('answer', bounds.totalMs)
    if (this.#connectMs === null) return timeoutSentence('connection', bounds.connectMs)
    if (this.#phase !== 'tls') return bounds.totalMs
    const tlsEnd = this.#connectMs + bounds.tlsMs
    return elapsed >= tlsEnd ? timeoutSentence('TLS handshake', bounds.tlsMs) : Math.min(bounds.totalMs, tlsEnd)
  }

  #fail(error: Error): void {
    if (this.settled || this.#complete) return
    this.#settle(errorSentence(error, this.#phase, this.#target, this.#surroundings.clock.now()))
  }

  #settle(error: string | null): void {
    if (this.settled) return
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
    this.settled = true
    this.#cancelTimer?.()
    this.#search?.destroy()
    this.#socket?.destroy(over)
  }

  #elapsed(): number {
    return Math.round((this.#surroundings.clock.monotonic() - this.#startedAt) * 100) / 100
  }
}
