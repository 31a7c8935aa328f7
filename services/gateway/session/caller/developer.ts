// With AUTH_DEV, every visitor is the owner, so requests must come from this machine. The server listens only on loopback (settings.ts).
// Requests from elsewhere could still arrive in two ways: from a website whose name resolves to 127.0.0.1, and through a proxy on this
// machine. This file refuses both.
import type { FastifyRequest } from 'fastify'
import { isLoopback } from '#shared/net/loopback.ts'
import { SessionError } from './session-error.ts'

const forwardingHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip']

/** Throws not_local unless the request comes directly from this machine. A request with a header that proxies add is refused too. */
export function requireLocalVisitor(request: FastifyRequest): void {
  const host = (request.headers.host ?? '').replace(/:\d+$/, '')
  const peer = (request.raw.socket.remoteAddress ?? '').replace(/^::ffff:/, '')
  if (isLoopback(host) && isLoopback(peer) && !forwardingHeaders.some(name => name in request.headers)) return
  throw new SessionError(
    'not_local',
    'Only for this machine',
    'AUTH_DEV makes every visitor an administrator, so that only this machine may visit: use http://localhost, without a proxy.',
  )
}
