// Routes of generations 1 and 2 under /api, with the parts that all these routes share: the key check, the refusal of unknown paths, and
// the envelope.
import type { FastifyInstance } from 'fastify'
import { noSuchRoute } from '#shared/errors.ts'
import { type AuthenticateHook, requireFullKey } from '../callers/authenticate.ts'
import type { GatewayContext } from '../context.ts'
import { v1Routes } from '../v1/routes.ts'
import { classicDialect } from '../v2/dialect.ts'
import { version } from '../v2/general.ts'
import { registerRoute } from '../v2/register.ts'
import { v2Routes } from '../v2/routes.ts'
import { type Dialect, sendRefusal } from './dialect.ts'
import type { Family } from './family.ts'
import type { Route } from './route.ts'

export const classicFamily: Family = {
  prefix: '/api',
  dialect: classicDialect,
  routes: (context, authenticate) => apiRoutes(context, requireFullKey(authenticate)),
}

/** Routes by prefix below `/api`. */
export const classicRoutes: Readonly<Record<'' | '/v1' | '/v2', readonly Route[]>> = {
  '': [version],
  '/v1': v1Routes,
  '/v2': v2Routes,
}

/** A Fastify plugin, to be registered at `/api`. */
export const apiRoutes = (context: GatewayContext, authenticate: AuthenticateHook) => async (fastify: FastifyInstance) => {
  fastify.addHook('onRequest', authenticate)
  serveClassic(fastify, context, classicDialect, classicRoutes)
}

/** Registers routes by prefix. An earlier hook has accepted the caller and stored them in `request.identity`. */
export function serveClassic(
  fastify: FastifyInstance,
  context: GatewayContext,
  dialect: Dialect,
  byPrefix: Readonly<Record<string, readonly Route[]>>,
): void {
  const { logger } = context
  fastify.setErrorHandler((error, request, reply) => sendRefusal(dialect, logger, error, request, reply))
  fastify.setNotFoundHandler((request, reply) => void sendRefusal(dialect, logger, noSuchRoute(), request, reply))
  for (const [prefix, routes] of Object.entries(byPrefix)) {
    for (const route of routes) registerRoute(fastify, context, route, prefix)
  }
}
