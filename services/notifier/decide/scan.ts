// Scan of the store every few seconds, in bounded pages. After a crash or a lost nudge (a message about new alerts), the scan finds the
// open alerts, the due deliveries and the ended claims. Removes expired documents, and loads the sender's HTTP client once a destination
// exists. Every other part reads the store only after a nudge.

import { repeat } from '#shared/async/repeat.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Query, Scalar } from '#shared/store/port.ts'
import type { BatchLoop } from '../batch-loop.ts'
import type { NotifierContext } from '../context.ts'
import type { Sender } from '../send/sender.ts'

const { batch, scanPages, scanMs, expireMs, expireSlice, expireSlices } = limits.notifier

/** Scans at once, then every limits.notifier.scanMs. `onRoomWanted` is called when deliveries were queued in lanes. */
export function startScan(context: NotifierContext, dispatch: BatchLoop<string>, sender: Sender, onRoomWanted: () => void) {
  const { store, clock, logger, lanes } = context
  let cursor: Query['after'] | undefined
  let nextExpiryAt = clock.monotonic() + expireMs
  let failing = false
  let isPrepared = false

  const findAlerts = async () => {
    const found = await store.find('alerts', {
      where: { state: 'open' },
      sort: [['decidedAt', 'asc']],
      limit: batch,
      select: ['decidedAt'],
    })
    if (dispatch.size() < limits.notifier.nudgeBacklog) dispatch.add(found.map(({ id }) => id))
  }

  /**
   * Queues one page of due deliveries. Returns true if more deliveries may be due. If a lane is full, a later scan queues the remaining
   * deliveries of the lane.
   */
  const findDeliveries = async (): Promise<boolean> => {
    const found = await store.find('deliveries', {
      where: { open: 1, dueAt: { lte: clock.now() } },
      sort: [['dueAt', 'asc']],
      limit: batch,
      select: ['dueAt', 'destinationId'],
      ...(cursor ? { after: cursor } : {}),
    })
    for (const { id, destinationId } of found) lanes.offer(destinationId, id)
    const last = found.at(-1)
    cursor = last && found.length === batch ? { values: [last.dueAt as Scalar], id: last.id } : undefined
    return cursor !== undefined
  }

  const prepare = async () => {
    if (isPrepared || (await store.find('destinations', { where: {}, limit: 1, select: [] })).length === 0) return
    await sender.prepare()
    isPrepared = true
  }

  const expire = async () => {
    if (clock.monotonic() < nextExpiryAt) return
    nextExpiryAt = clock.monotonic() + expireMs
    for (const collection of ['alerts', 'deliveries', 'deliveryLog'] as const) {
      for (let slice = 0; slice < expireSlices && !context.stopping(); slice++) {
        if ((await store.expire(collection, clock.now(), expireSlice)) < expireSlice) break
      }
    }
  }

  const scan = async () => {
    await findAlerts()
    for (let page = 0; page < scanPages && !context.stopping(); page++) {
      const more = await findDeliveries()
      onRoomWanted()
      if (!more) break
    }
    await prepare()
    await expire()
    failing = false
  }
  const onError = (error: unknown) => {
    failing = true
    logger.warn({ error: String(error) }, 'scan for alerts and deliveries failed')
  }

  const scanning = repeat({ clock, everyMs: scanMs, onError }, scan)
  void scanning.soon()
  return {
    stop: scanning.stop,
    /** Returns whether the latest scan failed. */
    failing: () => failing,
  }
}
