// Generation 2 for signed-in people, for things that generation 3 has not. Paths, bodies and refusals are the same as with a key; a session
// replaces the key (ADR 30).

import { serveClassic } from '../../http/api.ts'
import { compressReads } from '../../http/compress.ts'
import type { Family } from '../../http/family.ts'
import { v2Routes } from '../../v2/routes.ts'
import { sessionV2Dialect } from './dialect.ts'
import { createSessionEntry } from './entry.ts'
import { sessionDefaults } from './options.ts'

export const sessionV2Family: Family = {
  prefix: '/session/v2',
  dialect: sessionV2Dialect,
  routes:
    (gateway, _authenticate, { session = sessionDefaults }) =>
    async fastify => {
      const entry = createSessionEntry(gateway, session, sessionV2Dialect.budgetMs)
      gateway.audit.watch(fastify)
      compressReads(fastify)
      fastify.addHook('onRequest', entry.admit)
      serveClassic(fastify, gateway, sessionV2Dialect, { '': v2Routes })
    },
}
