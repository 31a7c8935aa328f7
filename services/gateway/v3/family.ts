// Generation 3 of the API as a Fastify plugin: the key first, unknown routes and refusals in its envelope.
import type { FastifyInstance } from 'fastify'
import { letInByKey } from '../audit/let-in.ts'
import type { AuthenticateHook } from '../authenticate.ts'
import type { GatewayContext } from '../context.ts'
import { noSuchRoute, sendRefusal } from '../dialect.ts'
import type { Family } from '../family.ts'
import { v3Dialect } from './dialect.ts'
import { registerRoute } from './register.ts'
import { v3Routes } from './routes.ts'

export const v3Family: Family = {
  prefix: '/api/v3',
  dialect: v3Dialect,
  routes: (context, authenticate) => v3Plugin(context, authenticate),
}

const v3Plugin = (context: GatewayContext, authenticate: AuthenticateHook) => async (fastify: FastifyInstance) => {
  const { logger } = context
  context.audit.watch(fastify)
  fastify.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.isOpen) return done()
    authenticate(request, reply, refusal => {
      if (refusal === undefined) request.letIn = letInByKey(request.identity)
      done(refusal)
    })
  })
  fastify.setErrorHandler((error, request, reply) => sendRefusal(v3Dialect, logger, error, request, reply))
  fastify.setNotFoundHandler((request, reply) => void sendRefusal(v3Dialect, logger, noSuchRoute(), request, reply))
  for (const route of v3Routes) registerRoute(fastify, context, route)
}
