// Signing in by password and out again: POST /session/sign-in, POST /session/sign-out, GET /session/sign-in (the ways there are).
import { Type } from 'typebox'
import type { SessionIdentity } from '#shared/contracts/ask-people.ts'
import type { Call } from '../answer.ts'
import { letInBySession } from '../audit/let-in.ts'
import { Answered, OrNull } from '../result-schema.ts'
import type { Route } from '../route.ts'
import { oidcStartPath } from './oidc-paths.ts'
import type { SessionContext } from './session-call.ts'
import { FilledText } from './session-fields.ts'
import { openRoute } from './session-route.ts'
import { hashSessionToken, newSession } from './session-token.ts'
import { requireSignedIn } from './sign-in-refusal.ts'
import { SignedIn, whoAmI } from './who-am-i.ts'

const Credentials = Type.Object({ username: FilledText, password: FilledText })

const WaysIn = Answered('WaysIn', {
  password: Type.Boolean(),
  oidc: OrNull(Type.Object({ name: Type.String(), start: Type.String() }, { additionalProperties: false })),
  developer: Type.Boolean({ description: 'AUTH_DEV: every visitor is an administrator.' }),
})

const waysIn = openRoute({
  method: 'GET',
  path: '/sign-in',
  summary: 'The ways to sign in.',
  result: WaysIn,
  refusals: [],
  handler: async ({ options }) => ({
    password: true,
    oidc: options.oidc && { name: options.oidc.name, start: oidcStartPath },
    developer: options.developer,
  }),
})

const signIn = openRoute({
  method: 'POST',
  path: '/sign-in',
  summary: 'Signs in by password, and sets the session cookie.',
  body: Credentials,
  result: SignedIn,
  refusals: ['wrong_credentials', 'disabled', 'rate_limited'],
  examples: [{ username: 'owner', password: 'OWNER_PASSWORD' }],
  handler: async (context, call) => {
    const { directory, cookies, clock } = context
    const { username, password } = call.body
    const { token, session } = newSession()
    const outcome = await directory.ask('sign-in', { username, password, client: call.request.ip, session }, call.traceId)
    const identity = requireSignedIn(outcome)
    await endEarlierSession(context, call)
    cookies.setToken(call.reply, token, identity.expiresAt - clock.now())
    return whoAmI(context, identity, call.traceId)
  },
})

const signOut = openRoute({
  method: 'POST',
  path: '/sign-out',
  summary: 'Ends the session everywhere.',
  body: Type.Object({}),
  reader: null,
  status: 204,
  refusals: [],
  examples: [{}],
  handler: async (context, call) => {
    const ended = await endEarlierSession(context, call)
    if (ended !== null) call.request.letIn = letInBySession(ended)
    context.cookies.clearToken(call.reply)
  },
})

export const signInRoutes: readonly Route[] = [waysIn, signIn, signOut]

/** The session that the browser came with ends: here, and at every gateway, because none remembers sessions. Returns whose it was. */
export async function endEarlierSession({ directory, cookies }: SessionContext, call: Call): Promise<SessionIdentity | null> {
  const token = cookies.token(call.request)
  if (token === null) return null
  const earlier = await directory.ask('find-session', { tokenHash: hashSessionToken(token) }, call.traceId)
  if (earlier) await directory.ask('sign-out', { sessionId: earlier.sessionId }, call.traceId)
  return earlier
}
