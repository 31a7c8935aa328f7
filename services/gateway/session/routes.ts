// The session API, for the dashboard and whoever acts like it: plain JSON with real statuses. What all its routes share: who may
// send requests at all, the headers of every answer, refusals in its envelope. Subjects get their own files here too.
import type { FastifyInstance } from 'fastify'
import { AppError } from '#shared/errors.ts'
import type { GatewayContext } from '../context.ts'
import { sendRefusal } from '../dialect.ts'
import type { Family } from '../family.ts'
import { demandLocalVisitor } from './developer.ts'
import { sessionDialect } from './dialect.ts'
import { keyRoutes } from './keys.ts'
import { locationRoutes } from './locations.ts'
import { maintenanceRoutes } from './maintenance.ts'
import { memberRoutes } from './members.ts'
import { oidcRoutes } from './oidc-routes.ts'
import { isSecure, type SessionOptions, sessionDefaults } from './options.ts'
import { proberCredentialRoutes } from './prober-credentials.ts'
import { demandSameOrigin } from './same-origin.ts'
import type { SessionContext } from './session-call.ts'
import { createCookieJar } from './session-cookie.ts'
import { signInRoutes } from './sign-in.ts'
import { subjectRoutes } from './subjects.ts'
import { userRoutes } from './users.ts'
import { whoAmIRoutes } from './who-am-i.ts'
import { workspaceRoutes } from './workspaces.ts'

export const sessionFamily: Family = {
  prefix: '/session',
  dialect: sessionDialect,
  routes: (context, _authenticate, { session = sessionDefaults }) => sessionRoutes(context, session),
}

const sessionRoutes = (gateway: GatewayContext, options: SessionOptions) => async (fastify: FastifyInstance) => {
  const context: SessionContext = { ...gateway, options, cookies: createCookieJar(isSecure(options)) }
  if (options.developer) gateway.logger.warn('every visitor is an administrator because of AUTH_DEV')
  gateway.audit.watch(fastify)
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.headers(answerHeaders)
    try {
      if (options.developer) demandLocalVisitor(request)
      demandSameOrigin(request, options.publicUrl)
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
  for (const routes of nouns) await routes(fastify, context)
}

const nouns = [
  signInRoutes,
  oidcRoutes,
  whoAmIRoutes,
  workspaceRoutes,
  memberRoutes,
  keyRoutes,
  userRoutes,
  locationRoutes,
  subjectRoutes,
  maintenanceRoutes,
  proberCredentialRoutes,
]

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
