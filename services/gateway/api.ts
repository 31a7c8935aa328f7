// Everything under /api that generations 1 and 2 share: the key check, unknown paths, refusals in their envelope, the version.
import type { FastifyInstance } from 'fastify'
import { type AuthenticateHook, requireFullKey } from './authenticate.ts'
import type { GatewayContext } from './context.ts'
import { noSuchRoute, sendRefusal } from './dialect.ts'
import type { Family } from './family.ts'
import { regionRoutes } from './v1/regions.ts'
import { ruleRoutes } from './v1/rules.ts'
import { deliveryLogRoutes } from './v2/delivery-log.ts'
import { deliveryTableRoutes } from './v2/delivery-tables.ts'
import { destinationRoutes } from './v2/destinations.ts'
import { classicDialect } from './v2/dialect.ts'
import { incidentRoutes } from './v2/incidents.ts'
import { locationRoutes } from './v2/locations.ts'
import { subjectRoutes } from './v2/subjects/routes.ts'
import { transformationRoutes } from './v2/transformations.ts'
import { websiteRoutes } from './v2/websites.ts'
import { workspaceRoutes } from './v2/workspaces.ts'

export const classicFamily: Family = {
  prefix: '/api',
  dialect: classicDialect,
  routes: (context, authenticate) => apiRoutes(context, requireFullKey(authenticate)),
}

/** A Fastify plugin, to be registered at `/api`. */
export const apiRoutes = (context: GatewayContext, authenticate: AuthenticateHook) => async (fastify: FastifyInstance) => {
  const version = classicDialect.success(context.version)
  fastify.addHook('onRequest', authenticate)
  const { logger } = context
  fastify.setErrorHandler((error, request, reply) => sendRefusal(classicDialect, logger, error, request, reply))
  fastify.setNotFoundHandler((request, reply) => void sendRefusal(classicDialect, logger, noSuchRoute(), request, reply))
  fastify.get('/version', () => version)
  await fastify.register(
    (v1, _options, done) => {
      workspaceRoutes(v1, context)
      regionRoutes(v1, context)
      ruleRoutes(v1, context)
      done()
    },
    { prefix: '/v1' },
  )
  await fastify.register(
    (v2, _options, done) => {
      workspaceRoutes(v2, context)
      locationRoutes(v2, context)
      incidentRoutes(v2, context)
      websiteRoutes(v2, context)
      subjectRoutes(v2, context)
      destinationRoutes(v2, context)
      transformationRoutes(v2, context)
      deliveryTableRoutes(v2, context)
      deliveryLogRoutes(v2, context)
      done()
    },
    { prefix: '/v2' },
  )
}
