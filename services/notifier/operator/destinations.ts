// Condition about destinations that have accepted no message for limits.operator.failingMs. The first failed attempt is stored at once, and
// the next success ends the condition. Attempts of other notifiers are read from the delivery log.

import type { ConditionDocument } from '#shared/contracts/incidents/condition.ts'
import type { DeliveryLogDocument } from '#shared/contracts/notifications/delivery.ts'
import { attemptStatuses, isTaken } from '#shared/contracts/notifications/delivery-status.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Attempt } from '../context.ts'
import { type Conditions, cleared, type Watcher } from './conditions.ts'
import type { OperatorContext } from './context.ts'
import { bounded, instantText, isoOrNull, type Notice } from './message.ts'

const kind = 'destination_failing'
const { failingMs, failingRows, batch } = limits.operator

export interface DestinationWatcher extends Watcher {
  /** Called when an attempt at this destination has ended. Reads and writes nothing if no condition begins or ends. Never throws. */
  note(destination: DestinationDocument, attempt: Attempt): void
}

export function watchDestinations(context: OperatorContext, conditions: Conditions): DestinationWatcher {
  const { store, clock, logger } = context
  /** Ids of destinations whose condition is being written. */
  const busy = new Set<string>()

  const write = async ({ id, name }: DestinationDocument, { isDelivered, at }: Attempt) => {
    if (isDelivered) await end(id, 'delivered')
    else await conditions.begin(kind, id, { name: bounded(name), raised: false, since: at, notice: null })
  }
  const end = async (id: string, reason: keyof typeof ends) => {
    const stored = await conditions.clear(kind, id, present => cleared(present, wellNotice(present, reason)))
    const present = stored ?? conditions.get(kind, id)
    if (present?.raised === 0 && present.unsent.length === 0) await conditions.remove(present.id)
  }
  const lookAt = async (condition: ConditionDocument, destination: DestinationDocument | null) => {
    const { objectId, raised, since } = condition
    if (destination === null) return end(objectId, 'deleted')
    if (!destination.enabled) return end(objectId, 'switched_off')
    const rows = await store.find('deliveryLog', {
      where: { destinationNumber: destination.number, status: { in: attemptStatuses } },
      sort: [['number', 'desc']],
      limit: raised === 1 ? 1 : failingRows,
      select: ['number', 'status', 'at'],
    })
    const [newest] = rows
    if (newest !== undefined && isTaken(newest.status)) return end(objectId, 'delivered')
    if (raised === 1 || newest === undefined) return
    const failingSince = oldestFailed(rows, since)
    const isLong = clock.now() - failingSince >= failingMs
    const error = isLong ? ((await store.get('deliveryLog', [newest.id]))[0]?.error ?? '') : ''
    const change = {
      name: bounded(destination.name),
      raised: isLong,
      since: failingSince,
      notice: isLong ? failingNotice(destination, failingSince, bounded(error)) : null,
    }
    await conditions.change(kind, objectId, present => (present?.raised === 0 ? change : null))
  }
  const isToBeLookedAt = ({ raised, since }: ConditionDocument) => raised === 1 || clock.now() - since >= failingMs
  return {
    note: (destination, attempt) => {
      const isNoted = conditions.get(kind, destination.id) !== null
      if (attempt.isDelivered !== isNoted || busy.has(destination.id) || context.stopping()) return
      busy.add(destination.id)
      write(destination, attempt)
        .catch(error =>
          logger.warn({ error: String(error), destinationId: destination.id }, 'condition of a destination not written'),
        )
        .finally(() => busy.delete(destination.id))
    },
    look: async () => {
      const known = conditions.ofKind(kind).filter(isToBeLookedAt).slice(0, batch)
      if (known.length === 0) return
      const ids = known.map(({ objectId }) => objectId)
      const found = await store.get('destinations', ids)
      for (const [i, condition] of known.entries()) await lookAt(condition, found[i] ?? null)
    },
  }
}

/** Returns the instant of the first failed attempt after the last successful attempt; `since` if no row shows a success. */
function oldestFailed(newestFirst: readonly Pick<DeliveryLogDocument, 'status' | 'at'>[], since: number): number {
  const delivered = newestFirst.findIndex(({ status }) => isTaken(status))
  return delivered < 0 ? since : Math.max(since, newestFirst[delivered - 1]?.at ?? since)
}

const failingNotice = ({ name, number, workspaceId }: DestinationDocument, since: number, error: string): Notice => ({
  type: 'destination.failing',
  summary: `Destination "${bounded(name)}" has taken no message since ${instantText(since)}: ${error}`,
  log: 'destination failing',
  details: { destination_id: number, workspace_id: workspaceId, failing_since: isoOrNull(since), last_error: error },
})

const ends = {
  delivered: 'takes messages again',
  deleted: 'was deleted',
  switched_off: 'was switched off',
}

const wellNotice = ({ name, since }: ConditionDocument, reason: keyof typeof ends): Notice => ({
  type: 'destination.well',
  summary: `Destination "${name}" ${ends[reason]}.`,
  log: reason === 'delivered' ? 'destination well again' : 'failing destination no longer used',
  details: { failing_since: isoOrNull(since), reason },
})
