// Responses in place of generations 1 and 2 if the installation has switched them off. Every path under /api except generation 3 and
// /api/openapi is gone, whatever the method. No key is checked. Rule: docs/reference/v3.md, section 12.
import type { FastifyInstance } from 'fastify'
import { refusal } from '#shared/errors.ts'
import { v3Dialect } from '../v3/dialect.ts'
import { type Dialect, sendRefusal } from './dialect.ts'
import type { Family } from './family.ts'

const gone = v3Dialect.refuse(refusal('gone', 'Gone', 'Generations 1 and 2 of the API are not served here; use /api/v3'))

const goneDialect: Dialect = {
  ...v3Dialect,
  prefixes: ['/api'],
  isKeyed: false,
  isAudited: false,
  refuse: () => gone,
  unreadable: reason => (reason === 'expectation' ? gone : v3Dialect.unreadable(reason)),
}

export const goneFamily: Family = {
  prefix: '/api',
  dialect: goneDialect,
  routes:
    ({ logger }) =>
    async (fastify: FastifyInstance) => {
      fastify.setNotFoundHandler((request, reply) => void sendRefusal(goneDialect, logger, null, request, reply))
    },
}
