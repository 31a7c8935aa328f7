// Ping keys of workspaces: make, list, delete. A ping key is stored as it is, because it stands in crontabs and people read it again.
// Reference: docs/reference/v3.md, 17.6.
import type { PingKeyDocument } from '#shared/contracts/account.ts'
import type { PingKeyView } from '#shared/contracts/ask/ask-pings.ts'
import { refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import type { AskAnswerer } from '../context.ts'
import { pick } from '../documents/pick.ts'
import { livingWorkspace } from '../keys/addresses.ts'
import { revoke } from '../keys/revoke.ts'
import { checkDescription } from '../people/fields.ts'
import { workspaceNotFound } from '../people/workspaces.ts'

export const createPingKey: AskAnswerer<'create-ping-key'> = async ({ store, clock, logger }, request) => {
  const { id, workspaceId, key } = request
  const description = checkDescription(request.description, limits.key.descriptionCharacters)
  if ((await livingWorkspace(store, workspaceId)) === null) throw workspaceNotFound(workspaceId)
  const [repeated = null] = await store.get('pingKeys', [id])
  if (repeated === null) await requireRoom(store, workspaceId)
  const wanted = { id, rev: 1, workspaceId, key, description, createdAt: clock.now(), made: { day: 0, count: 0 } }
  const [result] = repeated === null ? await store.insert('pingKeys', [wanted]) : []
  if (result === 'written') logger.info({ pingKeyId: id, workspaceId, description }, 'ping key created')
  if (result === 'taken') throw taken()
  const [stored = null] = await store.get('pingKeys', [id])
  if (stored?.workspaceId === workspaceId && stored.key === key) return viewOf(stored)
  throw refusal('validation', 'Ping key exists', 'The id belongs to another ping key')
}

export const listPingKeys: AskAnswerer<'list-ping-keys', 'store'> = async ({ store }, { workspaceId }) =>
  (await pingKeysOf(store, workspaceId)).map(viewOf)

/** Sends the revocation after the deletion, and for a missing key too, as `delete-address` does. */
export const deletePingKey: AskAnswerer<'delete-ping-key'> = async (context, { workspaceId, keyId }) => {
  const [key = null] = await context.store.get('pingKeys', [keyId])
  const isMine = key?.workspaceId === workspaceId
  if (isMine && (await context.store.delete('pingKeys', [keyId])) > 0)
    context.logger.info({ pingKeyId: keyId, workspaceId }, 'ping key deleted')
  if (isMine || key === null) await revoke(context, 'ping-key', keyId)
  if (!isMine) throw refusal('not_found', 'Ping key not found', `There is no ping key ${keyId}`)
  return { id: keyId }
}

/** Returns the ping keys of the workspace, oldest first. */
export const pingKeysOf = (store: Store, workspaceId: string): Promise<PingKeyDocument[]> =>
  store.find('pingKeys', { where: { workspaceId }, sort: [['createdAt', 'asc']], limit: limits.directory.listed })

/** Throws if the workspace is full. Simultaneous creations may exceed the bound by one. */
async function requireRoom(store: Store, workspaceId: string): Promise<void> {
  const most = limits.pings.keysPerWorkspace
  if ((await store.count('pingKeys', { workspaceId })) < most) return
  const details = `A workspace has at most ${most} ping keys; delete one that is not used any more`
  throw refusal('invalid_state', 'Too many ping keys', details)
}

const taken = () => refusal('taken', 'Ping key taken', 'This ping key is taken: choose another one', 'key')

const viewOf = (key: PingKeyDocument): PingKeyView => pick(key, ['id', 'workspaceId', 'key', 'description', 'createdAt'])
