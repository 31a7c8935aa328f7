// Change of a password, by an administrator or the command line, or by the user, who also sends the present password.
import type { UserDocument } from '#shared/contracts/account.ts'
import type { AskRequest } from '#shared/contracts/ask/ask.ts'
import { refusal } from '#shared/errors.ts'
import type { AskAnswerer, DirectoryContext } from '../context.ts'
import { changeGuarded } from '../documents/guarded.ts'
import { cleanSessions } from './sessions.ts'
import { toWait, wrong } from './sign-in.ts'
import { countTry, forgiveTry } from './sign-in-throttle.ts'
import { epochOf, userNotFound } from './users.ts'

/**
 * Throws `not_found`, `busy`, `validation` for an invalid new password, or `invalid_state` if the present password is sent for an account
 * without a password.
 */
export const setPassword: AskAnswerer<'set-password'> = async (context, request) => {
  const [user] = await context.store.get('users', [request.userId])
  if (!user) throw userNotFound(request.userId)
  if (isRepeat(user, request)) {
    // If a later change has raised the epoch again, that change has already ended the session to keep, so nothing is left to do.
    if (user.passwordChange?.epoch === epochOf(user)) await cleanSessions(context, user, request.keepSessionId ?? null)
    return { outcome: 'set' }
  }
  // The new password is hashed first, so that an invalid password is refused before the try is counted.
  const password = await context.passwords.hash(request.password)
  const refused = await checkPresent(context, user, request)
  if (refused) return refused
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

/** Returns true if an earlier try of the same request has already changed the password. */
const isRepeat = (user: UserDocument, { current }: AskRequest<'set-password'>): boolean =>
  current !== undefined && user.passwordChange?.attemptId === current.attemptId

/**
 * Checks the present password that the request contains. Returns null if the password may be changed, else the outcome that the caller
 * returns.
 */
async function checkPresent(context: DirectoryContext, user: UserDocument, { current }: AskRequest<'set-password'>) {
  if (!current) return null
  if (user.password === undefined) {
    throw refusal('invalid_state', 'No password', 'This account has no password; an administrator sets the first one')
  }
  const tried = { username: user.username, client: current.client, attemptId: current.attemptId, mark: null }
  const waitMs = await countTry(context, tried)
  if (waitMs > 0) return toWait(waitMs)
  if (!(await context.passwords.verify(current.password, user.password))) return wrong
  await forgiveTry(context, tried)
  return null
}

const changedAtOnce = () =>
  refusal('unavailable', 'Changed at once', 'The password was changed by another request at this moment; try again')
