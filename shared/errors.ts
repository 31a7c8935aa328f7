// The only error that crosses service boundaries. In each API, one file maps the error's code to an error response. An expected outcome of
// a command is returned as a result, not thrown as an error.

/**
 * Kinds of errors. Generations 1 and 2 respond to `busy`, `unavailable` and `internal` with the same internal error, because their clients
 * could not react to the difference.
 */
export type ErrorCode =
  | 'unauthenticated'
  | 'not_found'
  | 'validation'
  | 'forbidden'
  | 'invalid_state'
  /** The name is in use. Generations 1 and 2 send the response for an invalid value; generation 3 sends a conflict. */
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
  /** Action that the scope of the key does not allow; `full`: only a full key is accepted. */
  scope?: string
  /** The lowest role that may send this request. */
  role?: string
  /** Text for people that names the objects which use this object. While they use it, the object cannot be deleted. */
  used_by?: string
  /** Faults of sent files, the first of them in the message. */
  faults?: readonly object[]
}

export interface ErrorBody {
  code: ErrorCode
  /** Short text of the error. If docs/reference fixes a text for this error, `message` is exactly the fixed text. */
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
  /** Seconds after which a retry of a `busy` request may succeed. Absent: a retry may succeed soon. */
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

/**
 * Returns the error of a refused request. `details`: a sentence that says what is wrong and what to do. `field`: the faulty field, if there
 * is one.
 */
export const refusal = (code: ErrorCode, message: string, details: string, field?: string): AppError =>
  new AppError(code, message, field === undefined ? { details } : { details, facts: { field } })

/** Error of a request that no route handles. By `details`, the command line recognises that the server is older than the command. */
export const noSuchRoute = (): AppError => refusal('not_found', 'Not found', 'There is no such route')

/** Throws if an invariant is broken, because the process must not continue with wrong state. */
export function invariant(holds: unknown, sentence: string): asserts holds {
  if (!holds) throw new Error(`Invariant broken: ${sentence}`)
}
