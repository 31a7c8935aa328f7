// The accounts of the installation, for its administrators: GET, POST /session/users; PATCH /session/users/{id};
// PUT /session/users/{id}/password. Nobody takes their own administration away, so that somebody always has it.
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { allPages } from '#shared/all-pages.ts'
import type { UserView } from '#shared/contracts/ask-people.ts'
import { AppError } from '#shared/errors.ts'
import { idLength, randomId } from '#shared/ids.ts'
import { timestamp, timestampOrNull } from '../instants.ts'
import { demandAdmin } from './rights.ts'
import { type SessionContext, signedIn, type VisitorCall } from './session-call.ts'
import { bodyReader, FilledText, pathId, Text } from './session-fields.ts'
import { refusalOf } from './sign-in-refusal.ts'

const users = '/users'

export const NewUser = Type.Object({
  username: FilledText,
  display_name: Type.Optional(Text),
  password: Type.Optional(Type.Union([FilledText, Type.Null()])),
  admin: Type.Optional(Type.Boolean()),
})

export const UserChange = Type.Object({
  display_name: Type.Optional(Text),
  disabled: Type.Optional(Type.Boolean()),
  admin: Type.Optional(Type.Boolean()),
})

export const NewPassword = Type.Object({ password: FilledText })

export function userRoutes(fastify: FastifyInstance, context: SessionContext): void {
  const { directory } = context
  const administered = (handler: (call: VisitorCall) => Promise<unknown>) =>
    signedIn(context, async call => {
      demandAdmin(call)
      return handler(call)
    })
  const readNewUser = bodyReader(NewUser)
  const readChange = bodyReader(UserChange)
  const readPassword = bodyReader(NewPassword)
  fastify.get(
    users,
    administered(async ({ traceId }) => {
      const found = await allPages(after => directory.ask('list-users', { after }, traceId))
      return { users: found.map(userObject) }
    }),
  )
  fastify.post(
    users,
    administered(async call => {
      const { username, display_name: displayName = '', password = null, admin = false } = await readNewUser(call)
      const id = randomId(idLength.user)
      const made = await directory.ask('create-user', { id, username, displayName, password, admin }, call.traceId)
      void call.reply.code(201)
      return userObject(made)
    }),
  )
  fastify.patch(
    `${users}/:userId`,
    administered(async call => {
      const userId = pathId(call.request, 'userId')
      const { display_name: displayName, ...change } = await readChange(call)
      if (userId === call.visitor.userId && (change.disabled === true || change.admin === false)) throw oneself()
      const named = displayName === undefined ? {} : { displayName }
      return userObject(await directory.ask('update-user', { userId, ...named, ...change }, call.traceId))
    }),
  )
  fastify.put(
    `${users}/:userId/password`,
    administered(async call => {
      const userId = pathId(call.request, 'userId')
      const { password } = await readPassword(call)
      const keepSessionId = userId === call.visitor.userId ? call.visitor.sessionId : null
      const outcome = await directory.ask('set-password', { userId, password, keepSessionId }, call.traceId)
      if (outcome.outcome !== 'set') throw refusalOf(outcome)
    }),
  )
}

const userObject = (user: UserView) => ({
  id: user.id,
  username: user.username,
  display_name: user.displayName,
  admin: user.admin,
  disabled: user.disabled,
  has_password: user.hasPassword,
  created_at: timestamp(user.createdAt),
  signed_in_at: timestampOrNull(user.signedInAt),
})

const oneself = (): AppError =>
  new AppError('invalid_state', 'Not your own account', {
    details: 'An administrator cannot disable or demote the own account; another administrator can.',
  })
