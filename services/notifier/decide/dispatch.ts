// Dispatch of alerts: makes one delivery for each destination that is to be notified, and claims as many as there is room for in the same
// put. Alerts of an incident are dispatched in their order. Idempotent: a repeated or rival dispatch finds the deliveries made.
import type { DeliveryEvent } from '#machines/delivery.ts'
import type { AlertDocument } from '#shared/contracts/incidents/alert.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import { createIncidentIds } from '#shared/incidents/incident-ids.ts'
import { limits } from '#shared/limits/limits.ts'
import { chooseDestinations, type Decision } from '#shared/notifications/choose-destinations.ts'
import type { Store } from '#shared/store/port.ts'
import { type BatchLoop, createBatchLoop } from '../batch-loop.ts'
import type { BodyMaker } from '../bodies/body-maker.ts'
import { notPrepared } from '../claim/claim-step.ts'
import type { NotifierContext } from '../context.ts'
import { beforeFirstPut, newDelivery, type Step, withMessage } from '../record/delivery-document.ts'
import { endedRows, keptRows } from '../record/log-rows.ts'
import { retryStoreCall } from '../record/retry-store-call.ts'
import type { RowWriter } from '../record/row-writer.ts'
import type { Deliverer } from '../send/deliver.ts'
import type { FollowUp } from './follow-up.ts'
import { readRouting } from './routing.ts'
import { isHeld, type OpenSibling, openSiblings } from './siblings.ts'
import { withdrawOpenings } from './withdraw-openings.ts'

/** A delivery to be made, its message frozen; with its room taken where it is sent at once. */
interface Planned extends Step {
  destination: DestinationDocument
  taken: boolean
}

interface Collaborators {
  bodies: BodyMaker
  deliverer: Deliverer
  rows: RowWriter
  followUp: FollowUp
}

/** The loop takes alert ids; ids of alerts that are missing or dispatched do nothing. `onRoomWanted`: a lane got something. */
export function createDispatch(
  context: NotifierContext,
  { bodies, deliverer, rows, followUp }: Collaborators,
  onRoomWanted: () => void,
): BatchLoop<string> {
  const { store, clock, logger, lanes, metrics } = context
  const { encode } = createIncidentIds(context.options.incidentSalt)

  const put = async (planned: readonly Planned[]) => {
    if (planned.length === 0) return
    const started = new Set<Planned>()
    try {
      await rows.write(endedRows(planned, clock.now()))
      const results = await retryStoreCall(clock, () =>
        store.replace(
          'deliveries',
          planned.map(({ document }) => document),
        ),
      )
      const stored = planned.filter((_, i) => results[i] === 'written')
      for (const one of stored) {
        if (one.taken) {
          started.add(one)
          deliverer.start([one])
        } else if (one.document.open === 1) lanes.offer(one.destination.id, one.document.id)
      }
      onRoomWanted()
      await followUp.run(stored.filter(({ document }) => document.open === 0))
    } finally {
      for (const one of planned) if (one.taken && !started.has(one)) lanes.release(one.document.id)
    }
  }

  const round = async (alertIds: readonly string[]) => {
    const open = (await store.get('alerts', alertIds)).filter(alert => alert?.state === 'open') as AlertDocument[]
    if (open.length === 0) return
    const later = open.filter(({ number }) => number > 1).map(({ incidentId }) => incidentId)
    const { waiting, siblings } = await predecessorsOf(store, later)
    const { first, rest } = firstOfEachIncident(open, waiting)
    // Before the routing is read: it says who got an opening.
    await followUp.run(await withdrawOpenings(context, rows, first, siblings))
    const routingOf = await readRouting(store, first)
    const decisions = first.map(alert => ({ alert, ...chooseDestinations(alert, routingOf(alert)) }))
    for (const some of inBatches(decisions)) {
      // Each batch for itself: what was read for the first may be forgotten by the time a slow store takes the last.
      const alerts = some.map(({ alert }) => alert)
      await bodies.prepare(alerts, new Set(some.flatMap(({ chosen }) => chosen)))
      await put(
        some.flatMap(({ alert, chosen }) => chosen.map(destination => plan(context, bodies, alert, destination, siblings))),
      )
    }
    const dispatched = decisions.map(({ alert, chosen, leftOut, nobody }) => ({
      ...alert,
      rev: alert.rev + 1,
      state: 'dispatched' as const,
      deliveries: chosen.length,
      skipped: skippedOf(leftOut, nobody),
    }))
    // Log rows before the alerts: their ids do not depend on the writer, so a crash in between loses none.
    const at = clock.now()
    await rows.write(decisions.flatMap(one => keptRows(one.alert, one, routingOf(one.alert).destinations, at)))
    // Refused means that a rival was first with the same.
    if (dispatched.length > 0) await retryStoreCall(clock, () => store.replace('alerts', dispatched))
    metrics.alerts.inc(first.length)
    for (const { alert, nobody } of decisions) {
      if (nobody === null) continue
      metrics.leftOut.inc({ reason: nobody })
      const { incidentId, facts, kind } = alert
      const about = { kind, subject: facts.subjectName, incident: encode(incidentId) }
      logger.info({ ...about, alertId: alert.id, reason: nobody }, 'message sent to nobody')
    }
    loop.add(rest)
  }

  const loop = createBatchLoop<string>(limits.notifier.batch, async alertIds => {
    if (context.stopping()) return
    await round(alertIds).catch(error => {
      logger.warn({ error: String(error), alerts: alertIds.length }, 'alerts could not be dispatched')
    })
  })
  return loop
}

