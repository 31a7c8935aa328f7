// Removal of the contents of deleted workspaces: keepers remove subjects, this file removes all else. Several processes may remove at the
// same time. After a crash, the next round continues the removal.
import { type Repeated, repeat } from '#shared/async/repeat.ts'
import { createKeeperClient, type KeeperClient } from '#shared/bus/clients/clients.ts'
import type { Bus } from '#shared/bus/port.ts'
import type { WorkspaceDocument } from '#shared/contracts/account.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Logger } from '#shared/observability/logger.ts'
import { readAll, removeAll } from '#shared/store/pages.ts'
import type { Store } from '#shared/store/port.ts'
import { randomId } from '#shared/text/ids.ts'
import type { Clock } from '#shared/time/clock.ts'

interface RemovalContext {
  store: Store
  bus: Bus
  clock: Clock
  logger: Logger
}

const bounds = limits.directory

/** Collections in the order of removal. Memberships are last, because the scoped keys of the workspace are found by its memberships. */
export const removedWithWorkspace = [
  'deliveryTables',
  'destinations',
  'transformations',
  'templates',
  'addresses',
  'pings',
  'pingKeys',
  'invitations',
  'memberships',
] as const

/** Starts a round every minute. `soon` starts a round immediately; `stop` waits for the running round. */
export function startRemovingWorkspaces(context: RemovalContext): Repeated {
  const { clock, logger } = context
  const keeper = createKeeperClient(context.bus, clock)
  let isStopped = false
  const onError = (error: unknown) => logger.warn({ err: error }, 'deleted workspaces could not be removed')
  const rounds = repeat({ clock, everyMs: bounds.expireMs, onError }, () => removeDeleted(context, keeper, () => isStopped))
  void rounds.soon()
  return {
    soon: rounds.soon,
    stop: () => {
      isStopped = true
      return rounds.stop()
    },
  }
}

async function removeDeleted(context: RemovalContext, keeper: KeeperClient, isStopped: () => boolean): Promise<void> {
  const { store, clock, logger } = context
  const deleted = await store.find('workspaces', { where: { deletedAt: { gt: 0 } }, limit: bounds.listed })
  for (const workspace of deleted) {
    if (isStopped()) return
    const removed = await removeContents(store, keeper, workspace)
    // Requests that were accepted before the workspace was marked may still create objects. The mark is deleted only after these requests
    // have ended.
    const isOver = clock.now() - (workspace.deletedAt ?? 0) > bounds.reservationMs
    if (isOver) await store.delete('workspaces', [workspace.id])
    if (removed > 0) logger.info({ workspaceId: workspace.id, name: workspace.name, removed }, 'workspace removed')
  }
}

/** Returns the number of removed subjects and documents. */
async function removeContents(store: Store, keeper: KeeperClient, { id: workspaceId }: WorkspaceDocument): Promise<number> {
  let removed = 0
  for (;;) {
    const where = { workspaceId, deletedAt: null }
    const found = await store.find('subjects', { where, limit: bounds.removedAtOnce, select: [] })
    if (found.length === 0) break
    await Promise.all(found.map(({ id }) => deleteSubject(keeper, id)))
    removed += found.length
  }
  removed += await removeScopedKeys(store, workspaceId)
  for (const collection of removedWithWorkspace) {
    removed += await removeAll(store, collection, { workspaceId }, bounds.expireSlice)
  }
  // Ids of names are `<workspace>/<slug>`. The character `0` follows `/`, so the range contains all names of the workspace.
  while ((await store.deleteRange('names', `${workspaceId}/`, `${workspaceId}0`, bounds.expireSlice)) === bounds.expireSlice);
  return removed
}

/** Removes the keys of present and former members that are scoped to this workspace. */
async function removeScopedKeys(store: Store, workspaceId: string): Promise<number> {
  let removed = 0
  for await (const { userId } of readAll(store, 'memberships', { workspaceId })) {
    const keys = await store.find('keys', { where: { userId }, limit: limits.key.perUser })
    const scoped = keys.filter(({ scope }) => scope?.workspaceId === workspaceId).map(({ id }) => id)
    if (scoped.length > 0) removed += await store.delete('keys', scoped)
  }
  return removed
}

/** Deletes a subject, unless another process has deleted it already. */
async function deleteSubject(keeper: KeeperClient, subjectId: string): Promise<void> {
  try {
    await keeper.send(subjectId, { kind: 'delete-subject', id: randomId(16) })
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error
  }
}
