// Refusals of the session API: a word for programs, a short text, a sentence with the next action, and an HTTP status. Only this file
// converts AppErrors into these refusals.
import { AppError, type ErrorCode } from '#shared/errors.ts'
import type { Refusal } from '../../http/dialect.ts'
import { noStore } from '../../http/no-store.ts'

/** HTTP status of each error word. The words are part of the API. */
export const sessionErrors = {
  malformed: 400,
  unauthenticated: 401,
  wrong_credentials: 401,
  forbidden: 403,
  disabled: 403,
  cross_origin: 403,
  not_local: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  unsupported_media_type: 415,
  invalid: 422,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
} as const

export type SessionErrorWord = keyof typeof sessionErrors

/** A refusal that only the session API has. */
export class SessionError extends AppError {
  readonly word: SessionErrorWord
  /** Seconds after which a retry may succeed, rounded up. Null: waiting does not help. */
  readonly retryAfterSeconds: number | null

  constructor(word: SessionErrorWord, message: string, details: string, retryAfterMs: number | null = null) {
    super('forbidden', message, { details, retryable: false })
    this.name = 'SessionError'
    this.word = word
    this.retryAfterSeconds = retryAfterMs === null ? null : Math.max(1, Math.ceil(retryAfterMs / 1_000))
  }
}

/** Returns the refusal for an error. Details of an internal failure are never included. */
export function sessionRefusal(error: unknown): Refusal {
  const word = wordOf(error)
  const { message, details } = error instanceof SessionError ? error : (texts[word] ?? (error as AppError))
  const status = sessionErrors[word]
  const seconds = error instanceof SessionError ? error.retryAfterSeconds : word === 'unavailable' ? 1 : null
  return {
    status,
    body: { error: { code: word, message, details, ...fieldOf(error) } },
    code: status,
    headers: seconds === null ? noStore : { ...noStore, 'retry-after': String(seconds) },
    isInternal: !(error instanceof SessionError) && (word === 'internal' || word === 'unavailable'),
  }
}

/** Returns the field that the refusal concerns, by its name in the request. */
export const fieldOf = (error: unknown): { field?: string } =>
  error instanceof AppError && error.facts.field !== undefined ? { field: error.facts.field } : {}

const words: Record<ErrorCode, SessionErrorWord> = {
  unauthenticated: 'unauthenticated',
  not_found: 'not_found',
  validation: 'invalid',
  taken: 'invalid',
  forbidden: 'forbidden',
  access_denied: 'forbidden',
  invalid_state: 'conflict',
  malformed: 'malformed',
  too_large: 'too_large',
  gone: 'not_found',
  busy: 'unavailable',
  unavailable: 'unavailable',
  internal: 'internal',
}

const texts: Partial<Record<SessionErrorWord, { message: string; details: string }>> = {
  internal: { message: 'Internal error', details: 'The request could not be completed; try again later.' },
  unavailable: {
    message: 'Temporarily unavailable',
    details: 'The request could not be completed in time; try again in a moment.',
  },
}

function wordOf(error: unknown): SessionErrorWord {
  if (error instanceof SessionError) return error.word
  return error instanceof AppError ? (words[error.code] ?? 'internal') : 'internal'
}
