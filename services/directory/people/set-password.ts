// A new password: set by an administrator or the command line, or by the person who proves to know the present one.
import type { UserDocument } from '#shared/contracts/account.ts'
import type { AskRequest, AskResults } from '#shared/contracts/ask/ask.ts'
import { AppError } from '#shared/errors.ts'
import type { DirectoryContext } from '../context.ts'
import { changeGuarded } from '../documents/guarded.ts'
import { cleanSessions } from './sessions.ts'
import { toWait, wrong } from './sign-in.ts'
import { countTry, forgiveTry } from './sign-in-throttle.ts'
import { epochOf, userNotFound } from './users.ts'

/** Throws `not_found`, `validation` for a password that may not be, `invalid_state` where there is no present one, `busy`. */
export async function setPassword(
  context: DirectoryContext,
  request: AskRequest<'set-password'>,
): Promise<AskResults['set-password']> {
  const [user] = await context.store.get('users', [request.userId])
  if (!user) throw userNotFound(request.userId)
  if (isRepeat(user, request)) {
    // A change that has ended the sessions since then has ended the kept one too.
    if (user.passwordChange?.epoch === epochOf(user)) await cleanSessions(context, user, request.keepSessionId ?? null)
    return { outcome: 'set' }
  }
  // Hashed first: a password that may not be is refused before a try is counted.
  const password = await context.passwords.hash(request.password)
  const refusal = await refuse(context, user, request)
  if (refusal) return refusal
  const changed = await changeGuarded(context.store, 'users', user.id, present => {
    if (!present) throw userNotFound(user.id)
    if (request.current && present.password !== user.password) throw changedAtOnce()
    const { passwordChange: _, ...others } = present
    const epoch = epochOf(present) + 1
    const by = request.current ? { passwordChange: { attemptId: request.current.attemptId, epoch } } : {}
    return { ...others, ...by, password, sessionsEpoch: epoch }
  })
  await cleanSessions(context, changed as UserDocument, request.keepSessionId ?? null)
  return { outcome: 'set' }
}

/** Whether the first try of the same change was carried out: then the password to prove is no longer the present one. */
const isRepeat = (user: UserDocument, { current }: AskRequest<'set-password'>): boolean =>
  current !== undefined && user.passwordChange?.attemptId === current.attemptId

/** Null where the change may go on. */
async function refuse(
  context: DirectoryContext,
  user: UserDocument,
  { current }: AskRequest<'set-password'>,
): Promise<Exclude<AskResults['set-password'], { outcome: 'set' }> | null> {
  if (!current) return null
  if (user.password === undefined) {
    throw new AppError('invalid_state', 'No password', {
      details: 'This account has no password; an administrator sets the first one',
    })
  }
  const tried = { username: user.username, client: current.client, attemptId: current.attemptId }
  const waitMs = await countTry(context, tried)
  if (waitMs > 0) return toWait(waitMs)
  if (!(await context.passwords.verify(current.password, user.password))) return wrong
  await forgiveTry(context, tried)
  return null
}

const changedAtOnce = (): AppError =>
  new AppError('unavailable', 'Changed at once', {
    details: 'The password was changed by another request at this moment; try again',
  })
