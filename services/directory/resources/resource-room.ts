// Room for one more Resource in a workspace. Counting many costs tens of ms, so that a workspace is counted anew only after a tenth of the room that it
// had is used up. Rule: docs/reference/v3.md, 8.4.

import { AppError } from '#shared/errors.ts'
import { limits, second } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import type { Clock } from '#shared/time/clock.ts'

/** Throws `validation` with `key` if the workspace has as many unarchived Resources as it may. Creations at once may pass by the bound by a few. */
export type RequireResourceRoom = (workspaceId: string) => Promise<void>

interface Counted {
  /** Creations before it is counted again. */
  left: number
  /** On the monotonic clock: it was full at that time. Null: it was not. */
  fullAt: number | null
}

const most = limits.address.resourcesPerWorkspace
/** Each of so many directories may use up its part of the room. */
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

const full = (): AppError =>
  new AppError('validation', 'Too many Resources', {
    details: `A workspace has at most ${most} Resources that are not archived`,
    facts: { field: 'key' },
  })
