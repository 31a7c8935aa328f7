// API keys that end within limits.operator.keyMs. The next one to come near its end is known beforehand, so that keys are read at that
// instant, and at least once an hour.
import type { KeyDocument } from '#shared/contracts/account.ts'
import type { ConditionDocument } from '#shared/contracts/incidents/condition.ts'
import { limits } from '#shared/limits/limits.ts'
import { pagesOf } from '#shared/store/pages.ts'
import type { Query } from '#shared/store/port.ts'
import type { Change } from './conditions.ts'
import type { Watcher, Watching } from './context.ts'
import { bounded, instantText, isoOrNull } from './message.ts'

const kind = 'key_expiring'
const { keyMs, keysMs, batch } = limits.operator

export function watchKeys(watching: Watching): Watcher {
  const { context, conditions, alter } = watching
  const { store, clock } = context
  /** On the clock of the keys' ends. */
  let nextAt = 0

  const raiseNear = async () => {
    const now = clock.now()
    if (now < nextAt) return
    const near: Query = { where: { expiresAt: { gt: now, lte: now + keyMs } }, sort: [['expiresAt', 'asc']], limit: batch }
    for await (const page of pagesOf(near, some => store.find('keys', some))) {
      for (const key of page) if (conditions.get(kind, key.id) === null) await raise(key)
    }
    const [next] = await store.find('keys', { where: { expiresAt: { gt: now + keyMs } }, sort: [['expiresAt', 'asc']], limit: 1 })
    nextAt = Math.min(now + keysMs, next === undefined ? Number.POSITIVE_INFINITY : next.expiresAt - keyMs)
  }
  const raise = async (key: KeyDocument) => {
    const [user] = await store.get('users', [key.userId])
    await alter(kind, key.id, present => (present === null ? expiring(key, user?.username ?? '', clock.now()) : null))
  }
  const clearGone = async () => {
    const known = conditions.ofKind(kind)
    if (known.length === 0) return
    const keys = await store.get(
      'keys',
      known.map(({ objectId }) => objectId),
    )
    for (const [i, { id, objectId, raised, unsent }] of known.entries()) {
      const key = keys[i] ?? null
      const reason = key === null ? 'deleted' : key.expiresAt <= clock.now() ? 'expired' : null
      if (reason === null) continue
      if (raised === 1) await alter(kind, objectId, present => (present?.raised === 1 ? gone(present, reason) : null))
      else if (unsent.length === 0) await conditions.remove([id])
    }
  }
  return {
    look: async () => {
      await raiseNear()
      await clearGone()
    },
    stop: async () => undefined,
  }
}

function expiring(key: KeyDocument, username: string, now: number): Change {
  const name = bounded(key.description || key.prefix)
  const owner = username === '' ? '' : ` of ${bounded(username)}`
  return {
    name,
    raised: true,
    since: now,
    notice: {
      type: 'key.expiring',
      summary: `API key "${name}"${owner} ends at ${instantText(key.expiresAt)}: make another one and delete this one.`,
      log: 'api key about to end',
      details: {
        key_id: key.id,
        prefix: key.prefix,
        username: bounded(username),
        expires_at: isoOrNull(key.expiresAt),
        last_used_at: isoOrNull(key.lastUsedAt),
      },
    },
  }
}

function gone({ objectId, name, since }: ConditionDocument, reason: 'deleted' | 'expired'): Change {
  return {
    name,
    raised: false,
    since,
    notice: {
      type: 'key.gone',
      summary:
        reason === 'deleted' ? `API key "${name}" was deleted.` : `API key "${name}" has ended: requests with it are refused.`,
      log: reason === 'deleted' ? 'api key about to end was deleted' : 'api key ended',
      details: { key_id: objectId, reason },
    },
  }
}
