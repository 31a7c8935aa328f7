// Default destination of a workspace. A mark in its document makes a destination the default. If several destinations have a mark, the
// newest mark decides. A change of the default first adds a newer mark, in one write, and then clears older marks. Thus the workspace is
// never without a default.
import type { Bus } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import { limits } from '#shared/limits/limits.ts'
import { defaultDestination, markedAt } from '#shared/notifications/choose-destinations.ts'
import type { Store } from '#shared/store/port.ts'

/** Returns all destinations of a workspace by name. */
export const destinationsOf = (store: Store, workspaceId: string): Promise<DestinationDocument[]> =>
  store.find('destinations', { where: { workspaceId }, sort: [['nameKey', 'asc']], limit: limits.directory.listed })

/**
 * Tells the notifiers that the destination can get messages, if it is the enabled default. They then send what nobody was told about open
 * incidents.
 */
export function announceDefault(
  bus: Pick<Bus, 'publish'>,
  { workspaceId, enabled, default: isDefault }: DestinationDocument,
): void {
  if (enabled && isDefault) bus.publish(subjects.destinationNudge, { workspaceId })
}

/** Returns the fields of a mark that is newer than the marks of `others`. */
export function newMark(others: readonly DestinationDocument[], now: number): { default: true; defaultAt: number } {
  const latest = others.filter(other => other.default).map(other => markedAt(other) + 1)
  return { default: true, defaultAt: Math.max(now, ...latest) }
}

/** Clears all marks except the newest. If another request changes a destination meanwhile, reads the destinations again. */
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
