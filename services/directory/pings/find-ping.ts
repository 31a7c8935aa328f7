// Lookup of the scheduled signal that a ping is for: by its address, by its push token, or by a ping key and the key of a Resource.
// Reference: docs/reference/v3.md, 17.1 and 17.2.
import type { PingDocument } from '#shared/contracts/account.ts'
import type { PingTarget } from '#shared/contracts/ask/ask-pings.ts'
import { scheduledSignalsOf } from '#shared/manifest/read-schedule.ts'
import type { Store } from '#shared/store/port.ts'
import type { AskAnswerer } from '../context.ts'
import { livingWorkspace } from '../keys/addresses.ts'
import { getTemplate } from '../templates/templates.ts'

export const findPing: AskAnswerer<'find-ping', 'store'> = async ({ store }, { id }) => {
  const [ping = null] = await store.get('pings', [id])
  return targetOf(store, ping)
}

export const findPush: AskAnswerer<'find-push', 'store'> = async ({ store }, { pushToken }) => {
  const [ping = null] = await store.find('pings', { where: { pushToken }, limit: 1 })
  return targetOf(store, ping)
}

async function targetOf(store: Store, ping: PingDocument | null): Promise<PingTarget | null> {
  if (ping === null || (await livingWorkspace(store, ping.workspaceId)) === null) return null
  const { workspaceId, subjectId, signal } = ping
  const where = { id: subjectId, archivedAt: null, deletedAt: null }
  return (await store.count('subjects', where)) === 0 ? null : { workspaceId, subjectId, signal, keyId: null }
}

export const findPinged: AskAnswerer<'find-pinged'> = async (context, { key, slug }) => {
  const { store } = context
  const [found] = await store.find('pingKeys', { where: { key }, limit: 1 })
  if (found === undefined || (await livingWorkspace(store, found.workspaceId)) === null) return null
  const { id: keyId, workspaceId } = found
  const where = { slug, workspaceId, deletedAt: null }
  const [subject] = await store.find('subjects', { where, limit: 1, select: ['archivedAt', 'template'] })
  if (subject === undefined) return { missing: { workspaceId, keyId } }
  if (subject.archivedAt !== null) return null
  const template = subject.template && (await getTemplate(context, { workspaceId, reference: subject.template }))
  if (template === 'damaged') return null
  const [signal, ...others] = template === null || template === '' ? [] : scheduledSignalsOf(template).map(({ key }) => key)
  if (signal === undefined || others.length > 0) return { ambiguous: true }
  return { target: { workspaceId, subjectId: subject.id, signal, keyId } }
}
