// Session cookie with an opaque token. Only the browser stores the token; the directory stores its hash. SameSite is Lax, so that people
// who come from an OIDC provider or a link in a message are signed in. Changes need a further check (same-origin.ts).

import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { limits } from '#shared/limits/limits.ts'
import { looksLikeSessionToken } from './session-token.ts'

/** The dashboard's script writes this cookie (`services/dashboard/data/workspace.ts`). */
const workspaceCookie = 'watchkeeper-workspace'

export interface CookieJar {
  /** Returns the session token. Null: the request has no session cookie, or one that this system did not create. */
  token(request: FastifyRequest): string | null
  /** Returns the mark of an earlier sign-in in this browser, which the directory checks. Null: there is none. */
  mark(request: FastifyRequest): string | null
  setMark(reply: FastifyReply, mark: string): void
  setToken(reply: FastifyReply, token: string, lifeMs: number): void
  clearToken(reply: FastifyReply): void
  /**
   * Returns the id of the workspace that the dashboard showed last, from a cookie of the dashboard's script. The cookie grants no rights.
   */
  workspace(request: FastifyRequest): string | null
  /** Returns the data of a started sign-in at a provider, from a cookie of the browser that started the sign-in. */
  transaction(request: FastifyRequest): string | null
  setTransaction(reply: FastifyReply, value: string, lifeMs: number): void
  clearTransaction(reply: FastifyReply): void
}

/**
 * Creates the cookie jar. `secure`: people connect by https. If `secure`, the names of the cookies start with `__Host-`, so that other
 * hosts of the domain cannot set these cookies.
 */
export function createCookieJar(secure: boolean): CookieJar {
  const prefix = secure ? '__Host-' : ''
  const sessionName = `${prefix}watchkeeper-session`
  const markName = `${prefix}watchkeeper-known`
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
    mark: request => read(request, markName),
    setMark: (reply, mark) => write(reply, markName, mark, limits.signIn.knownMs),
    setToken: (reply, token, lifeMs) => write(reply, sessionName, token, lifeMs),
    clearToken: reply => write(reply, sessionName, '', 0),
    workspace: request => read(request, workspaceCookie),
    transaction: request => read(request, transactionName),
    setTransaction: (reply, value, lifeMs) => write(reply, transactionName, value, lifeMs),
    clearTransaction: reply => write(reply, transactionName, '', 0),
  }
}
