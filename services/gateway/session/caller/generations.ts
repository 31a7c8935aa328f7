// Routes of generations 2 and 3 for signed-in people. Paths, bodies and refusals are the same as with a key; a session replaces the key
// (ADR 30).
import type { FastifyInstance } from 'fastify'
import type { GatewayContext } from '../../context.ts'
import { callOf } from '../../http/answer.ts'
import { serveClassic } from '../../http/api.ts'
import type { Dialect } from '../../http/dialect.ts'
import type { Family } from '../../http/family.ts'
import { withinBudget } from '../../http/time-budget.ts'
import { v2Routes } from '../../v2/routes.ts'
import { serveV3 } from '../../v3/family.ts'
import { letPagesIn, visiting } from '../family.ts'
import { sessionV2Dialect, sessionV3Dialect } from './dialect.ts'
import { type SessionOptions, sessionDefaults } from './options.ts'
import { findCaller, identityOf } from './session-call.ts'

type Serve = (fastify: FastifyInstance, context: GatewayContext, dialect: Dialect) => void

const bySession = (prefix: string, dialect: Dialect, serve: Serve): Family => ({
  prefix,
  dialect,
  routes:
    (gateway, _authenticate, { session = sessionDefaults }) =>
    async fastify => {
      gateway.audit.watch(fastify)
      letPagesIn(fastify, session)
      letVisitorsIn(fastify, gateway, session, dialect.budgetMs)
      serve(fastify, gateway, dialect)
    },
})

export const sessionV2Family = bySession('/session/v2', sessionV2Dialect, (fastify, context, dialect) =>
  serveClassic(fastify, context, dialect, { '': v2Routes }),
)

export const sessionV3Family = bySession('/session/v3', sessionV3Dialect, serveV3)

function letVisitorsIn(
  fastify: FastifyInstance,
  gateway: GatewayContext,
  options: SessionOptions,
  budgetMs: number | null,
): void {
  const context = visiting(gateway, options)
  fastify.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.isOpen) return
    const found = findCaller(context, callOf(request, reply))
    const { visitor } = await withinBudget(gateway.clock, request.arrivedAt, budgetMs, found)
    request.identity = identityOf(visitor)
  })
}
