// The only error that crosses service boundaries. Each API maps its code to an error response in one place. Expected outcomes of a command
// are results; an error means that the caller cannot continue.

/** Kinds of errors. Generations 1 and 2 respond with the same internal error for the last three, because no client can act on them. */
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

/** Facts that a program may use in addition to the code; generation 3 shows them as `error.details`. */
export interface ErrorFacts {
  /** Name of a field, or a dotted path. */
  field?: string
  /** Action that the key lacks, or `full`. */
  scope?: string
  /** The least role that suffices. */
  role?: string
  /** Uses that prevent the deletion of the object, as a text for people. */
  used_by?: string
}

export interface ErrorBody {
  code: ErrorCode
  /** Short text; the exact text of docs/reference if a rule gives one. */
  message: string
  /** A sentence that says what is wrong and how to correct it. */
  details: string
  facts?: ErrorFacts
}

export interface AppErrorOptions {
  details?: string
  facts?: ErrorFacts
  /** True if the same request may succeed when it is repeated unchanged. */
  retryable?: boolean
  /** Seconds after which a retry of a `busy` request may succeed; absent: soon. */
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

/** Returns the error of a refused request. `details`: what is wrong, then what to do. `field`: the faulty field, if there is one. */
export const refusal = (code: ErrorCode, message: string, details: string, field?: string): AppError =>
  new AppError(code, message, field === undefined ? { details } : { details, facts: { field } })

/** Error of a request without a route. The command line recognizes an older server by its details. */
export const noSuchRoute = (): AppError => refusal('not_found', 'Not found', 'There is no such route')

/** Throws if an invariant is broken, because the process must not continue with wrong state. */
export function invariant(holds: unknown, sentence: string): asserts holds {
  if (!holds) throw new Error(`Invariant broken: ${sentence}`)
}
