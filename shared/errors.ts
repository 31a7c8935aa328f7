// The one error that crosses borders inside the system. Each dialect maps its code to its own envelope in one place.
// Expected outcomes of a command are replies, not throws; throwing means the caller cannot go on.

/** What went wrong, as a closed set of words. Generations 1 and 2 answer the last three as one internal error: no client can act on them. */
export type ErrorCode =
  | 'unauthenticated'
  | 'not_found'
  | 'validation'
  | 'forbidden'
  | 'invalid_state'
  /** A name that is in use: an invalid value in generations 1 and 2, a conflict in generation 3. */
  | 'taken'
  | 'access_denied'
  | 'malformed'
  | 'too_large'
  | 'gone'
  | 'busy'
  | 'unavailable'
  | 'internal'

/** What a program may branch on beside the code; generation 3 shows it as `error.details`. */
export interface ErrorFacts {
  /** A field's own name, or a dotted place. */
  field?: string
  /** The action that a key lacks, or `full`. */
  scope?: string
  /** The least role that is enough. */
  role?: string
  /** The uses that keep the object from deletion, as a text for people. */
  used_by?: string
}

export interface ErrorBody {
  code: ErrorCode
  /** The short text; where the spec gives one, it is that text. */
  message: string
  /** A sentence that says what is wrong and what to do. */
  details: string
  facts?: ErrorFacts
}

export interface AppErrorOptions {
  details?: string
  facts?: ErrorFacts
  /** True where the same request may succeed when it is sent again unchanged. */
  retryable?: boolean
  /** After how many seconds another try of a refused `busy` may succeed; absent: soon. */
  retryAfterS?: number
  cause?: unknown
}

export class AppError extends Error {
  readonly code: ErrorCode
  readonly details: string
  readonly facts: ErrorFacts
  readonly retryable: boolean
  readonly retryAfterS: number | null

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.details = options.details ?? message
    this.facts = options.facts ?? {}
    this.retryable = options.retryable ?? (code === 'busy' || code === 'unavailable')
    this.retryAfterS = options.retryAfterS ?? null
  }

  toBody(): ErrorBody {
    const { code, message, details, facts } = this
    return Object.keys(facts).length === 0 ? { code, message, details } : { code, message, details, facts }
  }

  static fromBody(body: ErrorBody): AppError {
    const { details, facts = {} } = body
    return new AppError(body.code, body.message, { details, facts })
  }
}

/** A broken invariant: the process must not go on with what it believes. */
export function invariant(holds: unknown, sentence: string): asserts holds {
  if (!holds) throw new Error(`Invariant broken: ${sentence}`)
}
