// Dialect of generation 3: the form of its results and refusals. Every response is an envelope, and has the HTTP status that fits its
// result or refusal. Reference: docs/reference/v3.md, section 1.
import { AppError, type ErrorCode, type ErrorFacts } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { AuthenticationError } from '../callers/authentication-error.ts'
import { type Dialect, fromFramework, type Refusal, type UnreadableReason } from '../http/dialect.ts'
import { noStore } from '../http/no-store.ts'
import { Paged } from '../http/route.ts'

export const v3Dialect: Dialect = {
  prefixes: ['/api/v3'],
  isKeyed: true,
  isAudited: true,
  admitsSessions: true,
  budgetMs: limits.v3.answerMs,
  success: result =>
    result instanceof Paged
      ? { result: result.items, error: null, meta: { next_cursor: result.nextCursor, ...result.meta } }
      : { result, error: null, meta: null },
  refuse: error => refusalOf(fromFramework(error, 'The request is malformed')),
  unreadable: reason => refusalOf(new AppError('malformed', unreadable[reason])),
}

const kinds: Record<ErrorCode, [status: number, errorType: string]> = {
  malformed: [400, 'bad_request'],
  unauthenticated: [401, 'auth'],
  forbidden: [403, 'forbidden'],
  access_denied: [403, 'forbidden'],
  not_found: [404, 'not_found'],
  invalid_state: [409, 'conflict'],
  taken: [409, 'conflict'],
  gone: [410, 'gone'],
  too_large: [413, 'too_large'],
  validation: [422, 'validation'],
  busy: [429, 'rate_limited'],
  unavailable: [500, 'server'],
  internal: [500, 'server'],
}

/** Every `error_type`, in the order of the statuses. */
export const errorTypes: readonly string[] = [...new Set(Object.values(kinds).map(([, errorType]) => errorType))]

/** The `code` in the envelope is the HTTP status plus this number. */
const codeBase = 1_000
const retryAfterSeconds = 1

const retryAfterOf = (error: unknown): number => (error instanceof AppError ? error.retryAfterS : null) ?? retryAfterSeconds

function refusalOf(error: unknown): Refusal {
  const code = codeOf(error)
  const [status, error_type] = kinds[code]
  const isInternal = status === 500
  const { message, details } = isInternal || !(error instanceof AppError) ? internal : sayError(error)
  return {
    status,
    body: { result: null, error: { code: codeBase + status, error_type, message, details }, meta: null },
    code: codeBase + status,
    headers: code === 'busy' ? { ...noStore, 'retry-after': String(retryAfterOf(error)) } : noStore,
    isInternal,
  }
}

const internal: { message: string; details: ErrorFacts } = {
  message: 'The request could not be completed; send it again.',
  details: {},
}

/** Returns the texts of an error. Of its two texts, generation 3 sends only `details`; the short `message` is for generations 1 and 2. */
const sayError = ({ details, facts }: AppError) => ({ message: details, details: facts })

/**
 * Returns the code of an error. The keeper's client retries while the keeper is busy, and finally throws `unavailable` with a `busy` error
 * as its cause. For this error the code is `busy`.
 */
function codeOf(error: unknown): ErrorCode {
  if (error instanceof AuthenticationError) return 'unauthenticated'
  if (!(error instanceof AppError)) return 'internal'
  const { code, cause } = error
  return code === 'unavailable' && cause instanceof AppError && cause.code === 'busy' ? 'busy' : code
}

const unreadable: Record<UnreadableReason, string> = {
  'headers too large': `The request line and its headers have at most ${limits.http.headerBytes} bytes`,
  late: 'The request did not end in time',
  'no http': 'The request is no valid HTTP',
  expectation: 'The only expectation that is met is 100-continue',
}
