// Generation 3 of the API as a Fastify plugin: the key check, unknown routes, and refusals in its envelope.
import type { FastifyInstance } from 'fastify'
import { noSuchRoute } from '#shared/errors.ts'
import { letInByKey } from '../audit/let-in.ts'
import type { AuthenticateHook } from '../callers/authenticate.ts'
import type { GatewayContext } from '../context.ts'
import { type Dialect, sendRefusal } from '../http/dialect.ts'
import type { Family } from '../http/family.ts'
import { storeNothing } from '../http/no-store.ts'
import { v3Dialect } from './dialect.ts'
import { registerRoute } from './register.ts'
import { v3Routes } from './routes.ts'

export const v3Family: Family = {
  prefix: '/api/v3',
  dialect: v3Dialect,
  routes: (context, authenticate) => v3Plugin(context, authenticate),
}

const v3Plugin = (context: GatewayContext, authenticate: AuthenticateHook) => async (fastify: FastifyInstance) => {
  context.audit.watch(fastify)
  fastify.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.isOpen) return done()
    authenticate(request, reply, refusal => {
      if (refusal === undefined) request.letIn = letInByKey(request.identity)
      done(refusal)
    })
  })
  serveV3(fastify, context, v3Dialect)
}

/** Registers every route of generation 3. An earlier hook has accepted the caller and stored them in `request.identity`. */
export function serveV3(fastify: FastifyInstance, context: GatewayContext, dialect: Dialect): void {
  const { logger } = context
  storeNothing(fastify)
  fastify.setErrorHandler((error, request, reply) => sendRefusal(dialect, logger, error, request, reply))
  fastify.setNotFoundHandler((request, reply) => void sendRefusal(dialect, logger, noSuchRoute(), request, reply))
  for (const route of v3Routes) registerRoute(fastify, context, route)
}
