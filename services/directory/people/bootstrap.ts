// The first start: the owner, the workspace `Default`, its membership, the location of this process and one API key. Safe against a
// crash at any line and against two processes starting at once: ids are decided once, by the insert of one setting; every further
// write only adds what is missing.

import type { Role } from '#shared/contracts/account.ts'
import type { Logger } from '#shared/observability/logger.ts'
import { readAll } from '#shared/store/pages.ts'
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

/** Decisions of the first start. `done` once everything is stored, so that an object that a person removes later stays removed. */
interface FirstStart {
  userId: string
  workspaceId: string
  at: number
  done: boolean
  /** Workspaces of earlier versions have got their rosters. */
  rosters?: boolean
}

/**
 * offered: a token was made and shown to the process that made it; no key exists yet, so the next start simply offers another.
 * confirmed: that process has kept the token; the key must exist. done: it did; deleting it later is final.
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
 * Run at every start, before the services. Answers the workspace that the first start made, and as `firstKey` the token of the first
 * API key while none was confirmed yet, else null. The caller writes that token where a person finds it and then calls
 * `confirmFirstKey`: only then does the key begin to work.
 */
export async function bootstrap(
  context: BootstrapContext,
  options: { location: string },
): Promise<{ firstKey: string | null; workspaceId: string }> {
  const { store, clock } = context
  const first = await decideFirstStart(store, clock)
  if (!first.done) await addOwnerAndWorkspace(store, first)
  else if (!first.rosters) await addRosters(store)
  if (!first.done || !first.rosters) {
    await changeGuarded(store, 'settings', settingIds.firstStart, present =>
      setting(settingIds.firstStart, { ...first, done: true, rosters: true }, present),
    )
  }
  await ensureLocation({ store, clock, activeWorkers: () => 0, lastSeenAt: () => null }, { name: options.location })
  return { firstKey: await offerFirstKey(context, first), workspaceId: first.workspaceId }
}

/**
 * Makes the offered key work. False where another start has offered or confirmed another token meanwhile: this one is void, and
 * whatever it was written to should go. Repeating it is harmless.
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

/** Whether the API takes this token now: its key may have been deleted since, or have lived its 180 days. */
export async function isWorkingKey(context: BootstrapContext, token: string): Promise<boolean> {
  const identity = await authenticate(context, { tokenHash: hashToken(token) })
  return identity !== null && !identity.disabled
}

/** The first insert decides; a second process reads its decisions. */
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

/** Workspaces made before there were rosters get theirs from the memberships, which had the roles then. */
async function addRosters(store: Store): Promise<void> {
  for await (const { id, members } of readAll(store, 'workspaces', {})) {
    if (members === undefined) await addRoster(store, id)
  }
}

async function addRoster(store: Store, workspaceId: string): Promise<void> {
  const members: Record<string, Role> = {}
  for await (const { userId, role } of readAll(store, 'memberships', { workspaceId })) if (role) members[userId] = role
  await changeGuarded(store, 'workspaces', workspaceId, present =>
    present && present.members === undefined ? { ...present, members } : null,
  )
}

/** A token where no key was confirmed yet; it replaces one that an earlier start offered and never confirmed. */
async function offerFirstKey(context: BootstrapContext, first: FirstStart): Promise<string | null> {
  const { store, clock } = context
  const token = makeToken()
  const keyId = randomId(idLength.key)
  const offer: FirstKey = {
    state: 'offered',
    keyId,
    userId: first.userId,
    tokenHash: hashToken(token),
    prefix: tokenPrefix(token),
    at: clock.now(),
  }
  const key = await changeFirstKey(store, present => (present === null || present.state === 'offered' ? offer : null))
  if (key?.state === 'confirmed') await addFirstKey(context, key)
  return key?.keyId === keyId ? token : null
}

/** Between these two writes only a start of this kind may come, and it does the same. */
async function addFirstKey({ store, logger }: BootstrapContext, key: FirstKey): Promise<void> {
  const document = firstKeyDocument(key)
  const [result] = await store.insert('keys', [document])
  const { id: keyId, description } = document
  if (result === 'written') logger?.info({ keyId, description, user: ownerUsername }, 'api key created')
  await changeFirstKey(store, present => (present?.state === 'confirmed' ? { ...present, state: 'done' } : null))
}

const firstKeyDocument = ({ keyId, userId, tokenHash, prefix, at }: FirstKey) =>
  keyDocument({ id: keyId, userId, description: 'First key', tokenHash, prefix, createdAt: at, scope: null })

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
