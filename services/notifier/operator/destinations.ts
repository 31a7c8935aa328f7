// Destinations that have taken nothing for limits.operator.failingMs. The first failed attempt is noted at once and the first delivery
// ends it; the delivery log settles what other notifiers have sent in between.
import type { ConditionDocument } from '#shared/contracts/incidents/condition.ts'
import type { DeliveryLogDocument } from '#shared/contracts/notifications/delivery.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Change } from './conditions.ts'
import type { Watcher, Watching } from './context.ts'
import { bounded, instantText, isoOrNull } from './message.ts'

const kind = 'destination_failing'
const { failingMs, failingRows, batch } = limits.operator

export interface Attempt {
  isDelivered: boolean
  at: number
}

export interface DestinationWatcher extends Watcher {
  /** An attempt at this destination has ended. Costs nothing where it only says what is known. Never throws. */
  note(destination: DestinationDocument, attempt: Attempt): void
}

export function watchDestinations({ context, conditions, alter }: Watching): DestinationWatcher {
  const { store, clock, logger } = context
  /** Destinations whose change is being written. */
  const busy = new Set<string>()

  const write = async ({ id, name }: DestinationDocument, { isDelivered, at }: Attempt) => {
    const failing = { name: bounded(name), raised: false, since: at, notice: null }
    if (isDelivered) await end(id, 'delivered')
    else await alter(kind, id, present => (present === null ? failing : null))
  }
  const end = async (id: string, reason: keyof typeof ends) => {
    const stored = await alter(kind, id, present => (present?.raised === 1 ? well(present, reason) : null))
    const present = stored ?? conditions.get(kind, id)
    if (present?.raised === 0 && present.unsent.length === 0) await conditions.remove([present.id])
  }
  const lookAt = async (condition: ConditionDocument, destination: DestinationDocument | null) => {
    const { objectId, raised, since } = condition
    if (destination === null) return end(objectId, 'deleted')
    if (!destination.enabled) return end(objectId, 'switched_off')
    const rows = await store.find('deliveryLog', {
      where: { destinationNumber: destination.number, status: { in: ['delivered', 'failed'] } },
      sort: [['number', 'desc']],
      limit: raised === 1 ? 1 : failingRows,
      select: ['number', 'status', 'at'],
    })
    const [newest] = rows
    if (newest?.status === 'delivered') return end(objectId, 'delivered')
    if (raised === 1 || newest === undefined) return
    const failingSince = oldestFailed(rows, since)
    const isLong = clock.now() - failingSince >= failingMs
    const error = isLong ? ((await store.get('deliveryLog', [newest.id]))[0]?.error ?? '') : ''
    const change = failing(destination, failingSince, isLong ? error : null)
    await alter(kind, objectId, present => (present?.raised === 0 ? change : null))
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
    stop: async () => undefined,
  }
}

/** The first of the failed attempts that no delivery came between; `since` where the rows do not reach so far back. */
function oldestFailed(newestFirst: readonly Pick<DeliveryLogDocument, 'status' | 'at'>[], since: number): number {
  const delivered = newestFirst.findIndex(({ status }) => status === 'delivered')
  return delivered < 0 ? since : Math.max(since, newestFirst[delivered - 1]?.at ?? since)
}

/** `error` null: it fails, and not for long enough yet. */
function failing(destination: DestinationDocument, since: number, error: string | null): Change {
  const name = bounded(destination.name)
  if (error === null) return { name, raised: false, since, notice: null }
  const why = bounded(error)
  return {
    name,
    raised: true,
    since,
    notice: {
      type: 'destination.failing',
      summary: `Destination "${name}" has taken no message since ${instantText(since)}: ${why}`,
      log: 'destination failing',
      details: {
        destination_id: destination.number,
        workspace_id: destination.workspaceId,
        failing_since: isoOrNull(since),
        last_error: why,
      },
    },
  }
}

const ends = {
  delivered: 'takes messages again',
  deleted: 'was deleted',
  switched_off: 'was switched off',
}

function well({ name, since }: ConditionDocument, reason: keyof typeof ends): Change {
  return {
    name,
    raised: false,
    since,
    notice: {
      type: 'destination.well',
      summary: `Destination "${name}" ${ends[reason]}.`,
      log: reason === 'delivered' ? 'destination well again' : 'failing destination no longer used',
      details: { failing_since: isoOrNull(since), reason },
    },
  }
}
