// What all requests with a session share, under `/session` and before generation 3: the permitted senders, and the headers of responses.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { GatewayContext } from '../../context.ts'
import { compressReads } from '../../http/compress.ts'
import { sayNothingOfConnection } from '../../http/persistent.ts'
import { requireLocalVisitor } from './developer.ts'
import { isSecure, type SessionOptions } from './options.ts'
import { requireSameOrigin } from './same-origin.ts'
import type { SessionContext } from './session-call.ts'
import { createCookieJar } from './session-cookie.ts'

export const visiting = (gateway: GatewayContext, options: SessionOptions): SessionContext => ({
  ...gateway,
  options,
  cookies: createCookieJar(isSecure(options)),
  oidc: null,
})

/** Treats every request of the plugin's routes as a request of a page. */
export function letPagesIn(fastify: FastifyInstance, options: SessionOptions): void {
  compressReads(fastify)
  fastify.addHook('onRequest', (request, reply, done) => {
    try {
      letPageIn(request, reply, options)
      done()
    } catch (error) {
      done(error as Error)
    }
  })
}

/**
 * Sets the headers of the response. Throws not_local for a visitor who is not on this machine while AUTH_DEV is set, and cross_origin or
 * unsupported_media_type for a change that does not prove that it comes from a page of this origin.
 */
export function letPageIn(request: FastifyRequest, reply: FastifyReply, options: SessionOptions): void {
  void reply.headers(answerHeaders)
  sayNothingOfConnection(reply)
  if (options.developer) requireLocalVisitor(request)
  requireSameOrigin(request, options.publicUrl)
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
