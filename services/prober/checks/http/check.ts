// One check: a new connection, one request, one outcome (ADR 15). Never throws, never follows a redirect, never reads more than 1 MiB of a
// decoded body.

import { type CheckContext, type CheckOutcome, noPhases } from '../checker.ts'
import { ConnectedCheck } from '../connected-check.ts'
import { answerSentence, bodySentence, sentences, statusSentence } from '../sentences.ts'
import { Answer, type AnswerHead, type AnswerListener } from './answer.ts'
import { type BodySearch, createBodySearch, type Finding } from './body-search.ts'
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

export class Check extends ConnectedCheck<Target> implements AnswerListener {
  #answer: Answer | null = null
  #search: BodySearch | null = null
  /** True while the decoders still have many bytes to decode. No more bytes are read until `onDrain`. */
  #isChoked = false
  #interim = 0

  constructor(target: Target, context: CheckContext, done: (outcome: CheckOutcome) => void) {
    super(target, context, context.bounds.totalMs, done)
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
    const parsed = this.#answer?.read(bytes)
    if (parsed === 'broken') this.settle(answerSentence(this.#answer?.fault ?? 'start'))
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

  // Callbacks of the parser.

  onHead(head: AnswerHead): boolean {
    if (head.statusCode >= 200) this.#judge(head)
    else if (++this.#interim > interimMax) this.settle(answerSentence('interim'))
    return !this.isSettled
  }

  #judge(head: AnswerHead): void {
    const { statusCode } = head
    const { statuses, expectedText } = this.target
    this.statusCode = statusCode
    this.phase = 'body'
    if (!statuses.includes(statusCode)) this.settle(statusSentence(statusCode, statuses))
    else if (expectedText === '') this.settle(null)
    else this.#search = this.#startSearch(head)
  }

  onBody(bytes: Buffer): boolean {
    if (this.#search?.write(bytes) === false) this.#isChoked = true
    return !this.isSettled
  }

  /** Closes the connection, because a later failure of the connection must not change the outcome. */
  onComplete(): void {
    this.#search?.end()
    this.connection.close()
  }

  #startSearch({ encoding, contentType }: AnswerHead): BodySearch {
    return createBodySearch({
      text: this.target.expectedText,
      encoding,
      contentType,
      onFinding: finding => this.settle(this.#findingSentence(finding)),
      onDrain: () => {
        this.#isChoked = false
        this.connection.resume()
      },
    })
  }

  #findingSentence(finding: Finding): string | null {
    if (finding === 'found') return null
    return finding === 'broken' ? sentences.undecodable : bodySentence(this.target.expectedText)
  }

  protected override release(): void {
    super.release()
    this.#search?.destroy()
    this.#answer?.stop()
  }
}
