// Condition about API keys that expire within limits.operator.keyMs. Keys are read when the next key is about to expire, and at least once
// an hour.

import type { KeyDocument } from '#shared/contracts/account.ts'
import type { ConditionDocument } from '#shared/contracts/incidents/condition.ts'
import { limits } from '#shared/limits/limits.ts'
import { pagesOf } from '#shared/store/pages.ts'
import type { Query } from '#shared/store/port.ts'
import { type Conditions, cleared, type Watcher } from './conditions.ts'
import type { OperatorContext } from './context.ts'
import { bounded, instantText, isoOrNull, type Notice } from './message.ts'

const kind = 'key_expiring'
const { keyMs, keysMs, batch } = limits.operator

export function watchKeys({ store, clock }: OperatorContext, conditions: Conditions): Watcher {
  /** Next instant at which keys are read, ms since the epoch. */
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
    const name = bounded(key.description || key.prefix)
    const notice = expiringNotice(key, name, bounded(user?.username ?? ''))
    await conditions.begin(kind, key.id, { name, raised: true, since: clock.now(), notice })
  }
  const clearGone = async () => {
    const known = conditions.ofKind(kind)
    if (known.length === 0) return
    const ids = known.map(({ objectId }) => objectId)
    const keys = await store.get('keys', ids)
    for (const [i, { id, objectId, raised, unsent }] of known.entries()) {
      const key = keys[i] ?? null
      const reason = key === null ? 'deleted' : key.expiresAt <= clock.now() ? 'expired' : null
      if (reason === null) continue
      if (raised === 1) await conditions.clear(kind, objectId, present => cleared(present, goneNotice(present, reason)))
      else if (unsent.length === 0) await conditions.remove(id)
    }
  }
  return {
    look: async () => {
      await raiseNear()
      await clearGone()
    },
  }
}

function expiringNotice({ id, prefix, expiresAt, lastUsedAt }: KeyDocument, name: string, username: string): Notice {
  const owner = username === '' ? '' : ` of ${username}`
  return {
    type: 'key.expiring',
    summary: `API key "${name}"${owner} ends at ${instantText(expiresAt)}: make another one and delete this one.`,
    log: 'api key about to end',
    details: { key_id: id, prefix, username, expires_at: isoOrNull(expiresAt), last_used_at: isoOrNull(lastUsedAt) },
  }
}

const goneNotice = ({ objectId, name }: ConditionDocument, reason: 'deleted' | 'expired'): Notice => ({
  type: 'key.gone',
  summary: reason === 'deleted' ? `API key "${name}" was deleted.` : `API key "${name}" has ended: requests with it are refused.`,
  log: reason === 'deleted' ? 'api key about to end was deleted' : 'api key ended',
  details: { key_id: objectId, reason },
})
