// Accounts of the installation, for its administrators. Nobody takes away the own rights, so that at least one administrator remains. A new
// account may get its first password here; no key replaces a password (session/passwords.ts). Reference: docs/reference/v3.md, section 16.
import { Type } from 'typebox'
import { Strict } from '#shared/contracts/common.ts'
import { refusal } from '#shared/errors.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { Answered, Instant, OrNull, writerOf } from '../../body/result-schema.ts'
import { pathId } from '../../http/answer.ts'
import { Paged } from '../../http/route.ts'
import { administering, Deleted, MaybeText, route, SentText, tooManyAt, type V3Call } from '../common.ts'
import { formatCursor, limitOf, pageQuery, readCursor } from '../paging.ts'

export const Account = Answered('Account', {
  id: Type.String(),
  username: Type.String(),
  display_name: Type.String({ description: 'Empty: none.' }),
  admin: Type.Boolean(),
  disabled: Type.Boolean(),
  has_password: Type.Boolean(),
  created_at: Instant,
  signed_in_at: OrNull({ ...Instant, description: 'The first sign-in; null: there was none.' }),
})
const userObject = writerOf(Account)

const all = '/users'
const one = `${all}/:user`

const listUsers = route('GET', all, {
  summary: 'Accounts of the installation, the oldest first.',
  needs: administering,
  isAudited: false,
  query: pageQuery,
  result: Type.Array(Account),
  refusals: ['422 limit', '422 cursor'],
  handler: async ({ directory }, call) => {
    const { items, next } = await directory.ask('list-users', { limit: limitOf(call), after: readCursor(call) }, call.traceId)
    return new Paged(items.map(userObject), formatCursor(call, next))
  },
})

const createUser = route('POST', all, {
  summary: 'Creates an account.',
  more: 'Without a password, the person waits for one that an administrator sets, or signs in at the OIDC provider.',
  needs: administering,
  body: Strict({
    username: SentText,
    display_name: MaybeText,
    password: Type.Optional({ ...SentText, description: 'The first one. Never shown again.' }),
    admin: Type.Optional(Type.Boolean()),
  }),
  status: 201,
  makes: 'user',
  result: Account,
  refusals: ['409 username', '422 username', '422 display_name', '422 password'],
  examples: [{ username: 'lin', display_name: 'Lin', password: 'a first password', admin: false }],
  handler: async ({ directory }, { body, traceId }) => {
    const { username, display_name: displayName = '', password = null, admin = false } = body
    const made = { id: randomId(idLength.user), username, displayName, password, admin }
    return userObject(await directory.ask('create-user', made, traceId).catch(tooManyAt('username')))
  },
})

const changeUser = route('PATCH', one, {
  summary: 'Changes an account. An account that is disabled has no sessions, and its keys are refused.',
  needs: administering,
  body: Strict({ display_name: MaybeText, disabled: Type.Optional(Type.Boolean()), admin: Type.Optional(Type.Boolean()) }),
  result: Account,
  refusals: ['404', '409 disabled', '409 admin', '422 display_name'],
  examples: [{ display_name: 'Lin L.' }],
  handler: async ({ directory }, call) => {
    const { display_name: displayName, ...change } = call.body
    const userId = pathId(call, 'user')
    if (change.disabled === true) requireAnother(call, userId, 'disable', 'disabled')
    if (change.admin === false) requireAnother(call, userId, 'demote', 'admin')
    const named = displayName === undefined ? {} : { displayName }
    return userObject(await directory.ask('update-user', { userId, ...named, ...change }, call.traceId))
  },
})

const deleteUser = route('DELETE', one, {
  summary: 'Deletes an account with its keys, sessions and memberships.',
  more: 'The only owner of a workspace stays.',
  needs: administering,
  query: { force: { schema: Type.Boolean(), meaning: 'Also an account that has keys or memberships.' } },
  result: Deleted,
  refusals: ['404', '409', '422 force'],
  handler: async ({ directory }, call) => {
    const userId = pathId(call, 'user')
    requireAnother(call, userId, 'delete')
    const force = call.query['force'] === true
    const { id } = await directory.ask('delete-user', { userId, force, keepAdministrator: true }, call.traceId)
    return { id, deleted: true }
  },
})

export const userRoutes = [listUsers, createUser, changeUser, deleteUser]

/** Throws `invalid_state`, with the field if there is one, if administrators would do this to themselves. */
function requireAnother({ request }: V3Call, userId: string, verb: 'disable' | 'demote' | 'delete', field?: string): void {
  if (userId !== request.identity.userId) return
  const details = `An administrator cannot ${verb} the own account; another administrator can`
  throw refusal('invalid_state', 'Not your own account', details, field)
}
