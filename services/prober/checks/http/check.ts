// One check: one request and its answer, and those of the redirects that are followed, each over a new connection (ADR 15). Its outcome is one.
// Never throws, never reads more than 1 MiB of a decoded body, and reads none if only the head is judged.

import { slowness } from '#shared/checks/slowness.ts'
import type { TriedDetails } from '#shared/contracts/observations/try.ts'
import { limits } from '#shared/limits/limits.ts'
import { redactedText } from '#shared/secrecy/redacted-text.ts'
import type { Cancel } from '#shared/time/clock.ts'
import { type CheckContext, type CheckOutcome, noPhases } from '../checker.ts'
import { ConnectedCheck } from '../connected-check.ts'
import type { ConnectionTarget } from '../connection.ts'
import { keptAnswer } from '../kept-answer.ts'
import {
  answerSentence,
  bodySentence,
  clean,
  patternSentence,
  sentences,
  statusSentence,
  unwantedSentence,
} from '../sentences.ts'
import { Answer, type AnswerHead, type AnswerListener } from './answer.ts'
import { type BodyDecoder, createBodyDecoder } from './body-decoder.ts'
import { allOf, jsonLook, type Look, type PatternLook, patternLook, textLook, type Verdict } from './body-looks.ts'
import { pageDecoder } from './charset.ts'
import { matchApart } from './pattern-thread.ts'
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

/** Before a head has come. */
const nothingSeen = { contentType: '', body: Buffer.alloc(0), isWhole: false }

