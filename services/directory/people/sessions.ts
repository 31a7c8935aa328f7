// Sessions of the dashboard: begin, find by the hash of the token, prolong, end. A session is valid only while its epoch equals the epoch
// in the user's document. An increase of this epoch therefore ends all sessions of the user at once.
import type { SessionDocument, UserDocument } from '#shared/contracts/account.ts'
import type { AskRequest } from '#shared/contracts/ask/ask.ts'
import type { SessionIdentity } from '#shared/contracts/ask/ask-people.ts'
import { refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import type { AskAnswerer, DirectoryContext } from '../context.ts'
import { changeGuarded } from '../documents/guarded.ts'
import { revoke } from '../keys/revoke.ts'
import { callerOf } from './callers.ts'
import { epochOf, userNotFound } from './users.ts'

type NewSession = AskRequest<'sign-in'>['session']

/**
 * Begins a session with the epoch of the given user document. A retry with the same id and token returns the session of the first attempt.
 */
export async function beginSession(
  { store, clock }: DirectoryContext,
  user: UserDocument,
  { id, tokenHash }: NewSession,
): Promise<SessionIdentity> {
  const createdAt = clock.now()
  const expireAt = createdAt + limits.sessions.lifeMs
  const session: SessionDocument = { id, rev: 1, userId: user.id, tokenHash, epoch: epochOf(user), createdAt, expireAt }
  const [result] = await store.insert('sessions', [session])
  const [present = null] = result === 'written' ? [session] : await store.get('sessions', [id])
  if (present?.userId !== user.id || present.tokenHash !== tokenHash) {
    throw refusal('validation', 'Session exists', 'The id or the token belongs to another session')
  }
  const newestFirst = { where: { userId: user.id }, sort: [['createdAt', 'desc']], limit: limits.directory.listed } as const
  // The oldest sessions are removed, but never the new session. If another process's clock is ahead, a session that it began earlier may
  // seem newer.
  const others = (await store.find('sessions', newestFirst)).filter(session => session.id !== id)
  await removeSessions(store, others.slice(limits.sessions.perUser - 1))
  return identityOf(store, user, present)
}

/** Returns the user of a session. Null: the session is unknown, ended or expired, or its user is deleted. */
export const findSession: AskAnswerer<'find-session'> = async ({ store, clock }, { tokenHash }) => {
  const now = clock.now()
  const [session] = await store.find('sessions', { where: { tokenHash }, limit: 1 })
  if (!session || session.expireAt <= now) return null
  const [user] = await store.get('users', [session.userId])
  if (!user || session.epoch !== epochOf(user)) return null
  const expireAt = Math.min(now + limits.sessions.lifeMs, session.createdAt + limits.sessions.lifeMsMax)
  if (expireAt < session.expireAt + limits.sessions.prolongMs) return identityOf(store, user, session)
  const prolonged = { ...session, rev: session.rev + 1, expireAt }
  // The store refuses the write if another request has ended or prolonged the session meanwhile. The next use of the session then reads its
  // new state.
  const [result] = await store.replace('sessions', [prolonged])
  return identityOf(store, user, result === 'written' ? prolonged : session)
}

/** Ends one session. An unknown session is ignored. */
export const signOut: AskAnswerer<'sign-out'> = async (context, { sessionId }) => {
  await context.store.delete('sessions', [sessionId])
  await revoke(context, 'session', sessionId)
  return null
}

/** Throws `not_found`. */
export const endSessions: AskAnswerer<'end-sessions'> = async (context, { userId }) => {
  const user = await changeGuarded(context.store, 'users', userId, present => {
    if (!present) throw userNotFound(userId)
    return { ...present, sessionsEpoch: epochOf(present) + 1 }
  })
  await cleanSessions(context, user as UserDocument, null)
  return null
}

/**
 * Called after the user's epoch was raised. Moves the session `keepSessionId` to the new epoch if it was valid, removes the other sessions,
 * and notifies the gateways.
 */
export async function cleanSessions(context: DirectoryContext, user: UserDocument, keepSessionId: string | null): Promise<void> {
  const { store } = context
  const mine = await store.find('sessions', { where: { userId: user.id }, limit: limits.directory.listed })
  const kept = mine.find(session => session.id === keepSessionId && session.epoch >= epochOf(user) - 1)
  if (kept) await changeGuarded(store, 'sessions', kept.id, present => present && { ...present, epoch: epochOf(user) })
  await removeSessions(
    store,
    mine.filter(session => session !== kept && session.epoch < epochOf(user)),
  )
  await revoke(context, 'user', user.id)
}

async function removeSessions(store: Store, sessions: SessionDocument[]): Promise<void> {
  const ids = sessions.map(session => session.id)
  if (ids.length > 0) await store.delete('sessions', ids)
}

const identityOf = async (store: Store, user: UserDocument, session: SessionDocument): Promise<SessionIdentity> => ({
  ...(await callerOf(store, user, session.expireAt)),
  sessionId: session.id,
  username: user.username,
  hasPassword: user.password !== undefined,
})
