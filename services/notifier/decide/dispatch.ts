// Dispatch of alerts: creates one delivery for each chosen destination. The put that creates a delivery also claims it, if its lane has
// capacity. Alerts of one incident are dispatched in the order of their numbers. Idempotent: if a dispatch is repeated, also by another
// notifier, it finds the existing deliveries and creates none twice.
import type { DeliveryEvent } from '#machines/delivery.ts'
import { changesMessages, channelOf, staysOpen } from '#shared/channels/registry.ts'
import { spacingOf } from '#shared/channels/settings.ts'
import type { AlertDocument, SkipReason } from '#shared/contracts/incidents/alert.ts'
import type { DeliveryDocument, OpenedWith } from '#shared/contracts/notifications/delivery.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import { createIncidentIds } from '#shared/incidents/incident-ids.ts'
import { limits } from '#shared/limits/limits.ts'
import {
  type Chosen,
  chooseDestinations,
  type Decision,
  isOfEnd,
  type Routing,
} from '#shared/notifications/choose-destinations.ts'
import type { Store } from '#shared/store/port.ts'
import { wallOf } from '#shared/time/clock.ts'
import { type BatchLoop, createBatchLoop } from '../batch-loop.ts'
import { notPrepared } from '../claim/claim-step.ts'
import type { Collaborators } from '../claim/claims.ts'
import type { NotifierContext } from '../context.ts'
import { gatheredStep } from '../gather/digest-document.ts'
import type { Round } from '../gather/gathering.ts'
import { beforeFirstPut, newDelivery, type Step, whilePresent, withMessage } from '../record/delivery-document.ts'
import { keptRows } from '../record/log-rows.ts'
import { atPlaceOf, endsOpened, readOpenings, withFormerSecrets } from '../record/openings.ts'
import { retryStoreCall, storeSteps } from '../record/row-writer.ts'
import type { MessageMaker } from '../send/message-maker.ts'
import { readRouting } from './routing.ts'
import { isHeld, type OpenSibling, openSiblings } from './siblings.ts'
import { readBeginnings } from './step-beginnings.ts'
import { withdrawNeedless, withdrawSuperseded } from './withdraw-waiting.ts'

/**
 * A delivery with its final message, before it is stored. `taken`: true if capacity is reserved in the delivery's lane, so that the message
 * is sent at once.
 */
interface Planned extends Step {
  destination: DestinationDocument
  taken: boolean
}

/**
 * Returns a loop that dispatches alerts by id. Ids of missing alerts, and of alerts that were dispatched before, have no effect.
 * `onRoomWanted` is called when a delivery was queued in a lane.
 */
