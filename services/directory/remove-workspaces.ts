// Removes what was in deleted workspaces: subjects by their keepers, everything else here. Any number of processes may do it at once,
// and a process that dies leaves the rest to the next round.
import { createKeeperClient, type KeeperClient } from '#shared/bus/command-keeper.ts'
import type { Bus } from '#shared/bus/port.ts'
import type { Cancel, Clock } from '#shared/clock.ts'
import type { WorkspaceDocument } from '#shared/contracts/account.ts'
import { AppError } from '#shared/errors.ts'
import { randomId } from '#shared/ids.ts'
import { limits } from '#shared/limits.ts'
import type { Logger } from '#shared/logger.ts'
import type { Store } from '#shared/store/port.ts'
import { readAll } from './read-all.ts'

interface Surroundings {
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
export function startRemovingWorkspaces(surroundings: Surroundings): { soon(): void; stop(): Promise<void> } {
  const { clock, logger } = surroundings
  const keeper = createKeeperClient(surroundings.bus, clock)
  let cancel: Cancel = () => undefined
  let running: Promise<void> | null = null
  let isWanted = false
  let stopped = false
  const round = () => {
    cancel()
    if (stopped) return
    if (running !== null) {
      isWanted = true
      return
    }
    isWanted = false
    running = removeAll(surroundings, keeper, () => stopped)
      .catch(error => logger.warn({ err: error }, 'deleted workspaces could not be removed'))
      .finally(() => {
        running = null
        if (isWanted) round()
        else if (!stopped) cancel = clock.after(bounds.expireMs, round)
      })
  }
  round()
  return {
    soon: round,
    stop: async () => {
      stopped = true
      cancel()
      await running
    },
  }
}

async function removeAll(surroundings: Surroundings, keeper: KeeperClient, isStopped: () => boolean): Promise<void> {
  const { store, clock, logger } = surroundings
  const deleted = await store.find('workspaces', { where: { deletedAt: { gt: 0 } }, limit: bounds.listed })
  for (const workspace of deleted) {
    if (isStopped()) return
    const removed = await removeContents(store, keeper, workspace)
    // Whoever was let in before the mark may create for a while. The mark goes after a round that came later than all of that.
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
    for (;;) {
      const found = await store.find(collection, { where: { workspaceId }, limit: bounds.expireSlice, select: [] })
      if (found.length === 0) break
      const ids = (found as { id: string }[]).map(({ id }) => id)
      removed += await store.delete(collection, ids)
    }
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
