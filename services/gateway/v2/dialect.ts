// The dialect of generations 1 and 2: HTTP 200 always, refusals in the envelope (spec D, general rules).
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits.ts'
import type { Dialect, Refusal, UnreadableReason } from '../dialect.ts'
import { fromFramework } from '../framework-error.ts'
import { tooLarge } from '../json-body.ts'
import { failure, internalCode, success } from './envelope.ts'

export const classicDialect: Dialect = {
  prefixes: ['/api'],
  isKeyed: true,
  budgetMs: limits.http.answerMs,
  success,
  refuse: error => refusalOf(fromFramework(error, 'The request is malformed')),
  unreadable: reason => refusalOf(unreadableErrors[reason]()),
}

function refusalOf(error: unknown): Refusal {
  const body = failure(error)
  const { code } = body.error
  return { status: 200, body, code, isInternal: code === internalCode }
}

const unreadable = (details: string) => new AppError('malformed', 'Invalid request', { details })

const unreadableErrors: Record<UnreadableReason, () => AppError> = {
  'headers too large': () => tooLarge(`The request line and its headers have at most ${limits.http.headerBytes} bytes`),
  late: () => unreadable('The request did not end in time'),
  'no http': () => unreadable('The request is no valid HTTP'),
  expectation: () => unreadable('The only expectation that is met is 100-continue'),
}
