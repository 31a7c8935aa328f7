// How one generation of the API speaks: where its paths begin, how long a request may take, and how results and refusals are written. A
// generation needs nothing of this kind outside its own folder.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '#shared/errors.ts'
import type { Logger } from '#shared/logger.ts'

/** What is sent instead of a result. */
export interface Refusal {
  status: number
  /** A text is sent as it is, an object as JSON. */
  body: string | object
  /** The code that clients see, for the metrics; the status if there is none. */
  code: number
  headers?: Readonly<Record<string, string>>
  /** The installation failed, not the client. */
  isInternal: boolean
}

/** Why bytes on a connection never became a request. */
export type UnreadableReason = 'headers too large' | 'late' | 'no http' | 'expectation'

export interface Dialect {
  /** The paths below which it speaks, such as `/api/v3`. The longest prefix of all dialects decides. */
  readonly prefixes: readonly string[]
  /** Whether a key is looked at before anything else, an undecodable path included. */
  readonly isKeyed: boolean
  /** Whether requests that a key let in are kept in the audit, also if their path cannot be decoded. */
  readonly isAudited?: boolean
  /** A request unfinished so many ms after its arrival is refused. */
  readonly budgetMs: number
  success(result: unknown): unknown
  /** Never says more of an internal failure than that there was one. */
  refuse(error: unknown): Refusal
  unreadable(reason: UnreadableReason): Refusal
}

/** The dialect of a request's target, be it a path or a whole address. The last one speaks if no prefix fits. */
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

/** Sends the refusal of `error` and logs what is the installation's fault. */
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

export const noSuchRoute = (): AppError => new AppError('not_found', 'Not found', { details: 'There is no such route' })
