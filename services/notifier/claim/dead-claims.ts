// Claims of notifiers that no longer run, or that are absent from the bus.
import type { DeliveryDocument } from '#shared/contracts/notifications/delivery.ts'
import { limits } from '#shared/limits/limits.ts'
import { pagesOf } from '#shared/store/pages.ts'
import type { Query } from '#shared/store/port.ts'
import type { NotifierContext } from '../context.ts'
import { asReached, nextRevision } from '../record/delivery-document.ts'
import { replaceDeliveries } from '../record/row-writer.ts'

const { batch, claimMs, scanPages } = limits.notifier

/**
 * Releases the claims of notifiers that no longer run, so that the claimed messages are sent at once. Best effort, because a claim that is
 * not released ends by itself.
 */
export async function releaseDeadClaims(context: NotifierContext): Promise<void> {
  const dead = new Set(context.options.deadNotifiers ?? [])
  if (dead.size > 0) await release(context, ({ claimedBy }) => claimedBy !== null && dead.has(claimedBy))
}

/**
 * Releases the claims of notifiers that are absent from the bus, except those that end only by their own time. Queues their deliveries, and
 * calls `onRoomWanted` if there are any. Best effort, as `releaseDeadClaims`.
 */
export async function takeOverClaims(
  context: NotifierContext,
  notifierIds: readonly string[],
  onRoomWanted: () => void,
): Promise<void> {
  const absent = new Set(notifierIds)
  const isEnded = ({ claimedBy, whilePresent }: DeliveryDocument) =>
    whilePresent === true && claimedBy !== null && absent.has(claimedBy)
  const released = await release(context, isEnded)
  for (const { destinationId, id } of released) context.lanes.offer(destinationId, id)
  if (released.length > 0) onRoomWanted()
}

/** Returns the deliveries whose claims were released. */
async function release(context: NotifierContext, isEnded: (document: DeliveryDocument) => boolean): Promise<DeliveryDocument[]> {
  const { store, clock, logger, options } = context
  const released: DeliveryDocument[] = []
  try {
    let pages = 0
    const at = clock.now()
    const claimed: Query = {
      where: { open: 1, dueAt: { gt: at, lte: at + claimMs } },
      sort: [['dueAt', 'asc']],
      limit: batch,
    }
    for await (const page of pagesOf(claimed, query => store.find('deliveries', query))) {
      const steps = page
        .filter(isEnded)
        .map(document => nextRevision(asReached(document), [{ type: 'claim.released', at }], options.notifierId))
        .filter(step => step !== null)
      released.push(...(await replaceDeliveries(context, steps)).map(({ document }) => document))
      if (++pages >= scanPages) break
    }
  } catch (error) {
    logger.warn({ err: error }, 'claims of a dead notifier could not be given back')
  }
  if (released.length > 0) logger.info({ deliveries: released.length }, 'claims of a dead notifier given back')
  return released
}
