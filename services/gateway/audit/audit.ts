// The audit of the gateway: keeps requests that were let in, as soon as their answer is ready, whether or not it gets out.
// Rules: docs/reference/v3.md, 11.3 and 11.4.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Clock } from '#shared/clock.ts'
import { randomId, toBase62 } from '#shared/ids.ts'
import type { AuditQueue } from './audit-queue.ts'
import { auditRow } from './audit-row.ts'

export interface Audit {
  /** Keeps the requests of the routes of this plugin. To be called before they are declared. */
  watch(fastify: FastifyInstance): void
  /** Keeps one request, if it is one to be kept; for an answer that passes no hook. */
  keep(request: FastifyRequest, status: number): void
  stop(): Promise<void>
}

/** Null: nothing is kept. */
export function createAudit(clock: Clock, queue: AuditQueue | null): Audit {
  const nextOrder = createOrder()
  const keep = (request: FastifyRequest, status: number): void => {
    const { letIn, method } = request
    if (queue === null || letIn === null || status === 401) return
    const { isAudited = false, takesObservations = false } = request.routeOptions.config ?? {}
    const isRead = method === 'GET' || method === 'HEAD'
    if (isRead && (!isAudited || letIn.by === 'session')) return
    const answered = { letIn, method, url: request.raw.url ?? '', userAgent: request.headers['user-agent'], status }
    // An answer that fails while it is written is followed by a refusal: the request is kept once.
    request.letIn = null
    queue.add(auditRow({ ...answered, isObservation: takesObservations }, clock.now(), nextOrder()))
  }
  return {
    watch: fastify => {
      if (queue === null) return
      fastify.addHook('onSend', (request, reply, payload, done) => {
        keep(request, reply.statusCode)
        done(null, payload)
      })
    },
    keep,
    stop: async () => queue?.stop(),
  }
}

/** Texts of 9 characters that ascend; those of two processes differ. */
function createOrder(): () => string {
  const process = randomId(processDigits)
  let number = 0
  return () => {
    number = (number + 1) % 62 ** numberDigits
    return toBase62(number, numberDigits) + process
  }
}

const numberDigits = 3
const processDigits = 6
