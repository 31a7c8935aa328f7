// The gateway's audit: records each accepted request when its response is ready, even if the response is never delivered. Reference:
// docs/reference/v3.md, 11.3 and 11.4.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Clock } from '#shared/time/clock.ts'
import type { AuditQueue } from './audit-queue.ts'
import { auditRow } from './audit-row.ts'

export interface Audit {
  /** Records the requests of this plugin's routes. Must be called before the routes are declared. */
  watch(fastify: FastifyInstance): void
  /** Records one request if the audit must record it. Called directly for responses for which Fastify runs no hook. */
  keep(request: FastifyRequest, status: number): void
  stop(): Promise<void>
}

/** Creates the audit. `queue` null: nothing is recorded. */
export function createAudit(clock: Clock, queue: AuditQueue | null): Audit {
  const keep = (request: FastifyRequest, status: number): void => {
    const { letIn, method } = request
    if (queue === null || letIn === null || status === 401) return
    const { isAudited = false, isDry = false, takesObservations = false } = request.routeOptions.config ?? {}
    const isRead = method === 'GET' || method === 'HEAD'
    if (isRead && !isAudited) return
    if ((isRead || isDry) && letIn.by === 'session') return
    const answered = { letIn, method, url: request.raw.url ?? '', userAgent: request.headers['user-agent'], status }
    // If the response fails while it is written, a refusal is sent and this hook runs again. With `letIn` null, the second run records
    // nothing.
    request.letIn = null
    queue.add(auditRow({ ...answered, isObservation: takesObservations }, clock.now()))
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