export function createDispatch(
  context: NotifierContext,
  { maker, deliverer, rows, followUp, gathering }: Collaborators,
  onRoomWanted: () => void,
): BatchLoop<string> {
  const { store, clock, logger, lanes, metrics } = context

  const put = async (planned: readonly Planned[]) => {
    if (planned.length === 0) return
    const started = new Set<Planned>()
    try {
      const stored = await storeSteps(context, rows, planned)
      for (const one of stored) {
        if (one.taken) {
          started.add(one)
          deliverer.start([one])
        } else if (isDue(one.document, clock.now())) lanes.offer(one.destination.id, one.document.id)
        else if (one.document.open === 1 && one.document.gathered === undefined) followUp.wake(one.document)
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
    if (first.length === 0) return loop.add(rest)
    // Unsent messages about openings are withdrawn before the routing is read, because the routing lists the destinations that got one.
    await followUp.run(await withdrawNeedless(context, rows, first, siblings))
    const routingOf = await readRouting(store, first)
    const decisions = first.map(alert => ({ alert, ...chooseDestinations(alert, routingOf(alert)) }))
    await followUp.run(await withdrawSuperseded(context, rows, decisions, siblings))
    const beginningOf = await readBeginnings(store, decisions)
    const openingOf = await readOpenings(store, endsOf(decisions))
    for (const some of inBatches(decisions)) {
      // Each batch reads the names that it needs. If the store is slow, names that an earlier batch read may no longer be cached.
      const alerts = some.map(({ alert }) => alert)
      await maker.prepare(alerts, new Set(some.flatMap(({ chosen }) => chosen.map(({ destination }) => destination))))
      const round = await gathering.open(some.flatMap(({ chosen }) => chosen.map(({ destination }) => destination)))
      const planOf = (alert: AlertDocument) => (one: Chosen) => {
        if (one.afterMs > 0) return planStep(context, alert, one, beginningOf(alert))
        const isAlone = !mayBeGathered(alert) || changesEarlier(alert, one.destination, routingOf(alert))
        return (
          (isAlone ? null : planGathered(context, round, alert, one.destination, siblings)) ??
          plan(context, maker, alert, { destination: one.destination, opened: openingOf(endAt(alert, one)) }, siblings)
        )
      }
      const planned = some.flatMap(({ alert, chosen }) => chosen.map(planOf(alert)))
      await round.store()
      await put(planned)
    }
    const dispatched = decisions.map(({ alert, chosen, leftOut, nobody }) => ({
      ...alert,
      rev: alert.rev + 1,
      state: 'dispatched' as const,
      deliveries: chosen.length,
      skipped: skippedOf(leftOut, nobody),
    }))
    // If this notifier crashes after this write and before the next, another notifier writes the rows again under the same ids.
    const at = clock.now()
    await rows.write(decisions.flatMap(one => keptRows(one.alert, one, routingOf(one.alert).destinations, at)))
    // A write is refused only if another notifier has dispatched the alert, so refusals are ignored.
    if (dispatched.length > 0) await retryStoreCall(clock, () => store.replace('alerts', dispatched))
    metrics.alerts.inc(first.length)
    for (const { alert, nobody } of decisions) if (nobody !== null) reportNobody(context, alert, nobody)
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
 * Plans a delivery. The delivery is sent at once if no earlier message is open and the lane has capacity. Otherwise the delivery stays due
 * until a notifier with capacity claims it. A reminder, and what opens something elsewhere, is never sent at once, because its incident is
 * read again when it is claimed.
 */
function plan(
  { clock, lanes, options, isSeen }: NotifierContext,
  maker: MessageMaker,
  alert: AlertDocument,
  { destination: present, opened: openedWith }: { destination: DestinationDocument; opened: OpenedWith | undefined },
  siblings: readonly OpenSibling[],
): Planned {
  const at = clock.now()
  const destination = withFormerSecrets(present, openedWith, { salt: options.incidentSalt, at })
  const opened = newDelivery(alert, destination.id, at, options, { createdAt: wallOf(clock), opens: opensAt(alert, destination) })
  const made = maker.make(alert, atPlaceOf(destination, openedWith))
  if (made === null) {
    const withdrawn: DeliveryEvent = { type: 'delivery.withdrawn', at, error: notPrepared }
    return { ...beforeFirstPut(opened, [withdrawn], options.notifierId), destination, taken: false }
  }
  const document = withMessage(opened, made, destination)
  const spacing = spacingOf(channelOf(destination.type), destination)
  const taken =
    !alert.reminder && !document.opens && !isHeld(document, siblings) && lanes.take(destination.id, document.id, spacing)
  if (!taken) return { document, effects: [], destination, taken }
  const claimed: DeliveryEvent = { type: 'delivery.claimed', at, until: at + limits.notifier.claimMs }
  const step = { ...beforeFirstPut(document, [claimed], options.notifierId), destination, taken }
  return isSeen() ? whilePresent(step) : step
}

function reportNobody({ logger, metrics, options }: NotifierContext, alert: AlertDocument, reason: SkipReason): void {
  metrics.leftOut.inc({ reason })
  const { incidentId, facts, kind } = alert
  const incident = createIncidentIds(options.incidentSalt).encode(incidentId)
  logger.info({ kind, subject: facts.subjectName, incident, alertId: alert.id, reason }, 'message sent to nobody')
}

/** Plans a message that a digest tells; null: it goes out alone. */
function planGathered(
  { clock, options }: NotifierContext,
  round: Round,
  alert: AlertDocument,
  destination: DestinationDocument,
  siblings: readonly OpenSibling[],
): Planned | null {
  const at = clock.now()
  const opened = newDelivery(alert, destination.id, at, options, { createdAt: wallOf(clock) })
  const slot = round.slotOf(destination, isHeld(opened, siblings))
  const step = slot === null ? null : gatheredStep(opened, slot, { ...options, at })
  return step && { document: { ...step.document, rev: 1 }, effects: [], destination, taken: false }
}

/** Returns where these alerts change or end what was opened. */
const endsOf = (decisions: readonly (Decision & { alert: AlertDocument })[]) =>
  decisions.flatMap(({ alert, chosen }) =>
    chosen.filter(({ destination }) => endsOpened(alert.kind, destination)).map(one => endAt(alert, one)),
  )

const endAt = ({ incidentId }: AlertDocument, { destination }: Chosen) => ({ incidentId, destinationId: destination.id })

/** Whether the message changes an earlier one over there, which went out alone. */
const changesEarlier = ({ kind }: AlertDocument, { id, type }: DestinationDocument, { aloneAt }: Routing): boolean =>
  kind === 'recovery' && changesMessages(type) && aloneAt?.has(id) === true

/** Acknowledgements and withdrawals are never gathered. */
const mayBeGathered = ({ kind }: AlertDocument): boolean => kind !== 'acknowledged' && kind !== 'withdrawn'

/** Plans a step of an escalation: its message is made at its instant, if nobody has taken the incident by then. */
function planStep(
  { clock, options }: NotifierContext,
  alert: AlertDocument,
  { destination, afterMs, via }: Chosen,
  from: number,
): Planned {
  const step = { from, dueAt: from + afterMs, ...(via === undefined ? {} : { via }) }
  const opens = opensAt(alert, destination)
  const document = newDelivery(alert, destination.id, clock.now(), options, { createdAt: wallOf(clock), step, opens })
  return { document, effects: [], destination, taken: false }
}

/** Whether the message opens something over there that stays open until it is ended. */
const opensAt = ({ kind }: AlertDocument, { type }: DestinationDocument): boolean => staysOpen(type) && !isOfEnd(kind)

const isDue = ({ open, dueAt }: DeliveryDocument, at: number): boolean => open === 1 && dueAt !== null && dueAt <= at

/** Yields decisions in batches. The number of deliveries in a batch is bounded, so that their bodies fit into memory. */
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

/**
 * Chooses for each incident its alert with the lowest number. `first`: chosen alerts in `open`, which are dispatched now. `rest`: ids of
 * alerts that are dispatched afterwards. These are the chosen alerts that are only in `waiting`, then the other alerts of `open`.
 */
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

/**
 * Reads the earlier messages of incidents: first open alerts, then open deliveries. Another notifier stores deliveries before it marks
 * their alert as dispatched. In this order of reads, at least one read finds each message.
 */
async function predecessorsOf(store: Store, incidentIds: readonly string[]) {
  const waiting = await openAlerts(store, incidentIds)
  return { waiting, siblings: await openSiblings(store, incidentIds) }
}

async function openAlerts(store: Store, incidentIds: readonly string[]) {
  if (incidentIds.length === 0) return []
  const where = { incidentId: { in: [...new Set(incidentIds)] }, state: 'open' }
  return store.find('alerts', { where, sort: [['number', 'asc']], limit: limits.store.findMax, select: ['incidentId', 'number'] })
}

/** Returns the skipped destinations, which the alert's document records. Destinations that the delivery table excludes are not recorded. */
function skippedOf(leftOut: Decision['leftOut'], nobody: Decision['nobody']): NonNullable<AlertDocument['skipped']> {
  const skipped = leftOut.filter(({ reason }) => reason !== 'not_routed')
  return nobody === null || skipped.length > 0 ? skipped : [{ destinationId: null, reason: nobody }]
}
