// A check of a port: connects, sends a text if there is one, and reads until the expected text has come or cannot come any more.
import { isIP } from 'node:net'
import { slowness } from '#shared/checks/slowness.ts'
import { type TcpAnswers, tcpFields } from '#shared/checks/tcp/fields.ts'
import { type Answered, answerBytes, judgeAnswer } from '#shared/checks/tcp/judge.ts'
import { parseHost } from '#shared/net/host-port.ts'
import { maskOf } from '#shared/secrecy/masked-text.ts'
import { unescaped } from '#shared/text/escapes.ts'
import type { CheckContext, Checker, CheckOutcome } from '../checker.ts'
import { ConnectedCheck } from '../connected-check.ts'
import type { ConnectionTarget } from '../connection.ts'
import { keptAnswer } from '../kept-answer.ts'
import { optionsIn } from '../options.ts'

export const checkTcp: Checker = (entry, context, done) => {
  const options = optionsIn<TcpAnswers>(tcpFields, entry)
  return new TcpCheck(options, context, Math.min(options.timeout_seconds * 1_000, entry.intervalMs), done)
}

function targetOf({ host, port, tls: secure, verify, authority, ip_family: ipFamily }: TcpAnswers): ConnectionTarget {
  const hostname = parseHost(host) ?? host
  return { secure, hostname, literal: isIP(hostname) !== 0, port, ipFamily, serverName: '', protocols: [], verify, authority }
}

class TcpCheck extends ConnectedCheck<ConnectionTarget> {
  readonly #options: TcpAnswers
  #answer: Buffer = Buffer.alloc(0)
  /** The port did what it should, be it too slowly. Only then does the time of the check say how fast it is. */
  #isRight = false
  #isClosed = false

  constructor(options: TcpAnswers, context: CheckContext, totalMs: number, done: (outcome: CheckOutcome) => void) {
    super(targetOf(options), context, totalMs, done)
    this.#options = options
  }

  protected override onReady(): void {
    const { send } = this.#options
    if (send !== '') this.connection.write(Buffer.from(unescaped(send) ?? []))
    this.#judge(null)
  }

  /** Keeps a copy, because the bytes are overwritten after the call. */
  protected override read(bytes: Buffer): boolean {
    this.#answer = Buffer.concat([this.#answer, bytes.subarray(0, answerBytes - this.#answer.length)])
    this.#judge(null)
    return !this.isSettled
  }

  protected override onClosed(): void {
    this.#isClosed = true
    this.#judge('closed')
  }

  #judge(end: Answered['end']): void {
    const fault = judgeAnswer(this.#options, { answer: this.#answer, end })
    this.#isRight = fault === null
    if (fault !== undefined) this.settle(fault ?? slowness(this.#options.max_ms, this.elapsed()))
  }

  protected override lateSentence(totalMs: number): string {
    const late = this.#answer.length === 0 ? null : judgeAnswer(this.#options, { answer: this.#answer, end: 'late' })
    return late ?? super.lateSentence(totalMs)
  }

  protected override outcomeOf(error: string | null): CheckOutcome {
    const outcome = super.outcomeOf(error)
    const judged = this.#isRight ? outcome : { ...outcome, value: null }
    if (error === null || this.#answer.length === 0 || !this.context.keepsAnswer?.(error)) return judged
    const { send } = this.#options
    const mask = maskOf([send, unescaped(send)?.toString() ?? ''])
    const response = keptAnswer({ lines: [], body: this.#answer, isWhole: this.#isClosed, decoder: null }, mask)
    return response === null ? judged : { ...judged, response }
  }
}
