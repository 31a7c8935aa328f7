// Sign-in by password, and sign-out: POST /session/sign-in, POST /session/sign-out, GET /session/sign-in (available ways to sign in).
import { Type } from 'typebox'
import type { SessionIdentity } from '#shared/contracts/ask/ask-people.ts'
import { Strict } from '#shared/contracts/common.ts'
import { letInBySession } from '../audit/let-in.ts'
import { Answered, OrNull } from '../body/result-schema.ts'
import type { Call } from '../http/answer.ts'
import type { Route } from '../http/route.ts'
import type { SessionContext } from './caller/session-call.ts'
import { FilledText } from './caller/session-fields.ts'
import { openRoute } from './caller/session-route.ts'
import { hashSessionToken, newSession } from './caller/session-token.ts'
import { requireSignedIn } from './caller/sign-in-refusal.ts'
import { oidcStartPath } from './oidc/oidc-paths.ts'
import { SignedIn, whoAmI } from './who-am-i.ts'

const Credentials = Type.Object({ username: FilledText, password: FilledText })

const WaysIn = Answered('WaysIn', {
  password: Type.Boolean(),
  oidc: OrNull(Strict({ name: Type.String(), start: Type.String() })),
  developer: Type.Boolean({ description: 'AUTH_DEV: every visitor is an administrator.' }),
})

const waysIn = openRoute('GET', '/sign-in', {
  summary: 'The ways to sign in.',
  result: WaysIn,
  handler: async ({ options }) => ({
    password: true,
    oidc: options.oidc && { name: options.oidc.name, start: oidcStartPath },
    developer: options.developer,
  }),
})

const signIn = openRoute('POST', '/sign-in', {
  summary: 'Signs in by password, and sets the session cookie.',
  body: Credentials,
  result: SignedIn,
  refusals: ['wrong_credentials', 'disabled', 'rate_limited'],
  examples: [{ username: 'owner', password: 'OWNER_PASSWORD' }],
  handler: async (context, call) => {
    const { directory, cookies, clock, forwarding } = context
    const { username, password } = call.body
    const { token, session } = newSession()
    const client = forwarding.clientOf(call.request)
    const mark = cookies.mark(call.request)
    const sent = { username, password, client, session, ...(mark === null ? {} : { mark }) }
    const outcome = await directory.ask('sign-in', sent, call.traceId)
    const identity = requireSignedIn(outcome)
    await endEarlierSession(context, call)
    cookies.setToken(call.reply, token, identity.expiresAt - clock.now())
    if (outcome.outcome === 'signed-in' && outcome.mark) cookies.setMark(call.reply, outcome.mark)
    return whoAmI(context, identity, call.traceId)
  },
})

const signOut = openRoute('POST', '/sign-out', {
  summary: 'Ends the session everywhere.',
  body: Type.Object({}),
  reader: null,
  status: 204,
  examples: [{}],
  handler: async (context, call) => {
    const ended = await endEarlierSession(context, call)
    if (ended !== null) call.request.letIn = letInBySession(ended)
    context.cookies.clearToken(call.reply)
  },
})

export const signInRoutes: readonly Route[] = [waysIn, signIn, signOut]

/**
 * Ends the session of the browser's cookie, and returns the person of this session; null: there was no such session. No gateway caches
 * sessions, so the session ends at every gateway at once.
 */
export async function endEarlierSession({ directory, cookies }: SessionContext, call: Call): Promise<SessionIdentity | null> {
  const token = cookies.token(call.request)
  if (token === null) return null
  const earlier = await directory.ask('find-session', { tokenHash: hashSessionToken(token) }, call.traceId)
  if (earlier) await directory.ask('sign-out', { sessionId: earlier.sessionId }, call.traceId)
  return earlier
}
