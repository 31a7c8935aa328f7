// First start: creates the owner, the workspace `Default`, its membership, the location of this process and one API key. A crash at any
// point is harmless, and so are two simultaneous starts: the insert of one setting decides all ids, and later writes only add missing
// documents.
import type { Logger } from '#shared/observability/logger.ts'
import type { Store } from '#shared/store/port.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import type { Clock } from '#shared/time/clock.ts'
import { hashToken, makeToken, tokenPrefix } from '#shared/tokens/api-token.ts'
import { ownerUsername } from '#shared/tokens/owner-username.ts'
import { changeGuarded } from '../documents/guarded.ts'
import { authenticate, keyDocument } from '../keys/keys.ts'
import { ensureLocation } from '../locations/locations.ts'
import { insertWorkspace } from './workspaces.ts'

export interface BootstrapContext {
  store: Store
  clock: Clock
  logger?: Pick<Logger, 'info'>
}

/** Decisions of the first start. `done`: all objects of the first start were stored, and are not created again if a person deletes them. */
interface FirstStart {
  userId: string
  workspaceId: string
  at: number
  done: boolean
}

/**
 * State of the first API key. `offered`: a start created a token, but no key exists yet; the next start offers another token.
 * `confirmed`: a start has stored the token where a person finds it, so the key must be created. `done`: the key was created, and is not
 * created again if a person deletes it.
 */
interface FirstKey {
  state: 'offered' | 'confirmed' | 'done'
  keyId: string
  userId: string
  tokenHash: string
  prefix: string
  at: number
}

const settingIds = { firstStart: 'first-start', firstKey: 'first-key' } as const

/**
 * Runs at every start, before the services. Returns the workspace of the first start. `firstKey`: a token for the first API key; null if an
 * earlier start has confirmed a token. The caller stores the token where a person finds it, then calls `confirmFirstKey`, which creates the
 * key.
 */
export async function bootstrap(
  context: BootstrapContext,
  options: { location: string },
): Promise<{ firstKey: string | null; workspaceId: string }> {
  const { store, clock } = context
  const first = await decideFirstStart(store, clock)
  if (!first.done) {
    await addOwnerAndWorkspace(store, first)
    await changeGuarded(store, 'settings', settingIds.firstStart, present =>
      setting(settingIds.firstStart, { ...first, done: true }, present),
    )
  }
  await ensureLocation(
    { store, clock, activeWorkers: () => 0, lastSeenAt: () => null, probersAt: () => [] },
    { name: options.location },
  )
  return { firstKey: await offerFirstKey(context, first), workspaceId: first.workspaceId }
}

/**
 * Creates the key of an offered token. Returns false if another start has offered or confirmed another token meanwhile: then this token is
 * void, and the caller deletes its copy. The caller may retry.
 */
export async function confirmFirstKey(context: BootstrapContext, token: string): Promise<boolean> {
  const { store } = context
  const tokenHash = hashToken(token)
  const key = await changeFirstKey(store, present =>
    present?.state === 'offered' && present.tokenHash === tokenHash ? { ...present, state: 'confirmed' } : null,
  )
  if (key?.tokenHash !== tokenHash) return false
  if (key.state === 'confirmed') await addFirstKey(context, key)
  return true
}

/** Returns true if the API accepts this token now, and false if the token's key is deleted or expired. */
export async function isWorkingKey(context: BootstrapContext, token: string): Promise<boolean> {
  const identity = await authenticate(context, { tokenHash: hashToken(token) })
  return identity !== null && !identity.disabled
}

/**
 * Returns the decisions of the first start. If several processes start together, the first one to insert the setting decides; the others
 * read it.
 */
async function decideFirstStart(store: Store, clock: Clock): Promise<FirstStart> {
  const proposed = { userId: randomId(idLength.user), workspaceId: randomId(idLength.workspace), at: clock.now(), done: false }
  await store.insert('settings', [setting(settingIds.firstStart, proposed, null)])
  const [decided] = await store.get('settings', [settingIds.firstStart])
  return decided ? (JSON.parse(decided.value) as FirstStart) : proposed
}

async function addOwnerAndWorkspace(store: Store, { userId, workspaceId, at }: FirstStart): Promise<void> {
  const owner = { id: userId, rev: 1, username: ownerUsername, displayName: '', admin: true, disabled: false, createdAt: at }
  await store.insert('users', [owner])
  await insertWorkspace(store, { id: workspaceId, rev: 1, name: 'Default', createdAt: at, members: { [userId]: 'owner' } })
}

/** Returns a new token, which replaces a token that was offered but not confirmed. Returns null if a token was confirmed earlier. */
async function offerFirstKey(context: BootstrapContext, first: FirstStart): Promise<string | null> {
  const { store, clock } = context
  const token = makeToken()
  const keyId = randomId(idLength.key)
  const made = { tokenHash: hashToken(token), prefix: tokenPrefix(token), at: clock.now() }
  const offer: FirstKey = { state: 'offered', keyId, userId: first.userId, ...made }
  const key = await changeFirstKey(store, present => (present === null || present.state === 'offered' ? offer : null))
  if (key?.state === 'confirmed') await addFirstKey(context, key)
  return key?.keyId === keyId ? token : null
}

/** Creates the key, then marks it as done. Both writes are idempotent, so another start may repeat them. */
async function addFirstKey({ store, logger }: BootstrapContext, key: FirstKey): Promise<void> {
  const { keyId, userId, tokenHash, prefix, at } = key
  const own = { id: keyId, userId, tokenHash, prefix, createdAt: at }
  const document = keyDocument({ ...own, description: 'First key', scope: null })
  const [result] = await store.insert('keys', [document])
  const { description } = document
  if (result === 'written') logger?.info({ keyId, description, user: ownerUsername }, 'api key created')
  await changeFirstKey(store, present => (present?.state === 'confirmed' ? { ...present, state: 'done' } : null))
}

async function changeFirstKey(store: Store, change: (present: FirstKey | null) => FirstKey | null): Promise<FirstKey | null> {
  const stored = await changeGuarded(store, 'settings', settingIds.firstKey, present => {
    const next = change(present && (JSON.parse(present.value) as FirstKey))
    return next && setting(settingIds.firstKey, next, present)
  })
  return stored && (JSON.parse(stored.value) as FirstKey)
}

const setting = (id: string, value: object, present: { rev: number } | null) => ({
  id,
  rev: (present?.rev ?? 0) + 1,
  value: JSON.stringify(value),
})
