// Open incidents of which nobody was notified because the workspace had no working destination. When a destination can get messages, the
// newest message about each confirmed problem or silence is dispatched once more. Idempotent: a message that any destination got is not
// touched, and a dispatch creates no delivery twice.
import type { Bus, Subscription } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import type { AlertDocument } from '#shared/contracts/incidents/alert.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Logger } from '#shared/observability/logger.ts'
import { pagesOf } from '#shared/store/pages.ts'
import type { Query, Store } from '#shared/store/port.ts'
import type { BatchLoop } from '../batch-loop.ts'

interface TellOpenContext {
  bus: Bus
  store: Store
  logger: Logger
}

/**
 * Resolves when nudges about destinations are received. `queue`: only one notifier of the group gets a nudge. If a nudge is lost, the next
 * reminder of an incident tells it.
 */
export const hearDestinations = (
  { bus, store, logger }: TellOpenContext,
  dispatch: Pick<BatchLoop<string>, 'add'>,
  queue: string,
): Promise<Subscription> =>
  bus.subscribe(
    subjects.destinationNudge,
    ({ body }) => {
      const workspaceId = (body as { workspaceId?: unknown } | null)?.workspaceId
      if (typeof workspaceId !== 'string') return
      void reopenUntold(store, workspaceId)
        .then(ids => dispatch.add(ids))
        .catch(error => logger.warn({ error: String(error), workspaceId }, 'open incidents could not be told to a destination'))
    },
    { queue },
  )

/** Marks messages as not dispatched. Returns their ids. At most `limits.notifier.batch` incidents, those with the latest trouble. */
async function reopenUntold(store: Store, workspaceId: string): Promise<string[]> {
  const { batch } = limits.notifier
  const incidents = await store.find('incidents', {
    where: { workspaceId, open: 1 },
    sort: [['troubleSince', 'desc']],
    limit: batch,
  })
  const confirmed = incidents.filter(({ confirmedAt }) => confirmedAt !== null).map(({ id }) => id)
  if (confirmed.length === 0) return []
  const newest = new Map<string, AlertDocument>()
  const query: Query = { where: { incidentId: { in: confirmed } }, sort: [['number', 'asc']], limit: batch }
  for await (const page of pagesOf(query, next => store.find('alerts', next)))
    for (const alert of page) if (alert.kind === 'problem' || alert.kind === 'no_data') newest.set(alert.incidentId, alert)
  const untold = [...newest.values()].filter(isUntold)
  if (untold.length === 0) return []
  await store.replace(
    'alerts',
    untold.map(alert => ({ ...alert, rev: alert.rev + 1, state: 'open' as const, deliveries: null })),
  )
  return untold.map(({ id }) => id)
}

const isUntold = ({ state, deliveries, skipped = [] }: AlertDocument): boolean =>
  state === 'dispatched' &&
  deliveries === 0 &&
  skipped.some(({ reason }) => reason === 'no_destination' || reason === 'destination_disabled')
