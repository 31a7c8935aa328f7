// Removes what was in deleted workspaces: subjects by their keepers, everything else here. Any number of processes may do it at once,
// and a process that dies leaves the rest to the next round.
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

interface Context {
  store: Store
  bus: Bus
  clock: Clock
  logger: Logger
}

const bounds = limits.directory

/** Memberships come last: by them the keys of the workspace are found. */
export const removedWithWorkspace = [
  'deliveryTables',
  'destinations',
  'transformations',
  'templates',
  'addresses',
  'memberships',
] as const

/** Rounds every minute. `soon` begins one at once; `stop` waits for the round that runs. */
export function startRemovingWorkspaces(context: Context): Repeated {
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

async function removeDeleted(context: Context, keeper: KeeperClient, isStopped: () => boolean): Promise<void> {
  const { store, clock, logger } = context
  const deleted = await store.find('workspaces', { where: { deletedAt: { gt: 0 } }, limit: bounds.listed })
  for (const workspace of deleted) {
    if (isStopped()) return
    const removed = await removeContents(store, keeper, workspace)
    // A request that was let in before the mark may create for a while. The mark goes after a round that came later than all of that.
    const isOver = clock.now() - (workspace.deletedAt ?? 0) > bounds.reservationMs
    if (isOver) await store.delete('workspaces', [workspace.id])
    if (removed > 0) logger.info({ workspaceId: workspace.id, name: workspace.name, removed }, 'workspace removed')
  }
}

/** Returns how many subjects and documents there were. */
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
  // Ids of names are `<workspace>/<slug>`, and `0` follows `/`.
  while ((await store.deleteRange('names', `${workspaceId}/`, `${workspaceId}0`, bounds.expireSlice)) === bounds.expireSlice);
  return removed
}

/** Keys that reach this workspace alone, of everybody who ever was a member. */
async function removeScopedKeys(store: Store, workspaceId: string): Promise<number> {
  let removed = 0
  for await (const { userId } of readAll(store, 'memberships', { workspaceId })) {
    const keys = await store.find('keys', { where: { userId }, limit: limits.key.perUser })
    const scoped = keys.filter(({ scope }) => scope?.workspaceId === workspaceId).map(({ id }) => id)
    if (scoped.length > 0) removed += await store.delete('keys', scoped)
  }
  return removed
}

/** Somebody else may have been faster. */
async function deleteSubject(keeper: KeeperClient, subjectId: string): Promise<void> {
  try {
    await keeper.send(subjectId, { kind: 'delete-subject', id: randomId(16) })
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error
  }
}
