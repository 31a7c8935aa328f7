// Accounts of the installation, for its administrators: GET, POST /session/users; PATCH /session/users/{id}; PUT
// /session/users/{id}/password. Administrators cannot remove their own rights, so that at least one administrator remains.
import { Type } from 'typebox'
import { allPages } from '#shared/async/pages.ts'
import { Strict } from '#shared/contracts/common.ts'
import { AppError } from '#shared/errors.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { Answered, Instant, OrNull, writerOf } from '../../body/result-schema.ts'
import { pathPart } from '../../http/answer.ts'
import type { Route } from '../../http/route.ts'
import { FilledText, Text } from '../caller/session-fields.ts'
import { admin, route } from '../caller/session-route.ts'
import { refusalOf } from '../caller/sign-in-refusal.ts'

const users = '/users'

const NewUser = Type.Object({
  username: FilledText,
  display_name: Type.Optional(Text),
  password: Type.Optional(Type.Union([FilledText, Type.Null()])),
  admin: Type.Optional(Type.Boolean()),
})

const UserChange = Type.Object({
  display_name: Type.Optional(Text),
  disabled: Type.Optional(Type.Boolean()),
  admin: Type.Optional(Type.Boolean()),
})

const NewPassword = Type.Object({ password: FilledText })

const Account = Answered('Account', {
  id: Type.String(),
  username: Type.String(),
  display_name: Type.String(),
  admin: Type.Boolean(),
  disabled: Type.Boolean(),
  has_password: Type.Boolean(),
  created_at: Instant,
  signed_in_at: OrNull(Instant),
})
const userObject = writerOf(Account)

const listUsers = route('GET', users, {
  summary: 'All accounts.',
  needs: admin,
  result: Strict({ users: Type.Array(Account) }),
  handler: async ({ directory }, { traceId }) => {
    const found = await allPages(after => directory.ask('list-users', { after }, traceId))
    return { users: found.map(userObject) }
  },
})

const createUser = route('POST', users, {
  summary: 'Makes an account.',
  needs: admin,
  body: NewUser,
  status: 201,
  makes: 'user',
  result: Account,
  refusals: ['conflict'],
  examples: [{ username: 'ada', display_name: 'Ada', password: 'a first password', admin: false }],
  handler: async ({ directory }, { body, traceId }) => {
    const { username, display_name: displayName = '', password = null, admin = false } = body
    const id = randomId(idLength.user)
    return userObject(await directory.ask('create-user', { id, username, displayName, password, admin }, traceId))
  },
})

const changeUser = route('PATCH', `${users}/:userId`, {
  summary: 'Changes an account.',
  needs: admin,
  body: UserChange,
  result: Account,
  refusals: ['not_found', 'conflict'],
  examples: [{ display_name: 'Ada L.' }],
  handler: async ({ directory }, call) => {
    const userId = pathPart(call, 'userId')
    const { display_name: displayName, ...change } = call.body
    if (userId === call.visitor.userId && (change.disabled === true || change.admin === false)) throw oneself()
    const named = displayName === undefined ? {} : { displayName }
    return userObject(await directory.ask('update-user', { userId, ...named, ...change }, call.traceId))
  },
})

const setPassword = route('PUT', `${users}/:userId/password`, {
  summary: "Sets somebody's password; their sessions end.",
  needs: admin,
  body: NewPassword,
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

export const userRoutes: readonly Route[] = [listUsers, createUser, changeUser, setPassword]

const oneself = (): AppError =>
  new AppError('invalid_state', 'Not your own account', {
    details: 'An administrator cannot disable or demote the own account; another administrator can.',
  })
