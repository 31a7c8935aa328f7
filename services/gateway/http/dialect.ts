// Dialect of one API generation: path prefixes, time limit of a request, and the form of results and refusals. Everything else of a
// generation stays in its own folder.
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { AppError, refusal } from '#shared/errors.ts'
import type { Logger } from '#shared/observability/logger.ts'

/** Refusal: the response in place of a result. */
export interface Refusal {
  status: number
  /** Body of the refusal. A text is sent unchanged; an object is sent as JSON. */
  body: string | object
  /** Code of the refusal for the metrics: the code in the body, or the HTTP status if the body has no code. */
  code: number
  headers?: Readonly<Record<string, string>>
  /** Whether the installation, not the client, caused the failure. */
  isInternal: boolean
}

/** Reason why bytes on a connection did not form a request. */
export type UnreadableReason = 'headers too large' | 'late' | 'no http' | 'expectation'

export interface Dialect {
  /** Path prefixes of the dialect, such as `/api/v3`. A path belongs to the dialect that has the longest matching prefix. */
  readonly prefixes: readonly string[]
  /** Whether the key of a request is checked before all other checks. The key is then checked even if the path cannot be decoded. */
  readonly isKeyed: boolean
  /** Whether the audit records requests that a key authorised, including those whose path cannot be decoded. */
  readonly isAudited?: boolean
  /** Whether a session may take the place of the key. */
  readonly admitsSessions?: boolean
  /** Time limit of a request in ms, counted from its arrival. A request without a result by then is refused. */
  readonly budgetMs: number
  success(result: unknown): unknown
  /** Returns the refusal for an error. Details of an internal failure are never included. */
  refuse(error: unknown): Refusal
  unreadable(reason: UnreadableReason): Refusal
}

/** Returns the dialect of a request's target, a path or a complete URL. If no prefix matches, returns the last dialect. */
export function dialectOf(dialects: readonly Dialect[], target: string): Dialect {
  const path = target.replace(/^https?:\/\/[^/?#]*/, '').split(/[?#]/, 1)[0] as string
  let found: Dialect | null = null
  let length = -1
  for (const dialect of dialects) {
    for (const prefix of dialect.prefixes) {
      const isBelow = path === prefix || path.startsWith(`${prefix}/`)
      if (!isBelow || prefix.length <= length) continue
      found = dialect
      length = prefix.length
    }
  }
  return found ?? (dialects.at(-1) as Dialect)
}

/** Sends the refusal of `error`. Logs the error if the installation caused it. */
export function sendRefusal(
  dialect: Pick<Dialect, 'refuse'>,
  logger: Logger,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { status, body, code, headers = {}, isInternal } = dialect.refuse(error)
  request.answeredCode = code
  if (isInternal) {
    const log = logger.child({ method: request.method, route: request.routeOptions.url })
    if (error instanceof AppError && error.retryable) log.warn({ err: error }, 'request failed: dependency unavailable')
    else log.error({ err: error }, 'request failed')
  }
  return reply.code(status).headers(headers).send(body)
}

/**
 * Returns a `malformed` error with `details` if Fastify itself refused the request with a 4xx status. Returns every other error unchanged.
 */
export function fromFramework(error: unknown, details: string): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error
  const { code, statusCode = 500 } = error as FastifyError
  if (code === undefined || !code.startsWith('FST_') || statusCode >= 500) return error
  return refusal('malformed', 'Invalid request', details)
}
