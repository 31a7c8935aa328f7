// Shorter response headers for browsers. Browsers do not need the omitted headers: HTTP/1.1 keeps connections open by default, and no
// browser reads the timeout in `Keep-Alive`.
import type { FastifyReply } from 'fastify'

/** Omits the headers `Connection: keep-alive` and `Keep-Alive` (48 bytes). `Connection: close` is still sent. */
export function sayNothingOfConnection({ raw }: FastifyReply): void {
  if (!raw.hasHeader('connection')) raw.removeHeader('connection')
}
