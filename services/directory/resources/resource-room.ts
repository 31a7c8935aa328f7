// Check that a workspace has room for one more Resource. A count takes tens of ms, so the next count is made only after a tenth of the
// remaining room was used. Reference: docs/reference/v3.md, 8.4.
import { refusal } from '#shared/errors.ts'
import { limits, second } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import type { Clock } from '#shared/time/clock.ts'

/**
 * Throws `validation` for the field `key` if the workspace has the maximum number of unarchived Resources. Simultaneous creations may
 * exceed the bound by a few.
 */
export type RequireResourceRoom = (workspaceId: string) => Promise<void>

interface Counted {
  /** Number of Resources that this process may still create before the next count. */
  left: number
  /** Instant at which the workspace was full, ms of the monotonic clock; null: it was not full. */
  fullAt: number | null
}

const most = limits.address.resourcesPerWorkspace
/** Before its next count, a directory may use only a tenth of the remaining room, because other directories create Resources too. */
const parts = 10
const fullForMs = 1 * second
const remembered = 1_000

export function createResourceRoom({ store, clock }: { store: Store; clock: Clock }): RequireResourceRoom {
  const workspaces = new Map<string, Counted>()
  const count = async (workspaceId: string): Promise<Counted> => {
    const room = most - (await store.count('subjects', { workspaceId, archivedAt: null, deletedAt: null }))
    if (workspaces.size >= remembered) workspaces.clear()
    const counted = { left: Math.floor(room / parts), fullAt: room <= 0 ? clock.monotonic() : null }
    workspaces.set(workspaceId, counted)
    return counted
  }
  const isFull = ({ fullAt }: Counted) => fullAt !== null && clock.monotonic() - fullAt < fullForMs
  return async workspaceId => {
    const known = workspaces.get(workspaceId)
    if (known !== undefined && known.left > 0) {
      known.left--
      return
    }
    const counted = known !== undefined && isFull(known) ? known : await count(workspaceId)
    if (isFull(counted)) throw full()
  }
}

const full = () =>
  refusal('validation', 'Too many Resources', `A workspace has at most ${most} Resources that are not archived`, 'key')
