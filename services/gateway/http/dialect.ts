// Dialect of one API generation: path prefixes, time limit of a request, and the form of results and refusals. Everything else of a
// generation stays in its own folder.
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { AppError, refusal } from '#shared/errors.ts'
import type { Logger } from '#shared/observability/logger.ts'

/** Refusal: the response in place of a result. */
export interface Refusal {
  status: number
  /** Body of the refusal. A text is sent unchanged, an object as JSON. */
  body: string | object
  /** Code that clients see, for the metrics. Without a code: the HTTP status. */
  code: number
  headers?: Readonly<Record<string, string>>
  /** Whether the installation failed, not the client. */
  isInternal: boolean
}

/** Reason why bytes on a connection did not form a request. */
export type UnreadableReason = 'headers too large' | 'late' | 'no http' | 'expectation'

export interface Dialect {
  /** Path prefixes of the dialect, such as `/api/v3`. The longest matching prefix of all dialects decides. */
  readonly prefixes: readonly string[]
  /** Whether the key is checked before everything else, even if the path cannot be decoded. */
  readonly isKeyed: boolean
  /** Whether the audit records requests accepted by key, even if their path cannot be decoded. */
  readonly isAudited?: boolean
  /** Time limit of a request, ms after its arrival. Later requests are refused. */
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

/** Returns a request that Fastify itself refused with a 4xx as `malformed`, with the dialect's sentence. Other errors stay. */
export function fromFramework(error: unknown, details: string): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error
  const { code, statusCode = 500 } = error as FastifyError
  if (code === undefined || !code.startsWith('FST_') || statusCode >= 500) return error
  return refusal('malformed', 'Invalid request', details)
}
