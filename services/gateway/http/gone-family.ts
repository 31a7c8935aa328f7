// Responses to requests for generations 1 and 2 if the installation has switched these generations off. Every path under /api except
// generation 3 and /api/openapi gets the refusal "gone", for every method. No key is checked. Reference: docs/reference/v3.md, section 12.
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
