// Generation 3 of the API as a Fastify plugin: the check of the key or the session, unknown routes, and refusals in its envelope.
import { noSuchRoute } from '#shared/errors.ts'
import { letInByKey } from '../audit/let-in.ts'
import { compressReads } from '../http/compress.ts'
import { sendRefusal } from '../http/dialect.ts'
import type { Family } from '../http/family.ts'
import { storeNothing } from '../http/no-store.ts'
import { createSessionEntry } from '../session/caller/entry.ts'
import { sessionDefaults } from '../session/caller/options.ts'
import { isBySession } from '../session/caller/session-call.ts'
import { v3Dialect } from './dialect.ts'
import { registerRoute } from './register.ts'
import { v3Routes } from './routes.ts'

export const v3Family: Family = {
  prefix: '/api/v3',
  dialect: v3Dialect,
  routes:
    (context, authenticate, { session = sessionDefaults }) =>
    async fastify => {
      const { audit, logger } = context
      const entry = createSessionEntry(context, session, v3Dialect.budgetMs)
      audit.watch(fastify)
      compressReads(fastify, isBySession)
      fastify.addHook('onRequest', (request, reply, done) => {
        if (request.routeOptions.config.isOpen) return done()
        if (entry.isWanted(request)) return void entry.admit(request, reply).then(() => done(), done)
        authenticate(request, reply, refusal => {
          if (refusal === undefined) request.letIn = letInByKey(request.identity)
          done(refusal)
        })
      })
      storeNothing(fastify)
      fastify.setErrorHandler((error, request, reply) => sendRefusal(v3Dialect, logger, error, request, reply))
      fastify.setNotFoundHandler((request, reply) => void sendRefusal(v3Dialect, logger, noSuchRoute(), request, reply))
      for (const route of v3Routes) registerRoute(fastify, context, route)
    },
}
