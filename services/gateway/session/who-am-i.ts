// GET /session: the signed-in person and their workspaces.
import { Type } from 'typebox'
import { timestamp } from '../body/instants.ts'
import { Answered, Instant, OrNull } from '../body/result-schema.ts'
import type { Route } from '../http/route.ts'
import { InvitationToMe, invitationToMe } from '../v3/people/invitations.ts'
import { Workspace } from '../v3/people/workspaces.ts'
import type { SessionContext, Visitor } from './caller/session-call.ts'
import { route, signedIn } from './caller/session-route.ts'

export const SignedIn = Answered('SignedIn', {
  user: Answered('Person', {
    id: Type.String(),
    username: Type.String(),
    display_name: Type.String(),
    admin: Type.Boolean(),
    has_password: Type.Boolean(),
  }),
  workspaces: Type.Array(Workspace),
  invitations: Type.Array(InvitationToMe, { description: 'Pending ones, newest first.' }),
  expires_at: OrNull(Instant),
  developer: Type.Boolean(),
})

const getSession = route('GET', '/', {
  summary: 'Who is signed in, and where a member.',
  needs: signedIn,
  result: SignedIn,
  handler: async (context, { request, reply, visitor, traceId }) => {
    const { cookies, clock } = context
    const token = cookies.token(request)
    // Each use of the session extends it in the directory, so the cookie's lifetime is extended too.
    if (token !== null && visitor.sessionId !== null) cookies.setToken(reply, token, visitor.expiresAt - clock.now())
    return whoAmI(context, visitor, traceId)
  },
})

export const whoAmIRoutes: readonly Route[] = [getSession]

/** Returns the result of `GET /session` and of a sign-in. */
export async function whoAmI(
  { directory, options }: Pick<SessionContext, 'directory' | 'options'>,
  visitor: Visitor,
  traceId: string,
) {
  const [workspaces, invitations] = await Promise.all([
    directory.ask('list-workspaces', { userId: visitor.userId }, traceId),
    directory.ask('list-invitations', { userId: visitor.userId }, traceId),
  ])
  const { userId, username, displayName, admin, hasPassword, expiresAt } = visitor
  return {
    user: { id: userId, username, display_name: displayName, admin, has_password: hasPassword },
    workspaces,
    invitations: invitations.map(invitationToMe),
    expires_at: visitor.sessionId === null ? null : timestamp(expiresAt),
    developer: options.developer,
  }
}
