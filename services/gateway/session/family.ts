// The session API as a Fastify plugin, for the dashboard and similar programs: plain JSON with HTTP statuses. This file sets what all
// routes share: the permitted senders, the response headers, and the form of refusals.
import type { FastifyInstance } from 'fastify'
import { AppError } from '#shared/errors.ts'
import type { GatewayContext } from '../context.ts'
import { compressReads } from '../http/compress.ts'
import { sendRefusal } from '../http/dialect.ts'
import type { Family } from '../http/family.ts'
import { sayNothingOfConnection } from '../http/persistent.ts'
import { requireLocalVisitor } from './caller/developer.ts'
import { sessionDialect } from './caller/dialect.ts'
import { isSecure, type SessionOptions, sessionDefaults } from './caller/options.ts'
import { registerRoute } from './caller/register.ts'
import { requireSameOrigin } from './caller/same-origin.ts'
import type { SessionContext } from './caller/session-call.ts'
import { createCookieJar } from './caller/session-cookie.ts'
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

export const visiting = (gateway: GatewayContext, options: SessionOptions): SessionContext => ({
  ...gateway,
  options,
  cookies: createCookieJar(isSecure(options)),
  oidc: null,
})

/** Sets the headers of every response. Accepts changes only from a page of this origin. */
export function letPagesIn(fastify: FastifyInstance, options: SessionOptions): void {
  compressReads(fastify)
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.headers(answerHeaders)
    sayNothingOfConnection(reply)
    try {
      if (options.developer) requireLocalVisitor(request)
      requireSameOrigin(request, options.publicUrl)
      done()
    } catch (error) {
      done(error as Error)
    }
  })
}

/** Headers that keep responses private: no cache stores them, no browser shows them as a page, and no other site can read them. */
const answerHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}
