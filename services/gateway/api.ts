// Everything under /api that generations 1 and 2 share: the key check, unknown paths, refusals in their envelope.
import type { FastifyInstance } from 'fastify'
import { type AuthenticateHook, requireFullKey } from './authenticate.ts'
import type { GatewayContext } from './context.ts'
import { noSuchRoute, sendRefusal } from './dialect.ts'
import type { Family } from './family.ts'
import type { Route } from './route.ts'
import { v1Routes } from './v1/routes.ts'
import { classicDialect } from './v2/dialect.ts'
import { version } from './v2/general.ts'
import { registerRoute } from './v2/register.ts'
import { v2Routes } from './v2/routes.ts'

export const classicFamily: Family = {
  prefix: '/api',
  dialect: classicDialect,
  routes: (context, authenticate) => apiRoutes(context, requireFullKey(authenticate)),
}

/** By prefix below `/api`. */
export const classicRoutes: Readonly<Record<'' | '/v1' | '/v2', readonly Route[]>> = {
  '': [version],
  '/v1': v1Routes,
  '/v2': v2Routes,
}

/** A Fastify plugin, to be registered at `/api`. */
export const apiRoutes = (context: GatewayContext, authenticate: AuthenticateHook) => async (fastify: FastifyInstance) => {
  fastify.addHook('onRequest', authenticate)
  const { logger } = context
  fastify.setErrorHandler((error, request, reply) => sendRefusal(classicDialect, logger, error, request, reply))
  fastify.setNotFoundHandler((request, reply) => void sendRefusal(classicDialect, logger, noSuchRoute(), request, reply))
  for (const [prefix, routes] of Object.entries(classicRoutes)) {
    for (const route of routes) registerRoute(fastify, context, route, prefix)
  }
}
