// Dialect of generations 1 and 2: always HTTP 200, refusals in the envelope (reference/envelope 2.1).
import { type AppError, refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { tooLarge } from '../body/json-body.ts'
import { type Dialect, fromFramework, type Refusal, type UnreadableReason } from '../http/dialect.ts'
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

const unreadable = (details: string) => refusal('malformed', 'Invalid request', details)

const unreadableErrors: Record<UnreadableReason, () => AppError> = {
  'headers too large': () => tooLarge(`The request line and its headers have at most ${limits.http.headerBytes} bytes`),
  late: () => unreadable('The request did not end in time'),
  'no http': () => unreadable('The request is no valid HTTP'),
  expectation: () => unreadable('The only expectation that is met is 100-continue'),
}
