// Ping addresses as a Fastify plugin: `/ping/<uuid>` and `/ping/<ping key>/<key of a Resource>`, each with a tail. One route takes all paths,
// because its reader decides what a path means. Pings are not audited: each is an Observation. Reference: docs/reference/v3.md, section 17.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { noSuchRoute } from '#shared/errors.ts'
import type { GatewayContext } from '../context.ts'
import { sendRefusal } from '../http/dialect.ts'
import type { Family } from '../http/family.ts'
import { type PingOutcome, pingAnswers, pingDialect, pingHeaders, retryAfter } from './ping-answers.ts'
import type { PingOptions } from './ping-options.ts'
import { readPing, type SentQuery } from './read-ping.ts'
import { takePing } from './take-ping.ts'

export function pingFamily({ bodyLimit }: PingOptions): Family {
  const dialect = pingDialect(bodyLimit)
  const headers = pingHeaders(bodyLimit)
  const routes = (context: GatewayContext) => async (fastify: FastifyInstance) => {
    const { logger } = context
    fastify.setErrorHandler((error, request, reply) => sendRefusal(dialect, logger, error, request, reply))
    fastify.setNotFoundHandler((request, reply) => void sendRefusal(dialect, logger, noSuchRoute(), request, reply))
    fastify.route({
      method: ['GET', 'HEAD', 'POST', 'PUT'],
      url: '/*',
      handler: async (request, reply) => {
        const outcome = await take(context, request, reply)
        const answer = pingAnswers[outcome]
        return reply
          .code(answer.status)
          .headers({ ...headers, ...retryAfter(answer) })
          .send(answer.text)
      },
    })
    fastify.options(
      '/*',
      (_request, reply) =>
        void reply
          .code(204)
          .headers({ ...headers, ...preflight })
          .send(),
    )
  }
  return { prefix: '/ping', dialect, routes }
}

/** Headers by which a browser asks nobody for permission to ping with PUT, or with a content type of its own. */
const preflight = { 'access-control-allow-methods': 'GET, HEAD, POST, PUT', 'access-control-allow-headers': '*' }

async function take(context: GatewayContext, request: FastifyRequest, reply: FastifyReply): Promise<PingOutcome> {
  const path = (request.params as Record<string, string>)['*'] ?? ''
  const ping = readPing(path, request.query as SentQuery)
  return typeof ping === 'string' ? ping : takePing(context, { ...ping, keepsBody: true }, { request, reply })
}