/**
 * Plans a delivery. It is sent at once if nothing is before it and there is room; else it becomes due, and a notifier with room claims it.
 * A reminder always becomes due: a claim reads its incident again.
 */
function plan(
  { clock, lanes, options }: NotifierContext,
  bodies: BodyMaker,
  alert: AlertDocument,
  destination: DestinationDocument,
  siblings: readonly OpenSibling[],
): Planned {
  const at = clock.now()
  const opened = newDelivery(alert, destination.id, at, options)
  const made = bodies.make(alert, destination)
  if (made === null) {
    const withdrawn: DeliveryEvent = { type: 'delivery.withdrawn', at, error: notPrepared }
    return { ...beforeFirstPut(opened, [withdrawn], options.notifierId), destination, taken: false }
  }
  const document = withMessage(opened, made, destination)
  const taken = !alert.reminder && !isHeld(document, siblings) && lanes.take(destination.id, document.id)
  if (!taken) return { document, effects: [], destination, taken }
  const claimed: DeliveryEvent = { type: 'delivery.claimed', at, until: at + limits.notifier.claimMs }
  return { ...beforeFirstPut(document, [claimed], options.notifierId), destination, taken }
}

/** A round may send many alerts to many destinations each: so few deliveries at a time are made that their bodies fit memory. */
function* inBatches<T extends Decision>(decisions: readonly T[]): Generator<T[]> {
  let some: T[] = []
  let deliveries = 0
  for (const decision of decisions) {
    some.push(decision)
    deliveries += decision.chosen.length
    if (deliveries < limits.notifier.batch) continue
    yield some
    some = []
    deliveries = 0
  }
  yield some
}

/** The alerts whose turn it is, and the ids of those to take next: what waits before them, then they themselves. */
function firstOfEachIncident(
  open: readonly AlertDocument[],
  waiting: readonly Pick<AlertDocument, 'id' | 'incidentId' | 'number'>[],
) {
  const lowest = new Map<string, number>()
  for (const { incidentId, number } of [...open, ...waiting]) {
    lowest.set(incidentId, Math.min(number, lowest.get(incidentId) ?? number))
  }
  const isFirst = ({ incidentId, number }: { incidentId: string; number: number }) => lowest.get(incidentId) === number
  const first = open.filter(isFirst)
  const predecessors = waiting.filter(one => isFirst(one) && !first.some(({ id }) => id === one.id))
  const rest = [...predecessors, ...open.filter(one => !isFirst(one))].map(({ id }) => id)
  return { first, rest }
}

/** In this order: a rival makes an alert's deliveries before it marks the alert, so that one of the two is seen. */
async function predecessorsOf(store: Store, incidentIds: readonly string[]) {
  const waiting = await openAlerts(store, incidentIds)
  return { waiting, siblings: await openSiblings(store, incidentIds) }
}

async function openAlerts(store: Store, incidentIds: readonly string[]) {
  if (incidentIds.length === 0) return []
  const where = { incidentId: { in: [...new Set(incidentIds)] }, state: 'open' }
  return store.find('alerts', { where, sort: [['number', 'asc']], limit: limits.store.findMax, select: ['incidentId', 'number'] })
}

/** That a destination was not chosen for this kind of message is what its table says; all else is kept with the alert. */
function skippedOf(leftOut: Decision['leftOut'], nobody: Decision['nobody']): NonNullable<AlertDocument['skipped']> {
  const skipped = leftOut.filter(({ reason }) => reason !== 'not_routed')
  return nobody === null || skipped.length > 0 ? skipped : [{ destinationId: null, reason: nobody }]
}
