// One check: one request and its answer, and those of the redirects that are followed, each over a new connection (ADR 15). Its outcome is one.
// Never throws, never reads more than 1 MiB of a decoded body, and reads none if only the head is judged.

import { slowness } from '#shared/checks/slowness.ts'
import { limits } from '#shared/limits/limits.ts'
import { type CheckContext, type CheckOutcome, noPhases } from '../checker.ts'
import { ConnectedCheck } from '../connected-check.ts'
import type { ConnectionTarget } from '../connection.ts'
import { answerSentence, bodySentence, sentences, statusSentence, unwantedSentence } from '../sentences.ts'
import { Answer, type AnswerHead, type AnswerListener } from './answer.ts'
import { type BodyDecoder, createBodyDecoder } from './body-decoder.ts'
import { allOf, jsonLook, type Look, textLook, type Verdict } from './body-looks.ts'
import type { Target } from './target.ts'

/** Outcome of a check whose address is not an HTTP or HTTPS URL. */
export const impossible: CheckOutcome = Object.freeze({
  ok: false,
  error: 'address is not an HTTP or HTTPS URL',
  statusCode: null,
  phases: noPhases,
})

/** Maximum number of interim responses (1xx) before the final response. */
const interimMax = 32

/** Largest number of characters of an answer in a sentence. */
const quoted = 60

export class Check extends ConnectedCheck<Target> implements AnswerListener {
  /** Null: no request was sent over the present connection. */
  #answer: Answer | null = null
  #body: BodyDecoder | null = null
  /** True while the decoders still have many bytes to decode. No more bytes are read until `onDrain`. */
  #isChoked = false
  #interim = 0
  /** Number of redirects that were followed. */
  #followed = 0

  constructor(target: Target, context: CheckContext, done: (outcome: CheckOutcome) => void) {
    super(target, context, target.further?.totalMs ?? context.bounds.totalMs, done)
  }

  override start(): void {
    if (this.target.request === null) this.settle(sentences.unsendable)
    else super.start()
  }

  // Callbacks of the connection.

  protected override onReady(): void {
    this.#answer = new Answer(this.target.method, this)
    this.connection.write(this.target.request as Buffer)
  }

  protected override read(bytes: Buffer): boolean {
    const answer = this.#answer
    const parsed = answer?.read(bytes)
    if (parsed === 'broken') this.settle(answerSentence(answer?.fault ?? 'start'))
    return parsed === 'more' && !this.#isChoked
  }

  protected override onClosed(): void {
    if (this.#answer?.close()) return
    this.settle(this.phase === 'body' ? sentences.closedWithin : sentences.closedBefore)
  }

  /** If the server did not state the response's length, a connection reset may be the regular end of the response. */
  override onFailed(error: Error): void {
    if ((error as NodeJS.ErrnoException).code === 'ECONNRESET' && this.#answer?.close(true)) return
    super.onFailed(error)
  }

  /** The host of a redirect is a server's own words. */
  protected override get named(): ConnectionTarget {
    const { target } = this
    if (target.further === null || this.#followed === 0) return target
    return { ...target, hostname: target.further.masked(target.hostname, limits.check.errorCharacters) }
  }

  // Callbacks of the parser.

  onHead(head: AnswerHead): boolean {
    if (head.statusCode >= 200) this.#judge(head)
    else if (++this.#interim > interimMax) this.settle(answerSentence('interim'))
    return !this.isSettled && this.#answer !== null
  }

  #judge(head: AnswerHead): void {
    const { statusCode } = head
    const { statuses, further } = this.target
    this.statusCode = statusCode
    this.phase = 'body'
    const next = further === null ? null : further.follow(head, this.#followed)
    if (typeof next === 'string') this.settle(next)
    else if (next !== null) this.#follow(next)
    else if (!statuses.some(([from, to]) => statusCode >= from && statusCode <= to)) {
      this.settle(statusSentence(statusCode, statuses))
    } else {
      const looks = this.#looksAt(head.contentType)
      if (looks.length === 0) this.settle(null)
      else this.#readBody(looks.length === 1 ? (looks[0] as Look) : allOf(looks), head.encoding)
    }
  }

  #follow(next: Target): void {
    this.#answer = null
    this.#interim = 0
    this.#followed++
    this.statusCode = null
    this.moveTo(next)
  }

  onBody(bytes: Buffer): boolean {
    if (this.#body?.write(bytes) === false) this.#isChoked = true
    return !this.isSettled
  }

  /** Closes the connection, because a later failure of the connection must not change the outcome. */
  onComplete(): void {
    this.#body?.end()
    this.connection.close()
  }

  /** Returns what the body is judged by, in the order in which the first fault counts. */
  #looksAt(contentType: string): Look[] {
    const { contains, further } = this.target
    const looks: Look[] = []
    if (contains !== '') looks.push(textLook(contains, contentType, isThere => (isThere ? null : bodySentence(contains))))
    if (further === null) return looks
    const { lacks, json, masked } = further
    if (lacks !== '') looks.push(textLook(lacks, contentType, isThere => (isThere ? unwantedSentence(lacks) : null)))
    if (json !== null) looks.push(jsonLook(json, contentType, text => masked(text, quoted)))
    return looks
  }

  #readBody(look: Look, encoding: string): void {
    const see = (verdict: Verdict | undefined) => {
      if (verdict !== undefined) this.settle(verdict)
    }
    this.#body = createBodyDecoder({
      encoding,
      onChunk: chunk => {
        if (!this.isSettled) see(look.add(chunk))
      },
      onEnd: () => {
        if (!this.isSettled) see(look.end())
      },
      onBroken: () => this.settle(sentences.undecodable),
      onDrain: () => {
        this.#isChoked = false
        this.connection.resume()
      },
    })
  }

  protected override outcomeOf(error: string | null): CheckOutcome {
    const outcome = super.outcomeOf(error)
    const { further } = this.target
    if (further === null) return outcome
    const { totalMs } = outcome.phases
    if (error !== null) return { ...outcome, value: null }
    const slow = slowness(further.passesMs, totalMs)
    return { ...outcome, ok: slow === null, error: slow, value: totalMs }
  }

  protected override release(): void {
    super.release()
    this.#body?.destroy()
    this.#answer?.stop()
  }
}
