// Signing in by password and out again: POST /session/sign-in, POST /session/sign-out, GET /session/sign-in (the ways there are).
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Call } from '../answer.ts'
import { oidcStartPath } from './oidc-paths.ts'
import { open, type SessionContext } from './session-call.ts'
import { bodyReader, FilledText } from './session-fields.ts'
import { hashSessionToken, newSession } from './session-token.ts'
import { demandSignedIn } from './sign-in-refusal.ts'
import { whoAmI } from './who-am-i.ts'

export const Credentials = Type.Object({ username: FilledText, password: FilledText })

export function signInRoutes(fastify: FastifyInstance, context: SessionContext): void {
  const { directory, cookies, options } = context
  const readCredentials = bodyReader(Credentials)
  fastify.get(
    '/sign-in',
    open(context, async () => ({
      password: true,
      oidc: options.oidc && { name: options.oidc.name, start: oidcStartPath },
      developer: options.developer,
    })),
  )
  fastify.post(
    '/sign-in',
    open(context, async call => {
      const { username, password } = await readCredentials(call)
      const { token, session } = newSession()
      const outcome = await directory.ask('sign-in', { username, password, client: call.request.ip, session }, call.traceId)
      const identity = demandSignedIn(outcome)
      await endEarlierSession(context, call)
      cookies.setToken(call.reply, token, identity.expiresAt - context.clock.now())
      return whoAmI(context, identity, call.traceId)
    }),
  )
  fastify.post(
    '/sign-out',
    open(context, async call => {
      await endEarlierSession(context, call)
      cookies.clearToken(call.reply)
    }),
  )
}

/** The session that the browser came with ends: here, and at every gateway, because none remembers sessions. */
export async function endEarlierSession({ directory, cookies }: SessionContext, call: Call): Promise<void> {
  const token = cookies.token(call.request)
  if (token === null) return
  const earlier = await directory.ask('find-session', { tokenHash: hashSessionToken(token) }, call.traceId)
  if (earlier) await directory.ask('sign-out', { sessionId: earlier.sessionId }, call.traceId)
}
