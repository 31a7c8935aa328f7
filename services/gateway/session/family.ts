// The session API as a Fastify plugin, for the dashboard and similar programs: plain JSON with HTTP statuses. This file sets what all
// routes share: the permitted senders, the response headers, and the form of refusals.
import type { FastifyInstance } from 'fastify'
import { AppError } from '#shared/errors.ts'
import type { GatewayContext } from '../context.ts'
import { sendRefusal } from '../http/dialect.ts'
import type { Family } from '../http/family.ts'
import { sessionDialect } from './caller/dialect.ts'
import { type SessionOptions, sessionDefaults } from './caller/options.ts'
import { letPagesIn, visiting } from './caller/pages.ts'
import { registerRoute } from './caller/register.ts'
import type { SessionContext } from './caller/session-call.ts'
import { createOidcParts } from './oidc/oidc-parts.ts'
import { sessionRoutes } from './routes.ts'

export const sessionFamily: Family = {
  prefix: '/session',
  dialect: sessionDialect,
  routes: (context, _authenticate, { session = sessionDefaults }) => sessionPlugin(context, session),
}

const sessionPlugin = (gateway: GatewayContext, options: SessionOptions) => async (fastify: FastifyInstance) => {
  const context: SessionContext = { ...visiting(gateway, options), oidc: await createOidcParts(gateway.clock, options) }
  if (options.developer) gateway.logger.warn('every visitor is an administrator because of AUTH_DEV')
  gateway.audit.watch(fastify)
  letPagesIn(fastify, options)
  fastify.setErrorHandler((error, request, reply) => sendRefusal(sessionDialect, context.logger, error, request, reply))
  fastify.setNotFoundHandler((request, reply) => {
    const error = new AppError('not_found', 'Not found', { details: 'There is no such route.' })
    void sendRefusal(sessionDialect, context.logger, error, request, reply)
  })
  for (const route of sessionRoutes) registerRoute(fastify, context, route)
}
