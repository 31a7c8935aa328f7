// Entry of a session to generations 2 and 3: the session takes the place of a key, and every other check of the request stays (ADR 37).
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { GatewayContext } from '../../context.ts'
import { callOf } from '../../http/answer.ts'
import { withinBudget } from '../../http/time-budget.ts'
import type { SessionOptions } from './options.ts'
import { letPageIn, visiting } from './pages.ts'
import { findCaller, identityOf } from './session-call.ts'

export interface SessionEntry {
  /**
   * Whether the request comes with a session and without a key. A key is always preferred, so a request with a key is treated in the same way
   * whatever cookies it has. A credential that is no key, such as one for a proxy, is ignored.
   */
  isWanted(request: FastifyRequest): boolean
  /** Admits the person of the session. Rejects with the fault of the origin, or with `unauthenticated` if the session has ended. */
  admit(request: FastifyRequest, reply: FastifyReply): Promise<void>
}

/** Creates the entry of a family of routes. `budgetMs`: time limit of its requests. */
export function createSessionEntry(gateway: GatewayContext, options: SessionOptions, budgetMs: number | null): SessionEntry {
  const context = visiting(gateway, options)
  return {
    isWanted: request =>
      !beginsLikeKey.test(request.headers.authorization ?? '') && (options.developer || context.cookies.token(request) !== null),
    admit: async (request, reply) => {
      letPageIn(request, reply, options)
      const found = findCaller(context, callOf(request, reply))
      const { visitor } = await withinBudget(gateway.clock, request.arrivedAt, budgetMs, found)
      request.identity = identityOf(visitor)
    },
  }
}

const beginsLikeKey = /^Bearer\b/i
