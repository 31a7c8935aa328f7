// Sign-in: by password, throttled and silent about existing names; and for people whom an OIDC provider has authenticated.
import { createHash } from 'node:crypto'
import type { UserDocument } from '#shared/contracts/account.ts'
import type { AskRequest } from '#shared/contracts/ask/ask.ts'
import type { SignInOutcome } from '#shared/contracts/ask/ask-people.ts'
import { AppError } from '#shared/errors.ts'
import { limits, second } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { humanDuration } from '#shared/time/durations.ts'
import type { DirectoryContext } from '../context.ts'
import { usernameFrom } from './fields.ts'
import { ensureFirstWorkspace } from './first-workspace.ts'
import { beginSession } from './sessions.ts'
import { countTry, forgiveTry } from './sign-in-throttle.ts'
import { checkDisplayName, checkRoom, findByUsername } from './users.ts'

type Refusal = Exclude<SignInOutcome, { outcome: 'signed-in' }>

/** Throws `busy` where too many sign in at once, to be tried again; everything else is an outcome. */
export async function signIn(context: DirectoryContext, request: AskRequest<'sign-in'>): Promise<SignInOutcome> {
  const { username, client, session } = request
  const tried = { username, client, attemptId: session.id }
  const waitMs = await countTry(context, tried)
  if (waitMs > 0) return toWait(waitMs)
  const user = await findByUsername(context.store, username)
  if (!(await context.passwords.verify(request.password, user?.password)) || !user) return wrong
  await forgiveTry(context, tried)
  return user.disabled ? disabled : signedIn(context, user, session)
}

/** The user bound to (issuer, subject), made where there is none; never one that was made otherwise, whatever the provider calls it. */
export async function signInOidc(context: DirectoryContext, request: AskRequest<'sign-in-oidc'>): Promise<SignInOutcome> {
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
): Promise<SignInOutcome> {
  await ensureFirstWorkspace(context, user)
  return { outcome: 'signed-in', identity: await beginSession(context, user, session) }
}

/** Two first sign-ins at once make one user: the insert of the binding decides its id. */
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
  const [bound = proposed] = known ? [known] : await store.get('externalIdentities', [id])
  const userId = (bound ?? proposed).userId
  const [user = null] = await store.get('users', [userId])
  return user ?? makeUser(context, userId, request)
}

/** With the first free of the proposed name, `name-2`, `name-3`, … */
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
  throw new AppError('validation', 'Username taken', {
    details: `Too many users are named "${base}"; ask an administrator for an account`,
  })
}

async function userOf(store: Store, id: string): Promise<UserDocument | null> {
  const [user = null] = await store.get('users', [id])
  return user
}

/** A provider's display name that may not be one is no reason to keep somebody out. */
function shownName(proposed: string): string {
  try {
    return checkDisplayName(proposed)
  } catch {
    return ''
  }
}