const tooSlow = 'matching the pattern takes too long'

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
  /** What may be kept of the last answer, if it may be kept. */
  #seen: { contentType: string; body: Buffer; isWhole: boolean } = nothingSeen
  /** Outcome of a check that has failed already, and reads on only for the answer that is kept. */
  #held: CheckOutcome | null = null
  #cancelReading: Cancel | null = null
  /** Redirects that were followed, of a check that is tried. */
  readonly #hops: TriedDetails['hops'] = []
  /** Null until the check has failed. */
  #isKept: boolean | null = null
  /** What the body is matched with in the end; null: no pattern is looked for. */
  #pattern: PatternLook | null = null
  #isMatching = false

  constructor(target: Target, context: CheckContext, done: (outcome: CheckOutcome) => void) {
    super(target, context, target.further?.totalMs ?? context.bounds.totalMs, done)
  }

  override start(): void {
    if (this.target.request === null) this.settle(sentences.unsendable)
    else super.start()
  }

  // Callbacks of the connection.

  protected override onReady(): void {
    this.#answer = new Answer(this.target.method, this, this.#mayKeep)
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
    return { ...target, hostname: target.further.mask().short(target.hostname, limits.check.errorCharacters) }
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
    this.#seen = { contentType: head.contentType, body: Buffer.alloc(0), isWhole: false }
    const next = further === null ? null : further.follow(head, this.#followed)
    if (typeof next === 'string') this.#fail(next, head)
    else if (next !== null) this.#follow(next, head)
    else if (!statuses.some(([from, to]) => statusCode >= from && statusCode <= to)) {
      this.#fail(statusSentence(statusCode, statuses), head)
    } else {
      const looks = this.#looksAt(head.contentType)
      if (looks.length === 0) this.settle(null)
      else this.#readBody(looks.length === 1 ? (looks[0] as Look) : allOf(looks), head.encoding)
    }
  }

  /** Fails by the head. Reads the beginning of the body nevertheless, for a while, if the answer is kept. */
  #fail(sentence: string, head: AnswerHead): void {
    const error = clean(sentence)
    if (!this.#isToKeep(error)) {
      this.settle(sentence)
      return
    }
    this.#held = { ...this.#withHops(super.outcomeOf(error)), value: null }
    this.#cancelReading = this.context.clock.schedule(limits.answers.readMs, () => this.settle(null))
    this.#readBody(null, head.encoding)
  }

  #follow(next: Target, { statusCode, location }: AnswerHead): void {
    if (this.context.isTried) this.#hops.push({ status: statusCode, location: this.#shownAddress(location) })
    this.#answer = null
    this.#seen = nothingSeen
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
    const { lacks, json, matches, mask } = further
    if (lacks !== '') looks.push(textLook(lacks, contentType, isThere => (isThere ? unwantedSentence(lacks) : null)))
    if (json !== null) looks.push(jsonLook(json, contentType, text => mask().short(text, quoted)))
    if (matches !== '') looks.push(this.#keepForPattern(contentType))
    return looks
  }

  #keepForPattern(contentType: string): Look {
    this.#pattern = patternLook(contentType)
    return this.#pattern
  }

  /** Matches what has come in another thread, which may be busy. */
  #match({ texts }: PatternLook, pattern: string): void {
    if (this.#isMatching) return
    this.#isMatching = true
    this.endReading()
    void matchApart({ pattern, texts: texts() }, this.context.clock).then(isMatch => {
      if (isMatch === null) this.finish({ ...this.#withHops(super.outcomeOf(tooSlow)), value: null, cannot: true })
      else this.settle(isMatch ? null : patternSentence(pattern))
    })
  }

  /** `look` null: the body is not judged. */
  #readBody(look: Look | null, encoding: string): void {
    const see = (verdict: Verdict | undefined) => {
      if (verdict === null && this.#pattern !== null) this.#match(this.#pattern, this.target.further?.matches ?? '')
      else if (verdict !== undefined) this.settle(verdict)
    }
    this.#body = createBodyDecoder({
      encoding,
      onChunk: chunk => {
        if (this.isSettled) return
        if (this.#mayKeep) this.#keep(chunk)
        if (look !== null) see(look.add(chunk))
        else if (this.#seen.body.length > limits.answers.bodyBytes) this.settle(null)
      },
      onEnd: () => {
        if (this.isSettled) return
        this.#seen.isWhole = true
        see(look === null ? null : look.end())
      },
      onBroken: () => this.settle(sentences.undecodable),
      onDrain: () => {
        this.#isChoked = false
        this.connection.resume()
      },
    })
  }

  /** A byte more than is kept says that there are more. */
  #keep(chunk: Buffer): void {
    const { body } = this.#seen
    const room = limits.answers.bodyBytes + 1 - body.length
    if (room > 0) this.#seen.body = Buffer.concat([body, chunk.subarray(0, room)])
  }

  get #mayKeep(): boolean {
    return this.target.further !== null && this.context.keepsAnswer !== undefined
  }

  protected override outcomeOf(error: string | null): CheckOutcome {
    if (this.#held !== null) return this.#withAnswer(this.#held)
    const outcome = this.#withHops(super.outcomeOf(error))
    const { further } = this.target
    if (further === null) return outcome
    const { totalMs } = outcome.phases
    const slow = error === null ? slowness(further.passesMs, totalMs) : null
    const judged = {
      ...outcome,
      ok: error === null && slow === null,
      error: error ?? slow,
      value: error === null ? totalMs : null,
    }
    const isKept = judged.error !== null && this.#answer !== null && this.#isToKeep(judged.error)
    return isKept ? this.#withAnswer(judged) : judged
  }

  #shownAddress(location: string): string {
    return this.target.further?.mask().short(redactedText(location), limits.check.errorCharacters) ?? ''
  }

  /** Asks once. */
  #isToKeep(error: string): boolean {
    this.#isKept ??= this.#mayKeep && this.context.keepsAnswer?.(error) === true
    return this.#isKept
  }

  #withHops(outcome: CheckOutcome): CheckOutcome {
    return outcome.details === undefined ? outcome : { ...outcome, details: { ...outcome.details, hops: this.#hops } }
  }

  #withAnswer(outcome: CheckOutcome): CheckOutcome {
    const lines = this.#answer?.lines ?? []
    const { further } = this.target
    if (further === null || lines.length === 0) return outcome
    const { contentType, body, isWhole } = this.#seen
    const response = keptAnswer({ lines, body, isWhole, decoder: pageDecoder(body, contentType) }, further.mask())
    return response === null ? outcome : { ...outcome, response }
  }

  protected override release(): void {
    super.release()
    this.#cancelReading?.()
    this.#body?.destroy()
    this.#answer?.stop()
  }
}
