// Signing in by password and out again: POST /session/sign-in, POST /session/sign-out, GET /session/sign-in (the ways there are).
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { SessionIdentity } from '#shared/contracts/ask-people.ts'
import type { Call } from '../answer.ts'
import { letInBySession } from '../audit/let-in.ts'
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
      const ended = await endEarlierSession(context, call)
      if (ended !== null) call.request.letIn = letInBySession(ended)
      cookies.clearToken(call.reply)
    }),
  )
}

/** The session that the browser came with ends: here, and at every gateway, because none remembers sessions. Returns whose it was. */
export async function endEarlierSession({ directory, cookies }: SessionContext, call: Call): Promise<SessionIdentity | null> {
  const token = cookies.token(call.request)
  if (token === null) return null
  const earlier = await directory.ask('find-session', { tokenHash: hashSessionToken(token) }, call.traceId)
  if (earlier) await directory.ask('sign-out', { sessionId: earlier.sessionId }, call.traceId)
  return earlier
}
