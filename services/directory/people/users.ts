// Accounts: create, find, list, change. The write that disables a user also raises the epoch of the user's sessions, which ends these
// sessions.
import type { UserDocument } from '#shared/contracts/account.ts'
import type { UserView } from '#shared/contracts/ask/ask-people.ts'
import { refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { readAll } from '#shared/store/pages.ts'
import type { Store } from '#shared/store/port.ts'
import type { AskAnswerer, DirectoryContext } from '../context.ts'
import { changeGuarded } from '../documents/guarded.ts'
import { readPage } from '../documents/page.ts'
import { pick } from '../documents/pick.ts'
import { revoke } from '../keys/revoke.ts'
import { checkText, checkUsername, usernameOf } from './fields.ts'

/** Throws `validation` for an invalid name or password, `taken` for a name in use, and `invalid_state` with `Too many users`. */
export const createUser: AskAnswerer<'create-user'> = async (context, request) => {
  const { store, clock, passwords } = context
  const username = checkUsername(request.username)
  const displayName = checkDisplayName(request.displayName)
  const [repeated = null] = await store.get('users', [request.id])
  if (repeated) return storedBefore(repeated, username)
  await checkRoom(store)
  const user: UserDocument = {
    id: request.id,
    rev: 1,
    username,
    displayName,
    admin: request.admin,
    disabled: false,
    createdAt: clock.now(),
    ...(request.password === null ? {} : { password: await passwords.hash(request.password) }),
  }
  const [result] = await store.insert('users', [user])
  if (result === 'written') return userView(user)
  const [present = null] = await store.get('users', [request.id])
  if (present) return storedBefore(present, username)
  throw usernameTaken(username)
}

/** Returns a page of all users in the order of their creation. */
export const listUsers: AskAnswerer<'list-users'> = async ({ store }, { after, limit }) =>
  readPage(store, {
    collection: 'users',
    where: {},
    sort: ['createdAt', 'asc'],
    after,
    ...(limit === undefined ? {} : { max: limit }),
    view: users => users.map(userView),
  })

export const findUser: AskAnswerer<'find-user'> = async ({ store }, { username }) => {
  const user = await findByUsername(store, username)
  return user && userView(user)
}

/** Throws `not_found`, `invalid_state` `Last administrator`. Sends a revocation to every gateway after any change. */
export const updateUser: AskAnswerer<'update-user'> = async (context, request) => {
  const { userId, disabled, admin, force = false } = request
  const { store } = context
  const [before = null] = await store.get('users', [userId])
  const takesAdministrator = !force && isAdministrator(before) && (disabled === true || admin === false)
  if (takesAdministrator) await requireOtherAdministrator(store, userId)
  const displayName = request.displayName === undefined ? undefined : checkDisplayName(request.displayName)
  const user = await changeGuarded(store, 'users', userId, present => {
    if (!present) throw userNotFound(userId)
    const ends = disabled === true && !present.disabled
    return {
      ...present,
      ...(displayName === undefined ? {} : { displayName }),
      ...(admin === undefined ? {} : { admin }),
      ...(disabled === undefined ? {} : { disabled }),
      ...(ends ? { sessionsEpoch: epochOf(present) + 1 } : {}),
    }
  })
  // Two simultaneous requests may together remove the last two administrators. After its write, each request therefore looks for another
  // administrator, and undoes its change if there is none.
  if (takesAdministrator)
    await requireOtherAdministrator(store, userId).catch(error => restoreAdministrator(context, userId, error))
  await revoke(context, 'user', userId)
  return userView(user as UserDocument)
}

const isAdministrator = (user: UserDocument | null): boolean => user?.admin === true && !user.disabled

/** Throws `invalid_state` `Last administrator` if no other user administers the installation. Reads every user. */
async function requireOtherAdministrator(store: Store, userId: string): Promise<void> {
  for await (const user of readAll(store, 'users', {})) if (user.id !== userId && isAdministrator(user)) return
  const details = 'Nobody could administer the installation any more: make another user administrator first'
  throw refusal('invalid_state', 'Last administrator', details)
}

async function restoreAdministrator(context: DirectoryContext, userId: string, cause: Error): Promise<never> {
  await changeGuarded(context.store, 'users', userId, present => present && { ...present, admin: true, disabled: false })
  await revoke(context, 'user', userId)
  throw cause
}

export async function findByUsername(store: Store, text: string): Promise<UserDocument | null> {
  const [user = null] = await store.find('users', { where: { username: usernameOf(text) }, limit: 1 })
  return user
}

/** Throws `invalid_state` if the installation already has the maximum number of accounts. */
export async function checkRoom(store: Store): Promise<void> {
  if ((await store.count('users', {})) < limits.people.users) return
  throw refusal('invalid_state', 'Too many users', `An installation has at most ${limits.people.users} users`)
}

export const epochOf = (user: UserDocument): number => user.sessionsEpoch ?? 0

export const userNotFound = (userId: string) => refusal('not_found', 'User not found', `There is no user ${userId}`)

const usernameTaken = (username: string) =>
  refusal('taken', 'Username taken', `There is a user "${username}" already; choose another username`, 'username')

export const checkDisplayName = (text: string): string =>
  checkText(text, limits.people.displayNameCharacters, 'Invalid display name', 'A display name', 'display_name')

const userView = (user: UserDocument): UserView => ({
  ...pick(user, ['id', 'username', 'displayName', 'admin', 'disabled', 'createdAt']),
  hasPassword: user.password !== undefined,
  signedInAt: user.signedInAt ?? null,
})

function storedBefore(user: UserDocument, username: string): UserView {
  if (user.username === username) return userView(user)
  throw refusal('validation', 'User exists', `The id ${user.id} belongs to another user`)
}
