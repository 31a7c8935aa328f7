// Dialects of the session API: plain JSON with HTTP statuses, and below `/session/v2` the dialect of generation 2.
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { AuthenticationError } from '../../callers/authentication-error.ts'
import { type Dialect, fromFramework, type Refusal } from '../../http/dialect.ts'
import { noStore } from '../../http/no-store.ts'
import { unreadableRefusal } from '../../http/plain-dialect.ts'
import { classicDialect } from '../../v2/dialect.ts'
import { fieldOf, sessionRefusal } from './session-error.ts'

export const sessionDialect: Dialect = {
  prefixes: ['/session'],
  isKeyed: false,
  budgetMs: limits.http.answerMs,
  success: result => result,
  refuse: error => sessionRefusal(fromFramework(error, 'The request is malformed.')),
  unreadable: reason => ({ ...unreadableRefusal(reason), headers: noStore }),
}

/**
 * Dialect of generation 2 with two changes for pages. A request whose session has ended gets an HTTP error status, as in the other dialects
 * of the session API. A refusal names the faulty field.
 */
export const sessionV2Dialect: Dialect = {
  ...classicDialect,
  prefixes: ['/session/v2'],
  isKeyed: false,
  refuse: error => ({ ...(isUnauthenticated(error) ? signInFirst() : withField(error)), headers: noStore }),
  unreadable: reason => ({ ...classicDialect.unreadable(reason), headers: noStore }),
}

function withField(error: unknown): Refusal {
  const refusal = classicDialect.refuse(error)
  const { body } = refusal
  if (typeof body === 'string' || !('error' in body)) return refusal
  return { ...refusal, body: { ...body, error: { ...(body.error as object), ...fieldOf(error) } } }
}

const isUnauthenticated = (error: unknown): boolean => error instanceof AppError && error.code === 'unauthenticated'
const signInFirst = () => ({ ...classicDialect.refuse(new AuthenticationError('missing')), status: 401 })
