// Accounts: made, found, listed, changed. What takes something away from a user raises the epoch of its sessions in the same write.
import type { UserDocument } from '#shared/contracts/account.ts'
import type { AskRequest } from '#shared/contracts/ask/ask.ts'
import type { UserView } from '#shared/contracts/ask/ask-people.ts'
import type { Page } from '#shared/contracts/ask/reply.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import type { DirectoryContext } from '../context.ts'
import { changeGuarded } from '../documents/guarded.ts'
import { readPage } from '../documents/page.ts'
import { revoke } from '../keys/revoke.ts'
import { isAdministrator, requireOtherAdministrator } from './administrators.ts'
import { checkText, checkUsername, usernameOf } from './fields.ts'

/** Throws `validation`: a name or a password that may not be, `Username taken`; `invalid_state`: `Too many users`. */
export async function createUser(context: DirectoryContext, request: AskRequest<'create-user'>): Promise<UserView> {
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

/** A page of all users by creation. */
export async function listUsers({ store }: DirectoryContext, { after }: AskRequest<'list-users'>): Promise<Page<UserView>> {
  return readPage(store, {
    collection: 'users',
    where: {},
    sort: ['createdAt', 'asc'],
    after,
    view: users => users.map(userView),
  })
}

export async function findUser({ store }: DirectoryContext, { username }: AskRequest<'find-user'>): Promise<UserView | null> {
  const user = await findByUsername(store, username)
  return user && userView(user)
}

/** Throws `not_found`, `invalid_state` `Last administrator`. Every gateway hears of it, whatever was changed. */
export async function updateUser(context: DirectoryContext, request: AskRequest<'update-user'>): Promise<UserView> {
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
  // Two requests may each have left the other's user as the last administrator: a request that finds none left undoes its change.
  if (takesAdministrator)
    await requireOtherAdministrator(store, userId).catch(error => restoreAdministrator(context, userId, error))
  await revoke(context, 'user', userId)
  return userView(user as UserDocument)
}

async function restoreAdministrator(context: DirectoryContext, userId: string, refusal: Error): Promise<never> {
  await changeGuarded(context.store, 'users', userId, present => present && { ...present, admin: true, disabled: false })
  await revoke(context, 'user', userId)
  throw refusal
}

export async function findByUsername(store: Store, text: string): Promise<UserDocument | null> {
  const [user = null] = await store.find('users', { where: { username: usernameOf(text) }, limit: 1 })
  return user
}

/** Throws `invalid_state` where the installation has as many accounts as it may. */
export async function checkRoom(store: Store): Promise<void> {
  if ((await store.count('users', {})) < limits.people.users) return
  throw new AppError('invalid_state', 'Too many users', { details: `An installation has at most ${limits.people.users} users` })
}

export const epochOf = (user: UserDocument): number => user.sessionsEpoch ?? 0

export const userNotFound = (userId: string): AppError =>
  new AppError('not_found', 'User not found', { details: `There is no user ${userId}` })

const usernameTaken = (username: string): AppError =>
  new AppError('validation', 'Username taken', {
    details: `There is a user "${username}" already; choose another username`,
    facts: { field: 'username' },
  })

export const checkDisplayName = (text: string): string =>
  checkText(text, limits.people.displayNameCharacters, 'Invalid display name', 'A display name', 'display_name')

const userView = (user: UserDocument): UserView => ({
  id: user.id,
  username: user.username,
  displayName: user.displayName,
  admin: user.admin,
  disabled: user.disabled,
  hasPassword: user.password !== undefined,
  createdAt: user.createdAt,
  signedInAt: user.signedInAt ?? null,
})

function storedBefore(user: UserDocument, username: string): UserView {
  if (user.username === username) return userView(user)
  throw new AppError('validation', 'User exists', { details: `The id ${user.id} belongs to another user` })
}
