// AUTH_DEV: every visitor is the owner, so only this machine may visit. The listener is bound to loopback (settings.ts); what remains
// is a page of some website whose name was made to resolve to 127.0.0.1, and a proxy on this machine: both are refused here.
import type { FastifyRequest } from 'fastify'
import { isLoopback } from '#shared/loopback.ts'
import { SessionError } from './session-error.ts'

const forwardingHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip']

/** Throws not_local. Looks at what arrived, never at what a proxy says that arrived. */
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
