// The two errors of an API call. Neither error contains the API key.

/** The error object of generation 3 (v3 1.1). */
export interface RefusalBody {
  code: number
  error_type: string
  message: string
  details: Record<string, unknown>
}

/** An error response of the API, with any status from 400 on, and its error object. */
export class ApiRefusal extends Error {
  override readonly name = 'ApiRefusal'
  readonly status: number
  readonly body: RefusalBody

  constructor(status: number, body: RefusalBody) {
    super(body.message)
    this.status = status
    this.body = body
  }
}

/**
 * Error for a missing response, or for a response that is not of generation 3. The message begins so that it can follow a colon in a longer
 * sentence.
 */
export class ApiUnreachable extends Error {
  override readonly name = 'ApiUnreachable'
  /** Address of the API without credentials; null: the URL itself is invalid. */
  readonly base: string | null

  constructor(base: string | null, reason: string, cause?: unknown) {
    super(reason, { cause })
    this.base = base
  }
}
