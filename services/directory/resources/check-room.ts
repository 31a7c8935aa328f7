// Bound of the checks that a workspace asks for (WORKSPACE_CHECKS_PER_MINUTE). A count reads all monitors of the workspace, so the next count
// is made only after a tenth of the remaining room was used. Reference: docs/reference/v3.md, 6.13.
import { intervalMs } from '#shared/contracts/subjects/check.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { minute, second } from '#shared/limits/limits.ts'
import { pagesOf } from '#shared/store/pages.ts'
import type { Store } from '#shared/store/port.ts'
import type { Clock } from '#shared/time/clock.ts'

/**
 * Takes `more` checks a minute of the room of a workspace, and resolves to null. If there is no such room, takes nothing and resolves to the
 * number of checks a minute that the workspace makes. Simultaneous requests may exceed the bound `most` by a tenth of what was left.
 */
export type TakeCheckRoom = (workspaceId: string, more: number, most: number) => Promise<{ perMinute: number } | null>

interface Counted {
  perMinute: number
  /** Checks a minute that this process may still add before the next count. */
  left: number
  /** Instant of the count, ms of the monotonic clock. */
  at: number
}

/** Before its next count, a directory may use only a tenth of the remaining room, because other directories add checks too. */
const parts = 10
const fullForMs = second
const remembered = 1_000
const pageSize = 500

export function createCheckRoom({ store, clock }: { store: Store; clock: Clock }): TakeCheckRoom {
  const workspaces = new Map<string, Counted>()
  const remember = (workspaceId: string, counted: Counted) => {
    if (workspaces.size >= remembered) workspaces.clear()
    workspaces.set(workspaceId, counted)
  }
  return async (workspaceId, more, most) => {
    const known = workspaces.get(workspaceId)
    if (known !== undefined && known.left >= more) {
      known.left -= more
      return null
    }
    const isFull = known !== undefined && known.perMinute + more > most && clock.monotonic() - known.at < fullForMs
    const perMinute = isFull ? known.perMinute : await countChecks(store, workspaceId)
    const room = most - perMinute - more
    if (!isFull) remember(workspaceId, { perMinute, left: Math.max(0, room / parts), at: clock.monotonic() })
    return room < 0 ? { perMinute } : null
  }
}

async function countChecks(store: Store, workspaceId: string): Promise<number> {
  let perMinute = 0
  const query = { where: { workspaceId, archivedAt: null, deletedAt: null }, limit: pageSize }
  for await (const page of pagesOf(query, next => store.find('subjects', next)))
    for (const subject of page) perMinute += checksPerMinute(subject)
  return perMinute
}

/** Returns the number of checks a minute of a monitor, over all its locations. */
function checksPerMinute({ check, templated }: SubjectDocument): number {
  if (check !== null) return (check.locations.length * minute) / intervalMs(check)
  const checks = templated?.checks ?? []
  return checks.reduce((sum, { everySeconds, locations }) => sum + (60 * locations.length) / everySeconds, 0)
}
