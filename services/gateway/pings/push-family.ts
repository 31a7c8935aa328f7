// Pings in the manner of Uptime Kuma as a Fastify plugin: any method on `/api/push/<token>`. Served only with KUMA_PUSH=on. Reference:
// docs/reference/v3.md, 17.9.
import type { FastifyInstance } from 'fastify'
import { noSuchRoute } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { GatewayContext } from '../context.ts'
import { type Dialect, sendRefusal } from '../http/dialect.ts'
import type { Family } from '../http/family.ts'
import { noStore } from '../http/no-store.ts'
import { unreadableRefusal } from '../http/plain-dialect.ts'
import { type PingAnswer, pingAnswers, pingRefusal, retryAfter } from './ping-answers.ts'
import type { SentQuery } from './read-ping.ts'
import { readPush } from './read-push.ts'
import { takePing } from './take-ping.ts'

const pushDialect: Dialect = {
  prefixes: ['/api/push'],
  isKeyed: false,
  budgetMs: limits.pings.answerMs,
  success: result => result,
  refuse: error => pingRefusal(error, answer => ({ body: bodyOf(answer), headers: noStore })),
  unreadable: reason => unreadableRefusal(reason),
}

export const pushFamily: Family = {
  prefix: '/api/push',
  dialect: pushDialect,
  routes: (context: GatewayContext) => async (fastify: FastifyInstance) => {
    const { logger } = context
    fastify.setErrorHandler((error, request, reply) => sendRefusal(pushDialect, logger, error, request, reply))
    fastify.setNotFoundHandler((request, reply) => void sendRefusal(pushDialect, logger, noSuchRoute(), request, reply))
    fastify.all('/:token', async (request, reply) => {
      const { token = '' } = request.params as Record<string, string>
      const push = readPush(token, request.query as SentQuery)
      const outcome = push === null ? 'unknown' : await takePing(context, { ...push, keepsBody: false }, { request, reply })
      const answer = pingAnswers[outcome]
      return reply
        .code(answer.status)
        .headers({ ...noStore, ...retryAfter(answer) })
        .send(bodyOf(answer))
    })
  },
}

const bodyOf = ({ status, text }: PingAnswer) =>
  status < 300 ? { ok: true } : { ok: false, msg: status === 404 ? 'Monitor not found or not active.' : text }
