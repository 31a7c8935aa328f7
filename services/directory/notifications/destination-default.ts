// Mark of a workspace's default destination. The default changes by one write, which adds a newer mark, so that the workspace is never
// without a default. Only the newest mark counts. Older marks are cleared afterwards.
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import { limits } from '#shared/limits/limits.ts'
import { defaultDestination, markedAt } from '#shared/notifications/choose-destinations.ts'
import type { Store } from '#shared/store/port.ts'

/** Returns all destinations of a workspace by name. */
export const destinationsOf = (store: Store, workspaceId: string): Promise<DestinationDocument[]> =>
  store.find('destinations', { where: { workspaceId }, sort: [['nameKey', 'asc']], limit: limits.directory.listed })

/** Returns the fields of a mark that is later than all existing marks. */
export function newMark(others: readonly DestinationDocument[], now: number): { default: true; defaultAt: number } {
  const latest = others.filter(other => other.default).map(other => markedAt(other) + 1)
  return { default: true, defaultAt: Math.max(now, ...latest) }
}

/** Clears all marks except the one that counts. Destinations that another request changes meanwhile are read again. */
export async function clearOlderMarks(store: Store, workspaceId: string): Promise<void> {
  for (let i = 0; i < limits.directory.guardedTries; i++) {
    const found = await destinationsOf(store, workspaceId)
    const kept = defaultDestination(found)
    const older = found.filter(destination => destination.default && destination !== kept)
    if (older.length === 0) return
    await store.replace(
      'destinations',
      older.map(destination => ({ ...destination, rev: destination.rev + 1, default: false, defaultAt: null })),
    )
  }
}
