// The notifier: tells people what the keepers decided. It owns deliveries and their log, marks alerts dispatched, and writes
// nothing else. Any number of notifiers share the work by claims.

import type { Bus } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits.ts'
import type { Service, SurroundingsWithStore } from '#shared/service.ts'
import type { BatchLoop } from './batch-loop.ts'
import { createBodyMaker } from './body-maker.ts'
import { type Claims, createClaims } from './claims.ts'
import { releaseDeadClaims } from './dead-claims.ts'
import { createDeliverer } from './deliver.ts'
import { createDispatch } from './dispatch.ts'
import { createFollowUp } from './follow-up.ts'
import { systemJitter } from './jitter.ts'
import { createLanes } from './lanes.ts'
import { createLocationNames } from './location-names.ts'
import { createMetrics } from './metrics.ts'
import { type Operator, startOperator } from './operator/operator.ts'
import type { OperatorParts } from './operator/parts.ts'
import type { NotifierOptions, Parts } from './parts.ts'
import { createRecorder } from './record.ts'
import { createRowWriter } from './row-writer.ts'
import { startScan } from './scan.ts'
import { createSender } from './send.ts'
import { serveTestMessages } from './test-message.ts'

/** Notifiers of this name share the nudges and the test messages. */
const queue = 'notifiers'

/** Resolves when it listens. The first scan is under way then. */
export async function startNotifier(surroundings: SurroundingsWithStore, options: NotifierOptions): Promise<Service> {
  const { bus, store, clock, metrics } = surroundings
  const logger = surroundings.logger.child({ service: 'notifier', notifier: options.notifierId })
  const lanes = createLanes()
  const names = createLocationNames(store, clock)
  let stopping = false
  let operator: Operator | null = null
  /** Fires when what is being sent has to end, whatever comes of it. */
  const cutOff = new AbortController()
  const parts: Parts = {
    store,
    clock,
    logger,
    lanes,
    names,
    options,
    metrics: createMetrics(metrics, lanes),
    noteAttempt: (destination, attempt) => operator?.noteAttempt(destination, attempt),
    stopping: () => stopping,
  }

  // The circle: room given back lets more be claimed, what is claimed is sent, what is sent gives room back and is recorded.
  const pump = () => claims.pump()
  const bodies = createBodyMaker(parts)
  const sender = createSender({ clock, ...options })
  const rows = createRowWriter(parts)
  const followUp = createFollowUp(parts, pump)
  const recorder = createRecorder(parts, rows, followUp, pump)
  const deliverer = createDeliverer(parts, sender, recorder, cutOff.signal)
  const claims: Claims = createClaims(parts, { bodies, deliverer, rows, followUp })
  const dispatch = createDispatch(parts, { bodies, deliverer, rows, followUp }, pump)
  operator = await startOperator(operatorParts(parts, bus), { sender, registry: metrics, cutOff: cutOff.signal })
  const nudges = await bus.subscribe(subjects.alertNudge, ({ body }) => takeNudge(body, dispatch), { queue })
  const tests = await serveTestMessages(parts, bus, queue, { bodies, sender, rows, stop: cutOff.signal })
  await releaseDeadClaims(parts)
  const scan = startScan(parts, dispatch, sender, pump)

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
      const forget = clock.after(limits.notifier.stopMs, () => {
        recorder.giveUp()
        cutOff.abort()
      })
      await nudges.close().catch(() => {})
      await Promise.all([scan.stop(), dispatch.idle(), claims.idle(), operator?.stop(), tests.close().catch(() => {})])
      await deliverer.idle()
      recorder.giveUp()
      await recorder.idle()
      forget()
      await sender.close()
    },
  }
}

const operatorParts = ({ store, clock, logger, options, stopping }: Parts, bus: Bus): OperatorParts => ({
  bus,
  store,
  clock,
  logger,
  stopping,
  notifierId: options.notifierId,
  incidentSalt: options.incidentSalt,
  source: options.publicUrl,
  webhook: options.operatorWebhook ?? null,
  jitter: options.jitter ?? systemJitter,
})

/** A nudge is only a hint: what is not a list of ids, or too much, is left to the scan. */
function takeNudge(body: unknown, dispatch: BatchLoop<string>): void {
  const alertIds = (body as { alertIds?: unknown } | null)?.alertIds
  if (!Array.isArray(alertIds)) return
  const room = Math.max(0, limits.notifier.nudgeBacklog - dispatch.size())
  dispatch.add(alertIds.filter(id => typeof id === 'string').slice(0, room))
}
