// GET /session: who is signed in, and where a member; PUT /session/password: one's own.
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { AppError } from '#shared/errors.ts'
import { randomId } from '#shared/ids.ts'
import { timestamp } from '../instants.ts'
import { type SessionContext, signedIn, type Visitor } from './session-call.ts'
import { bodyReader, FilledText } from './session-fields.ts'
import { refusalOf } from './sign-in-refusal.ts'
import { workspaceObject } from './workspaces.ts'

export const PasswordChange = Type.Object({ current_password: FilledText, password: FilledText })

export function whoAmIRoutes(fastify: FastifyInstance, context: SessionContext): void {
  const { directory, cookies, clock } = context
  const readChange = bodyReader(PasswordChange)
  fastify.get(
    '/',
    signedIn(context, async ({ request, reply, visitor, traceId }) => {
      const token = cookies.token(request)
      // The directory has just prolonged the session: the browser keeps the cookie as long.
      if (token !== null && visitor.sessionId !== null) cookies.setToken(reply, token, visitor.expiresAt - clock.now())
      return whoAmI(context, visitor, traceId)
    }),
  )
  fastify.put(
    '/password',
    signedIn(context, async call => {
      const { visitor, request, traceId } = call
      const change = await readChange(call)
      if (!visitor.hasPassword) throw noPassword()
      const current = { password: change.current_password, client: request.ip, attemptId: randomId(16) }
      const asked = { userId: visitor.userId, password: change.password, current, keepSessionId: visitor.sessionId }
      const outcome = await directory.ask('set-password', asked, traceId)
      if (outcome.outcome !== 'set') throw refusalOf(outcome)
    }),
  )
}

/** What GET /session and a sign-in answer. */
export async function whoAmI({ directory, options }: SessionContext, visitor: Visitor, traceId: string): Promise<object> {
  const workspaces = await directory.ask('list-workspaces', { userId: visitor.userId }, traceId)
  const { userId, username, displayName, admin, hasPassword, expiresAt } = visitor
  return {
    user: { id: userId, username, display_name: displayName, admin, has_password: hasPassword },
    workspaces: workspaces.map(workspaceObject),
    expires_at: visitor.sessionId === null ? null : timestamp(expiresAt),
    developer: options.developer,
  }
}

const noPassword = (): AppError =>
  new AppError('invalid_state', 'No password to change', {
    details: 'This account signs in without a password; an administrator may set one.',
  })
