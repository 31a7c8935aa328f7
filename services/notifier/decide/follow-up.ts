// Effects of a stored step of a delivery: the timer of its retry, the start of its incident's next message, metrics and log lines. Timers
// exist only in memory; after a crash, the scan finds the deliveries.

import type { Bus } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import type { DeliveryNews, News } from '#shared/contracts/news.ts'
import type { DeliveryDocument } from '#shared/contracts/notifications/delivery.ts'
import { limits, second } from '#shared/limits/limits.ts'
import { subjectOfIncident } from '#shared/text/ids.ts'
import type { Cancel } from '#shared/time/clock.ts'
import type { NotifierContext } from '../context.ts'
import { isDigest } from '../gather/digest-document.ts'
import { createLogNames, type Step } from '../record/delivery-document.ts'
import { isHeld, isInTurnWith, openSiblings } from './siblings.ts'

export type FollowUp = ReturnType<typeof createFollowUp>

/** `onRoomWanted` is called when a delivery was queued in a lane. */
export function createFollowUp(context: NotifierContext, onRoomWanted: () => void) {
  const { bus, store, clock, logger, lanes, metrics } = context
  const aboutOf = createLogNames(context)
  const timers = new Map<string, Cancel>()

  const wakeAt = (document: DeliveryDocument, at: number) => {
    if (timers.size >= limits.notifier.timers || context.stopping()) return
    const { id, destinationId } = document
    const wake = () => {
      timers.delete(id)
      // A timer may fire a little too early. The delivery is not due then, so the timer is set again.
      if (clock.now() < at) return wakeAt(document, at)
      if (lanes.offer(destinationId, id)) onRoomWanted()
    }
    timers.get(id)?.()
    timers.set(id, clock.schedule(Math.max(0, at - clock.now()), wake))
  }
  const startNext = async (ended: readonly Step[]) => {
    if (ended.length === 0 || context.stopping()) return
    const incidentIds = ended.map(({ document }) => document.incidentId)
    const siblings = await openSiblings(store, incidentIds)
    for (const { document } of ended) {
      const next = siblings.find(other => isInTurnWith(document, other))
      if (next && !isHeld(next, siblings)) lanes.offer(next.destinationId, next.id)
    }
    onRoomWanted()
  }
  const report = ({ document, isNeedless, destination }: Step) => {
    // A digest without messages was never meant for anybody.
    if (document.members?.length === 0) return
    const { value, context } = document.snapshot
    metrics.deliveries.inc({ outcome: value })
    const about = aboutOf(document, destination)
    const why = { ...about, reason: context.lastError }
    if (value === 'delivered') {
      metrics.latency.observe((clock.now() - document.decidedAt) / second)
      logger.info({ ...about, attempts: context.attempts }, 'message delivered')
    } else if (isNeedless) logger.info(why, 'message withdrawn')
    else logger.error({ ...why, attempts: context.attempts }, 'message failed for good')
  }
  return {
    /** Wakes the delivery when it is due. */
    wake: (document: DeliveryDocument): void => {
      if (document.dueAt !== null) wakeAt(document, document.dueAt)
    },
    /** Never rejects. */
    run: async (steps: readonly Step[]): Promise<void> => {
      for (const { document, effects, destination } of steps) {
        if (!isDigest(document)) publishNews(bus, document, { destinationName: destination?.name ?? null, at: clock.now() })
        for (const effect of effects) if (effect.type === 'wakeAt') wakeAt(document, effect.params.at)
      }
      const ended = steps.filter(({ effects }) => effects.some(({ type }) => type === 'startNext'))
      for (const step of ended) report(step)
      await startNext(ended).catch(error => {
        logger.warn({ error: String(error) }, 'next messages could not be read')
      })
    },
    stop: () => {
      for (const cancel of timers.values()) cancel()
      timers.clear()
    },
  }
}

/**
 * Publishes the end of an attempt for watching clients (`shared/contracts/news.ts`). Does nothing if the delivery is now queued or being
 * sent.
 */
function publishNews(
  bus: Bus,
  { id, workspaceId, incidentId, destinationId, snapshot }: DeliveryDocument,
  more: Pick<DeliveryNews, 'destinationName' | 'at'>,
): void {
  const { value: state, context } = snapshot
  if (state === 'queued' || state === 'sending') return
  const delivery: DeliveryNews = { id, incidentId, destinationId, state, attempts: context.attempts, ...more }
  const news: News = { kind: 'delivery', delivery }
  bus.publish(subjects.state(workspaceId, subjectOfIncident(incidentId)), news)
}
