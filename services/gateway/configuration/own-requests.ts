// Requests of the gateway to its own routes, in the name of the sender of another request, without a connection. They pass the same checks
// as from outside: key or session, rights, bodies, audit.
import type { FastifyRequest } from 'fastify'
import { isBySession } from '../session/caller/session-call.ts'
import type { Clients } from './api.ts'

/** Headers that say who sends a request, and from where. */
const passedHeaders = [
  ...['authorization', 'cookie', 'host', 'origin', 'sec-fetch-site', 'user-agent'],
  ...['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'],
]

export function ownRequests(request: FastifyRequest): Clients['send'] {
  const { server, headers: sent, raw } = request
  const passed = passedHeaders.flatMap(name => (sent[name] === undefined ? [] : [[name, sent[name]]]))
  const headers = { ...Object.fromEntries(passed), 'content-type': 'application/json' }
  const { remoteAddress = '' } = raw.socket
  const prefixes = { v3: '/api/v3', v2: isBySession(request) ? '/session/v2' : '/api/v2' }
  return async ({ api, method, path, body }) => {
    const payload = body === undefined ? {} : { payload: JSON.stringify(body) }
    const reply = await server.inject({ method, url: `${prefixes[api]}${path}`, headers, remoteAddress, ...payload })
    return { status: reply.statusCode, text: reply.payload }
  }
}
