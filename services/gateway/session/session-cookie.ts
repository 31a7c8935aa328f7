// The session cookie: an opaque token that only the browser and the one request that it comes with ever see; the directory keeps its
// hash. Lax, because people come back from an OIDC provider and from links in messages; what changes something needs more (see
// same-origin.ts).

import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { looksLikeSessionToken } from './session-token.ts'

export interface CookieJar {
  /** Null where there is none, or one that nobody here made. */
  token(request: FastifyRequest): string | null
  setToken(reply: FastifyReply, token: string, lifeMs: number): void
  clearToken(reply: FastifyReply): void
  /** What a sign-in at a provider has to find again in the same browser. */
  transaction(request: FastifyRequest): string | null
  setTransaction(reply: FastifyReply, value: string, lifeMs: number): void
  clearTransaction(reply: FastifyReply): void
}

/** `secure`: people come by https. Then the names carry `__Host-`, which keeps other hosts of the domain from setting them. */
export function createCookieJar(secure: boolean): CookieJar {
  const prefix = secure ? '__Host-' : ''
  const sessionName = `${prefix}watchkeeper-session`
  const transactionName = `${prefix}watchkeeper-sign-in`
  const read = (request: FastifyRequest, name: string): string | null => parseCookie(request.headers.cookie ?? '')[name] ?? null
  const write = (reply: FastifyReply, name: string, value: string, lifeMs: number) => {
    const maxAge = Math.max(0, Math.floor(lifeMs / 1_000))
    const cookie = stringifySetCookie({ name, value, path: '/', httpOnly: true, secure, sameSite: 'lax', maxAge })
    void reply.header('set-cookie', cookie)
  }
  return {
    token: request => {
      const token = read(request, sessionName)
      return token !== null && looksLikeSessionToken(token) ? token : null
    },
    setToken: (reply, token, lifeMs) => write(reply, sessionName, token, lifeMs),
    clearToken: reply => write(reply, sessionName, '', 0),
    transaction: request => read(request, transactionName),
    setTransaction: (reply, value, lifeMs) => write(reply, transactionName, value, lifeMs),
    clearTransaction: reply => write(reply, transactionName, '', 0),
  }
}
