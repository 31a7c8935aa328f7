// The two ways in which a call of the API fails. Neither carries the key.

/** The error object of generation 3 (v3 1.1). */
export interface RefusalBody {
  code: number
  error_type: string
  message: string
  details: Record<string, unknown>
}

/** The API refused: `status` and `body` as it said them; a 500 is one too. */
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

/** Nothing that speaks generation 3 responded. Its message is a clause that goes behind a colon. */
export class ApiUnreachable extends Error {
  override readonly name = 'ApiUnreachable'
  /** The address without credentials; null: the URL itself is wrong. */
  readonly base: string | null

  constructor(base: string | null, reason: string, cause?: unknown) {
    super(reason, { cause })
    this.base = base
  }
}
