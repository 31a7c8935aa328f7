// PUT /session/password: change of one's own password. PUT /session/users/{id}/password: an administrator sets the password of an account.
// Passwords are replaced by sessions alone, so that a leaked key cannot take over an account.
import { Type } from 'typebox'
import { AppError } from '#shared/errors.ts'
import { randomId } from '#shared/text/ids.ts'
import { pathPart } from '../http/answer.ts'
import type { Route } from '../http/route.ts'
import { FilledText } from './caller/session-fields.ts'
import { admin, route, signedIn } from './caller/session-route.ts'
import { refusalOf } from './caller/sign-in-refusal.ts'

const changePassword = route('PUT', '/password', {
  summary: "Changes one's own password; all other sessions end.",
  needs: signedIn,
  body: Type.Object({ current_password: FilledText, password: FilledText }),
  status: 204,
  refusals: ['wrong_credentials', 'conflict', 'rate_limited'],
  examples: [{ current_password: 'OWNER_PASSWORD', password: 'a much better password' }],
  handler: async ({ directory, forwarding }, { visitor, request, body, traceId }) => {
    if (!visitor.hasPassword) throw noPassword()
    const current = { password: body.current_password, client: forwarding.clientOf(request), attemptId: randomId(16) }
    const asked = { userId: visitor.userId, password: body.password, current, keepSessionId: visitor.sessionId }
    const outcome = await directory.ask('set-password', asked, traceId)
    if (outcome.outcome !== 'set') throw refusalOf(outcome)
  },
})

const setPassword = route('PUT', '/users/:userId/password', {
  summary: "Sets somebody's password; their sessions end.",
  needs: admin,
  body: Type.Object({ password: FilledText }),
  status: 204,
  refusals: ['not_found'],
  examples: [{ password: 'another first password' }],
  handler: async ({ directory }, call) => {
    const userId = pathPart(call, 'userId')
    const keepSessionId = userId === call.visitor.userId ? call.visitor.sessionId : null
    const asked = { userId, password: call.body.password, keepSessionId }
    const outcome = await directory.ask('set-password', asked, call.traceId)
    if (outcome.outcome !== 'set') throw refusalOf(outcome)
  },
})

export const passwordRoutes: readonly Route[] = [changePassword, setPassword]

const noPassword = (): AppError =>
  new AppError('invalid_state', 'No password to change', {
    details: 'This account signs in without a password; an administrator may set one.',
  })
