// A new password: set by an administrator or the command line, or by the person who proves to know the present one.
import type { UserDocument } from '#shared/contracts/account.ts'
import type { AskRequest, AskResults } from '#shared/contracts/ask.ts'
import { AppError } from '#shared/errors.ts'
import type { DirectoryContext } from './context.ts'
import { changeGuarded } from './guarded.ts'
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
  // Hashed first: a password that may not be is refused before a try is counted.
  const password = await context.passwords.hash(request.password)
  const refusal = await refuse(context, user, request)
  if (refusal) return refusal
  const changed = await changeGuarded(context.store, 'users', user.id, present => {
    if (!present) throw userNotFound(user.id)
    if (request.current && present.password !== user.password) throw changedAtOnce()
    return { ...present, password, sessionsEpoch: epochOf(present) + 1 }
  })
  await cleanSessions(context, changed as UserDocument, request.keepSessionId ?? null)
  return { outcome: 'set' }
}

/** Null where the change may go on. A repeat whose first try was carried out finds its new password in place, and may too. */
async function refuse(
  context: DirectoryContext,
  user: UserDocument,
  { current, password }: AskRequest<'set-password'>,
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
  const right =
    (await context.passwords.verify(current.password, user.password)) || (await context.passwords.verify(password, user.password))
  if (!right) return wrong
  await forgiveTry(context, tried)
  return null
}

const changedAtOnce = (): AppError =>
  new AppError('unavailable', 'Changed at once', {
    details: 'The password was changed by another request at this moment; try again',
  })
