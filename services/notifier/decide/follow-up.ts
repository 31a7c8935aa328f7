// Consequences of a stored step of a delivery: its retry's timer, the next message of its incident, the counts. Holds timers in memory; the
// scan finds those that are lost with the process.

import type { Bus } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import type { DeliveryNews, News } from '#shared/contracts/news.ts'
import type { DeliveryDocument } from '#shared/contracts/notifications/delivery.ts'
import { limits, second } from '#shared/limits/limits.ts'
import { subjectOfIncident } from '#shared/text/ids.ts'
import type { Cancel } from '#shared/time/clock.ts'
import type { NotifierContext } from '../context.ts'
import { createLogNames, decidedAtOf, type Step } from '../record/delivery-document.ts'
import { isHeld, openSiblings } from './siblings.ts'

export interface FollowUp {
  /** Carries out the orders of stored steps. Never rejects. */
  run(steps: readonly Step[]): Promise<void>
  stop(): void
}

/** `onRoomWanted` is called when a lane got something to send. */
export function createFollowUp(context: NotifierContext, onRoomWanted: () => void): FollowUp {
  const { store, clock, logger, lanes, metrics } = context
  const aboutOf = createLogNames(context)
  const timers = new Map<string, Cancel>()

  const wakeAt = (document: Step['document'], at: number) => {
    if (timers.size >= limits.notifier.timers || context.stopping()) return
    const { id, destinationId } = document
    const wake = () => {
      timers.delete(id)
      // A timer may end a moment before its instant, more so while the clock works off a drift: a claim would not find it due yet.
      if (clock.now() < at) return wakeAt(document, at)
      if (lanes.offer(destinationId, id)) onRoomWanted()
    }
    timers.get(id)?.()
    timers.set(id, clock.schedule(Math.max(0, at - clock.now()), wake))
  }

  const startNext = async (ended: readonly Step[]) => {
    if (ended.length === 0 || context.stopping()) return
    const siblings = await openSiblings(
      store,
      ended.map(({ document }) => document.incidentId),
    )
    for (const { document } of ended) {
      const next = siblings.find(
        other =>
          other.alertKind !== 'opened' &&
          other.incidentId === document.incidentId &&
          other.destinationId === document.destinationId,
      )
      if (next && !isHeld(next, siblings)) lanes.offer(next.destinationId, next.id)
    }
    onRoomWanted()
  }

  return {
    run: async steps => {
      for (const step of steps) {
        context.publishNews(step.document, step.destination?.name ?? null)
        for (const effect of step.effects) if (effect.type === 'wakeAt') wakeAt(step.document, effect.params.at)
      }
      const ended = steps.filter(({ effects }) => effects.some(({ type }) => type === 'startNext'))
      for (const { document, isNeedless, destination } of ended) {
        const { value, context } = document.snapshot
        metrics.deliveries.inc({ outcome: value })
        const about = aboutOf(document, destination)
        const why = { ...about, reason: context.lastError }
        if (value === 'delivered') {
          metrics.latency.observe((clock.now() - decidedAtOf(document)) / second)
          logger.info({ ...about, attempts: context.attempts }, 'message delivered')
        } else if (isNeedless) logger.info(why, 'message withdrawn')
        else logger.error({ ...why, attempts: context.attempts }, 'message failed for good')
      }
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

/** Of the end of an attempt; a claim is no news. */
export function publishNews(
  bus: Pick<Bus, 'publish'>,
  { id, workspaceId, incidentId, destinationId, snapshot }: DeliveryDocument,
  more: Pick<DeliveryNews, 'destinationName' | 'at'>,
): void {
  const { value: state, context } = snapshot
  if (state === 'queued' || state === 'sending') return
  const delivery: DeliveryNews = { id, incidentId, destinationId, state, attempts: context.attempts, ...more }
  const news: News = { kind: 'delivery', delivery }
  bus.publish(subjects.state(workspaceId, subjectOfIncident(incidentId)), news)
}
