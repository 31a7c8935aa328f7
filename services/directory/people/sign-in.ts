// Two kinds of sign-in. By password: tries are throttled, and a refusal does not reveal whether the name exists. By OIDC: the provider has
// authenticated the person.
import { createHash } from 'node:crypto'
import type { UserDocument } from '#shared/contracts/account.ts'
import type { AskRequest } from '#shared/contracts/ask/ask.ts'
import type { SignInOutcome } from '#shared/contracts/ask/ask-people.ts'
import { refusal } from '#shared/errors.ts'
import { limits, second } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { humanDuration } from '#shared/time/durations.ts'
import type { AskAnswerer, DirectoryContext } from '../context.ts'
import { changeGuarded } from '../documents/guarded.ts'
import { revoke } from '../keys/revoke.ts'
import { workspacesOf } from './callers.ts'
import { usernameFrom } from './fields.ts'
import { isMarkOf, markOf } from './known-browser.ts'
import { beginSession } from './sessions.ts'
import { countTry, forgiveTry } from './sign-in-throttle.ts'
import { checkDisplayName, checkRoom, findByUsername } from './users.ts'
import { insertWorkspace } from './workspaces.ts'

type Refusal = Exclude<SignInOutcome, { outcome: 'signed-in' }>

/** Throws `busy` if too many people sign in at once; the caller may retry. Returns every other refusal as an outcome. */
export const signIn: AskAnswerer<'sign-in'> = async (context, request) => {
  const { username, client, session, mark = null } = request
  const user = await findByUsername(context.store, username)
  const isKnown = mark !== null && user !== null && isMarkOf(context, mark, user.id)
  const tried = { username, client, attemptId: session.id, mark: isKnown ? mark : null }
  const waitMs = await countTry(context, tried)
  if (waitMs > 0) return toWait(waitMs)
  if (!(await context.passwords.verify(request.password, user?.password)) || !user) return wrong
  await forgiveTry(context, tried)
  return user.disabled ? disabled : { ...(await signedIn(context, user, session)), mark: markOf(context, user.id) }
}

/**
 * Signs in the user who is bound to this issuer and subject, and creates this user if needed. Never binds an issuer and subject to a user
 * that was created in another way.
 */
export const signInOidc: AskAnswerer<'sign-in-oidc'> = async (context, request) => {
  const user = await userOfSubject(context, request)
  return user.disabled ? disabled : signedIn(context, user, request.session)
}

export const toWait = (waitMs: number): Refusal => {
  const retryAfterMs = Math.ceil(waitMs / second) * second
  return {
    outcome: 'wait',
    message: `Too many sign-ins failed; try again in ${humanDuration(retryAfterMs)}`,
    retryAfterMs,
  }
}

export const wrong: Refusal = { outcome: 'wrong', message: 'The username or the password is wrong' }
const disabled: Refusal = { outcome: 'disabled', message: 'This account is disabled; ask an administrator' }

async function signedIn(
  context: DirectoryContext,
  user: UserDocument,
  session: AskRequest<'sign-in'>['session'],
): Promise<Extract<SignInOutcome, { outcome: 'signed-in' }>> {
  await ensureFirstWorkspace(context, user)
  return { outcome: 'signed-in', identity: await beginSession(context, user, session) }
}

/**
 * Creates the workspace `Default` for a person who signs in for the first time and is a member of no workspace. Creates none if
 * NEW_USER_WORKSPACE is none. First stores the workspace's id in the user's document: after a crash or in a simultaneous sign-in, the same
 * id is used, so no second workspace is created.
 */
async function ensureFirstWorkspace(context: DirectoryContext, user: UserDocument): Promise<void> {
  const { store, clock } = context
  if (user.signedInAt !== undefined) return
  const isWanted = context.newUserWorkspace === 'own' && (await workspacesOf(store, user.id)).length === 0
  // If an earlier sign-in has stored the id, the workspace is created even if NEW_USER_WORKSPACE has changed since.
  if (isWanted || user.firstWorkspaceId !== undefined) {
    const proposed = randomId(idLength.workspace)
    const decided = await changeGuarded(store, 'users', user.id, present =>
      present && present.firstWorkspaceId === undefined ? { ...present, firstWorkspaceId: proposed } : null,
    )
    const id = decided?.firstWorkspaceId ?? proposed
    await insertWorkspace(store, { id, rev: 1, name: 'Default', createdAt: clock.now(), members: { [user.id]: 'owner' } })
    await revoke(context, 'user', user.id)
  }
  await changeGuarded(store, 'users', user.id, present =>
    present && present.signedInAt === undefined ? { ...present, signedInAt: clock.now() } : null,
  )
}

/**
 * Returns the user who is bound to the issuer and subject. Two simultaneous first sign-ins create only one user, because the insert of the
 * binding decides the user's id.
 */
async function userOfSubject(context: DirectoryContext, request: AskRequest<'sign-in-oidc'>): Promise<UserDocument> {
  const { store, clock } = context
  const { issuer, subject } = request
  const id = createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex')
  const [known = null] = await store.get('externalIdentities', [id])
  if (!known) await checkRoom(store)
  const proposed = known ?? { id, rev: 1, issuer, subject, userId: randomId(idLength.user), createdAt: clock.now() }
  if (!known) await store.insert('externalIdentities', [proposed])
  const [bound = null] = known ? [known] : await store.get('externalIdentities', [id])
  const { userId } = bound ?? proposed
  const [user = null] = await store.get('users', [userId])
  return user ?? makeUser(context, userId, request)
}

/** Creates a user with the first free name of `name`, `name-2`, `name-3`, … */
async function makeUser(
  { store, clock }: DirectoryContext,
  id: string,
  request: AskRequest<'sign-in-oidc'>,
): Promise<UserDocument> {
  const base = usernameFrom(request.username)
  const displayName = shownName(request.displayName)
  for (let n = 1; n <= limits.people.usernameCandidates; n++) {
    const username = n === 1 ? base : `${base}-${n}`
    const user = { id, rev: 1, username, displayName, admin: false, disabled: false, createdAt: clock.now() }
    const [result] = await store.insert('users', [user])
    const made = result === 'taken' ? null : result === 'written' ? user : await userOf(store, id)
    if (made) return made
  }
  throw refusal('validation', 'Username taken', `Too many users are named "${base}"; ask an administrator for an account`)
}

async function userOf(store: Store, id: string): Promise<UserDocument | null> {
  const [user = null] = await store.get('users', [id])
  return user
}

/** Returns the display name that the provider proposes. An invalid name becomes empty, so that the person can still sign in. */
function shownName(proposed: string): string {
  try {
    return checkDisplayName(proposed)
  } catch {
    return ''
  }
}
