// Answers to pings: short plain texts on which clients of Healthchecks rely. Reference: docs/reference/v3.md, 17.4.
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Dialect, Refusal } from '../http/dialect.ts'
import { noStore } from '../http/no-store.ts'
import { unreadableRefusal } from '../http/plain-dialect.ts'

export interface PingAnswer {
  status: number
  text: string
  /** Seconds in `Retry-After`; absent: the header is not sent. */
  retryAfterS?: number
}

const { retryAfterS, refusedRetryAfterS } = limits.pings

export const pingAnswers = {
  stored: { status: 200, text: 'OK' },
  created: { status: 201, text: 'Created' },
  badUrl: { status: 400, text: 'invalid url format' },
  badRun: { status: 400, text: 'invalid uuid format' },
  unknown: { status: 404, text: 'not found' },
  ambiguous: { status: 409, text: 'ambiguous slug' },
  tooLarge: { status: 413, text: 'too large' },
  refused: { status: 429, text: 'rate limited', retryAfterS: refusedRetryAfterS },
  unavailable: { status: 503, text: 'unavailable', retryAfterS },
} as const satisfies Record<string, PingAnswer>

export type PingOutcome = keyof typeof pingAnswers

/** Returns the outcome of an error. Whatever was not stored for a reason of the installation may be sent again. */
export const outcomeOf = (error: unknown): PingOutcome =>
  error instanceof AppError && error.code === 'not_found' ? 'unknown' : 'unavailable'

/** Headers of every answer to a ping. */
export const pingHeaders = (bodyLimit: number) => ({
  'content-type': 'text/plain; charset=utf-8',
  'access-control-allow-origin': '*',
  'ping-body-limit': String(bodyLimit),
  ...noStore,
})

export const retryAfter = ({ retryAfterS: seconds }: PingAnswer): Record<string, string> =>
  seconds === undefined ? {} : { 'retry-after': String(seconds) }

/** Dialect of the paths below `/ping`. Its refusals are answers to pings. */
export function pingDialect(bodyLimit: number): Dialect {
  const headers = pingHeaders(bodyLimit)
  return {
    prefixes: ['/ping'],
    isKeyed: false,
    budgetMs: limits.pings.answerMs,
    success: result => result,
    refuse: error => pingRefusal(error, answer => ({ body: answer.text, headers })),
    unreadable: reason => ({ ...unreadableRefusal(reason), headers }),
  }
}

type Written = { body: string | object; headers: Readonly<Record<string, string>> }

/** Returns the refusal of an error in the words of pings. `written`: body and headers of an answer. */
export function pingRefusal(error: unknown, written: (answer: PingAnswer) => Written): Refusal {
  const outcome = outcomeOf(error)
  const answer: PingAnswer = pingAnswers[outcome]
  const { body, headers } = written(answer)
  // A sender who goes away before the end of a body, and a body that gives way to others, are no failures of the installation.
  const isInternal = outcome === 'unavailable' && !(error instanceof AppError && passing.includes(error.code))
  return { status: answer.status, body, code: answer.status, headers: { ...headers, ...retryAfter(answer) }, isInternal }
}

const passing: readonly string[] = ['malformed', 'busy']
