// The session API as a Fastify plugin, for the dashboard and whoever acts like it: plain JSON with real statuses. It owns what all routes share:
// who may send requests at all, the headers of every answer, refusals in its envelope.
import type { FastifyInstance } from 'fastify'
import { AppError } from '#shared/errors.ts'
import type { GatewayContext } from '../context.ts'
import { sendRefusal } from '../dialect.ts'
import type { Family } from '../family.ts'
import { requireLocalVisitor } from './developer.ts'
import { sessionDialect } from './dialect.ts'
import { createOidcParts } from './oidc-parts.ts'
import { isSecure, type SessionOptions, sessionDefaults } from './options.ts'
import { registerRoute } from './register.ts'
import { sessionRoutes } from './routes.ts'
import { requireSameOrigin } from './same-origin.ts'
import type { SessionContext } from './session-call.ts'
import { createCookieJar } from './session-cookie.ts'

export const sessionFamily: Family = {
  prefix: '/session',
  dialect: sessionDialect,
  routes: (context, _authenticate, { session = sessionDefaults }) => sessionPlugin(context, session),
}

const sessionPlugin = (gateway: GatewayContext, options: SessionOptions) => async (fastify: FastifyInstance) => {
  const oidc = await createOidcParts(gateway.clock, options)
  const context: SessionContext = { ...gateway, options, cookies: createCookieJar(isSecure(options)), oidc }
  if (options.developer) gateway.logger.warn('every visitor is an administrator because of AUTH_DEV')
  gateway.audit.watch(fastify)
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.headers(answerHeaders)
    try {
      if (options.developer) requireLocalVisitor(request)
      requireSameOrigin(request, options.publicUrl)
      done()
    } catch (error) {
      done(error as Error)
    }
  })
  fastify.setErrorHandler((error, request, reply) => sendRefusal(sessionDialect, context.logger, error, request, reply))
  fastify.setNotFoundHandler((request, reply) => {
    const error = new AppError('not_found', 'Not found', { details: 'There is no such route.' })
    void sendRefusal(sessionDialect, context.logger, error, request, reply)
  })
  for (const route of sessionRoutes) registerRoute(fastify, context, route)
}

/** Answers are for the one who asked, are never shown as a page, and never leave for other sites. */
const answerHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}
