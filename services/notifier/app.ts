// Notifier: sends people messages about the decisions of keepers. Owns deliveries and their log, marks alerts as dispatched, and owns
// conditions of the installation. Any number of notifiers share the work by claims.

import { subjects } from '#shared/bus/subjects.ts'
import { withSealedDestinations } from '#shared/channels/sealed-destinations.ts'
import { limits } from '#shared/limits/limits.ts'
import { createSeals } from '#shared/secrecy/seals.ts'
import type { Service, ServiceContextWithStore } from '#shared/service.ts'
import type { BatchLoop } from './batch-loop.ts'
import { type Claims, createClaims } from './claim/claims.ts'
import { releaseDeadClaims, takeOverClaims } from './claim/dead-claims.ts'
import { Lanes } from './claim/lanes.ts'
import { alone, createPresence } from './claim/presence.ts'
import type { NotifierContext, NotifierOptions } from './context.ts'
import { createDispatch } from './decide/dispatch.ts'
import { createFollowUp } from './decide/follow-up.ts'
import { startScan } from './decide/scan.ts'
import { hearDestinations } from './decide/tell-open.ts'
import { createGathering } from './gather/gathering.ts'
import { createMetrics } from './metrics.ts'
import type { OperatorContext } from './operator/context.ts'
import { type Operator, startOperator } from './operator/operator.ts'
import { createRecorder } from './record/record.ts'
import { createRowWriter } from './record/row-writer.ts'
import { createDeliverer } from './send/deliver.ts'
import { createMessageMaker } from './send/message-maker.ts'
import { systemJitter } from './send/retry-delay.ts'
import { createSender } from './send/send.ts'
import { serveTestMessages } from './send/test-message.ts'

/** Queue group of all notifiers: the bus gives each nudge and each test message to only one of them. */
const queue = 'notifiers'

/** Resolves when the notifier receives nudges (messages about new alerts). The first scan of the store may still be running then. */
export async function startNotifier(serviceContext: ServiceContextWithStore, options: NotifierOptions): Promise<Service> {
  const { bus, clock, metrics } = serviceContext
  const store = withSealedDestinations(serviceContext.store, createSeals(options.secretsKey ?? ''))
  const logger = serviceContext.logger.child({ service: 'notifier', notifier: options.notifierId })
  const lanes = new Lanes(clock.monotonic)
  let stopping = false
  let operator: Operator | null = null
  /** Fires when running sends must end, even without an outcome. */
  const cutOff = new AbortController()
  const { notifierId, exclusive = false } = options
  const presence = exclusive ? alone : createPresence({ bus, clock, logger, notifierId })
  const context: NotifierContext = {
    ...{ bus, store, clock, logger, lanes, options },
    metrics: createMetrics(metrics, lanes),
    noteAttempt: (destination, attempt) => operator?.noteAttempt(destination, attempt),
    isSeen: presence.isSeen,
    stopping: () => stopping,
  }

  // This function closes a circle between the parts: free capacity starts claims, claimed deliveries are sent, and a finished attempt frees
  // capacity.
  const pump = () => claims.pump()
  const maker = createMessageMaker(context)
  const sender = createSender({ clock, ...options })
  const rows = createRowWriter(context)
  const followUp = createFollowUp(context, pump)
  const recorder = createRecorder(context, rows, followUp, pump)
  const deliverer = createDeliverer(context, sender, recorder, cutOff.signal)
  const gathering = createGathering(context, digest => followUp.wake(digest))
  const claims: Claims = createClaims(context, { maker, deliverer, rows, followUp, gathering })
  const dispatch = createDispatch(context, { maker, deliverer, rows, followUp, gathering }, pump)
  operator = await startOperator(operatorContext(context), { sender, registry: metrics, cutOff: cutOff.signal })
  const nudges = await bus.subscribe(subjects.alertNudge, ({ body }) => takeNudge(body, dispatch), { queue })
  const destinations = await hearDestinations(context, dispatch, queue)
  const tests = await serveTestMessages(context, queue, { maker, sender, rows, stop: cutOff.signal })
  await releaseDeadClaims(context)
  await presence.start({ onUnseen: deliverer.prolongAll, onAbsent: absent => takeOverClaims(context, absent, pump) })
  const scan = startScan(context, dispatch, sender, pump)

  return {
    unready: () => [
      ...(bus.connected() ? [] : ['The notifier is cut off from the bus.']),
      ...(scan.failing() ? ['The notifier cannot read the store.'] : []),
    ],
    warnings: () => operator?.warnings() ?? [],
    stop: async () => {
      if (stopping) return
      stopping = true
      followUp.stop()
      claims.stop()
      const forget = clock.schedule(limits.notifier.stopMs, () => {
        recorder.giveUp()
        cutOff.abort()
      })
      await Promise.all([nudges.close().catch(() => {}), destinations.close().catch(() => {})])
      await Promise.all([scan.stop(), dispatch.idle(), claims.idle(), operator?.stop(), tests.close().catch(() => {})])
      await deliverer.idle()
      recorder.giveUp()
      await recorder.idle()
      await presence.stop()
      forget()
      await sender.close()
    },
  }
}

const operatorContext = ({ bus, store, clock, logger, options, stopping }: NotifierContext): OperatorContext => ({
  ...{ bus, store, clock, logger, stopping },
  notifierId: options.notifierId,
  incidentSalt: options.incidentSalt,
  source: options.publicUrl,
  receiver: options.operatorWebhook ?? null,
  jitter: options.jitter ?? systemJitter,
})

/**
 * Queues the alert ids of a nudge, a message about new alerts. A nudge is a hint: if it is malformed or contains too many ids, the scan
 * finds the alerts later.
 */
function takeNudge(body: unknown, dispatch: BatchLoop<string>): void {
  const alertIds = (body as { alertIds?: unknown } | null)?.alertIds
  if (!Array.isArray(alertIds)) return
  const room = Math.max(0, limits.notifier.nudgeBacklog - dispatch.size())
  dispatch.add(alertIds.filter(id => typeof id === 'string').slice(0, room))
}
