// Digests at their instant: what they tell, the ends of the messages that they have told, and gathered messages that no digest has told.
import type { AlertDocument, AlertKind } from '#shared/contracts/incidents/alert.ts'
import type { DeliveryDocument } from '#shared/contracts/notifications/delivery.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import { limits } from '#shared/limits/limits.ts'
import { toldByDigest } from '#shared/notifications/told-in.ts'
import { pagesOf } from '#shared/store/pages.ts'
import type { Query, Store } from '#shared/store/port.ts'
import { wallOf } from '#shared/time/clock.ts'
import { destinationDeleted, destinationOff, notPrepared, subjectArchived, subjectDeleted } from '../claim/claim-step.ts'
import { removedAlerts } from '../claim/removed-alerts.ts'
import type { NotifierContext } from '../context.ts'
import { archivedIncidents } from '../decide/routing.ts'
import { openSiblings } from '../decide/siblings.ts'
import { nextRevision, type Step, withMessage } from '../record/delivery-document.ts'
import { type RowWriter, storeSteps } from '../record/row-writer.ts'
import type { MessageMaker } from '../send/message-maker.ts'
import { digestId, gatheredStep, isDigest } from './digest-document.ts'
import type { Gathering } from './gathering.ts'

const { members: membersMost, titles, graceMs } = limits.notifier.digest

type Destinations = ReadonlyMap<string, DestinationDocument>
type Parts = { maker: MessageMaker; gathering: Gathering }

/** In the order in which a digest lists them. */
const order: readonly AlertKind[] = ['problem', 'no_data', 'opened', 'recovery']

/**
 * Returns the steps, with the messages of digests that are claimed for the first time, or that end without an attempt. A digest that has
 * nothing to tell ends. `due`: deliveries before the steps. Rejects with a StoreError.
 */
export async function withDigests(
  context: NotifierContext,
  { maker }: Pick<Parts, 'maker'>,
  steps: readonly Step[],
  { due, destinations }: { due: readonly DeliveryDocument[]; destinations: Destinations },
): Promise<Step[]> {
  const made: Step[] = []
  for (const step of steps) {
    const before = due.find(({ id }) => id === step.document.id)
    const isUnmade = before?.members === null && step.effects.length > 0
    made.push(isUnmade ? await madeStep(context, maker, step, { before, destinations }) : step)
  }
  return made
}

async function madeStep(
  { store, clock, options }: NotifierContext,
  maker: MessageMaker,
  step: Step,
  { before, destinations }: { before: DeliveryDocument; destinations: Destinations },
): Promise<Step> {
  const { document } = step
  const destination = destinations.get(document.destinationId)
  const gathered = await membersOf(store, document)
  const members = gathered.map(({ alertId }) => alertId)
  if (members.length === 0 || destination === undefined || document.snapshot.value !== 'sending')
    return members.length === 0 ? withdrawn(before, [], notPrepared, { clock, options }) : withMembers(step, members)
  const last = [...Map.groupBy(gathered, ({ incidentId }) => incidentId).values()].map(some => some.at(-1) as DeliveryDocument)
  const ordered = order.flatMap(kind => last.filter(({ alertKind }) => alertKind === kind))
  const alerts = await alertsOf(store, ordered.slice(0, titles))
  const counts = new Map(order.map(kind => [kind, last.filter(({ alertKind }) => alertKind === kind).length]))
  const message = maker.makeDigest({ alerts, counts, key: document.idempotencyKey }, destination)
  if (message === null) return { ...withdrawn(before, members, notPrepared, { clock, options }), destination }
  // The signature states the instant at which the message was made.
  return { ...step, document: { ...withMessage({ ...document, createdAt: wallOf(clock) }, message, destination), members } }
}

const withMembers = (step: Step, members: string[]): Step => ({ ...step, document: { ...step.document, members } })

function withdrawn(
  before: DeliveryDocument,
  members: string[],
  error: string,
  { clock, options }: Pick<NotifierContext, 'clock' | 'options'>,
): Step {
  const ended = nextRevision(before, [{ type: 'delivery.withdrawn', at: clock.now(), error }], options.notifierId)
  if (ended === null) throw new Error(`digest ${before.id} could not be ended`)
  return { ...withMembers(ended, members), ...(members.length === 0 ? { isNeedless: true } : {}) }
}

/** Returns the messages that a digest tells now, in the order of their alerts. Those that follow a message that still waits are told later. */
async function membersOf(store: Store, digest: DeliveryDocument): Promise<DeliveryDocument[]> {
  const { destinationId, number: slot } = digest
  const query: Query = {
    where: { open: 1, destinationId },
    sort: [['dueAt', 'asc']],
    limit: limits.notifier.batch,
  }
  const found: DeliveryDocument[] = []
  for await (const page of pagesOf(query, next => store.find('deliveries', next))) {
    found.push(...page.filter(({ gathered }) => gathered === slot))
    if (found.length >= membersMost) break
  }
  const some = found.slice(0, membersMost).sort((a, b) => a.decidedAt - b.decidedAt || a.number - b.number)
  const told = new Set(some.map(({ id }) => id))
  const kept: DeliveryDocument[] = []
  for (let from = 0; from < some.length; from += limits.notifier.batch) {
    const batch = some.slice(from, from + limits.notifier.batch)
    const incidentIds = batch.map(({ incidentId }) => incidentId)
    const [siblings, gone, archived] = await Promise.all([
      openSiblings(store, incidentIds),
      removedAlerts(store, new Set(batch.map(({ alertId }) => alertId))),
      archivedIncidents(store, [...new Set(incidentIds)]),
    ])
    const earlier = Map.groupBy(
      siblings.filter(({ id, alertKind }) => alertKind !== 'opened' && !told.has(id)),
      ({ incidentId }) => incidentId,
    )
    kept.push(
      ...batch.filter(
        one =>
          !gone.has(one.alertId) &&
          !archived.has(one.incidentId) &&
          !earlier.get(one.incidentId)?.some(other => other.destinationId === destinationId && other.number < one.number),
      ),
    )
  }
  return kept
}

async function alertsOf(store: Store, some: readonly DeliveryDocument[]): Promise<AlertDocument[]> {
  const found = await store.get(
    'alerts',
    some.map(({ alertId }) => alertId),
  )
  return found.filter(alert => alert !== null)
}

/** Ends the messages that these digests have told, or that they can no longer tell. Returns the stored steps. Rejects with a StoreError. */
export async function endMembers(context: NotifierContext, rows: RowWriter, digests: readonly Step[]): Promise<Step[]> {
  const ended: Step[] = []
  for (const { document: digest, destination } of digests) {
    const ids = (digest.members ?? []).map(alertId => `${alertId}.${digest.destinationId}`)
    for (let from = 0; from < ids.length; from += limits.notifier.batch) {
      const found = await context.store.get('deliveries', ids.slice(from, from + limits.notifier.batch))
      const steps = found.flatMap(one => (one?.gathered === digest.number ? endOf(context, one, digest, destination) : []))
      if (steps.length > 0) ended.push(...(await storeSteps(context, rows, steps)))
    }
  }
  return ended
}

function endOf(
  { clock, options }: NotifierContext,
  document: DeliveryDocument,
  { open, snapshot: { context } }: DeliveryDocument,
  destination: Step['destination'],
): Step[] {
  const error = open === 0 && context.attempts === 0 ? (context.lastError ?? toldByDigest) : toldByDigest
  const step = nextRevision(document, [{ type: 'delivery.withdrawn', at: clock.now(), error }], options.notifierId)
  return step === null ? [] : [{ ...step, isNeedless: true, destination }]
}

/**
 * Returns the next steps of gathered messages that are due: they end if their digest has told them, else they wait for it, or for the next
 * one. Rejects with a StoreError.
 */
export async function strayedSteps(
  context: NotifierContext,
  { gathering }: Pick<Parts, 'gathering'>,
  strays: readonly DeliveryDocument[],
  destinations: Destinations,
): Promise<Step[]> {
  if (strays.length === 0) return []
  const { store, clock, options } = context
  const ids = new Set(strays.map(({ destinationId, gathered = 0 }) => digestId(destinationId, gathered)))
  const digests = new Map((await store.get('deliveries', [...ids])).map(digest => [digest?.id, digest]))
  const [gone, archived] = await Promise.all([
    removedAlerts(store, new Set(strays.map(({ alertId }) => alertId))),
    archivedIncidents(store, [...new Set(strays.map(({ incidentId }) => incidentId))]),
  ])
  const left = new Map(strays.flatMap(({ destinationId: id }) => (destinations.has(id) ? [[id, destinations.get(id)]] : [])))
  const round = await gathering.open([...left.values()].filter(one => one !== undefined) as DestinationDocument[], true)
  const at = clock.now()
  const steps = strays.flatMap((document): Step[] => {
    const destination = destinations.get(document.destinationId)
    const digest = digests.get(digestId(document.destinationId, document.gathered ?? 0))
    if (digest?.members?.includes(document.alertId)) return endOf(context, document, digest, destination)
    const needless = needlessness(document, destination, { gone, archived })
    if (needless !== null) {
      const step = nextRevision(document, [{ type: 'delivery.withdrawn', at, error: needless }], options.notifierId)
      return step === null ? [] : [{ ...step, isNeedless: true, destination }]
    }
    if (digest?.open === 1 && digest.members === null) {
      const step = nextRevision(document, [{ type: 'delivery.postponed', at, until: at + graceMs }], options.notifierId)
      return step === null ? [] : [{ ...step, destination }]
    }
    const step = gatheredStep(document, round.nextSlot(destination as DestinationDocument), {
      notifierId: options.notifierId,
      at,
    })
    return step === null ? [] : [{ ...step, destination }]
  })
  await round.store()
  return steps
}

function needlessness(
  { alertId, incidentId }: DeliveryDocument,
  destination: DestinationDocument | undefined,
  { gone, archived }: { gone: ReadonlySet<string>; archived: ReadonlySet<string> },
): string | null {
  if (gone.has(alertId)) return subjectDeleted
  if (archived.has(incidentId)) return subjectArchived
  if (destination === undefined) return destinationDeleted
  return destination.enabled ? null : destinationOff
}

/** Returns the digests that were claimed or ended by these steps, for the first time. */
export const toldDigests = (steps: readonly Step[], due: readonly DeliveryDocument[]): Step[] =>
  steps.filter(
    ({ document }) =>
      isDigest(document) && document.members !== null && due.find(({ id }) => id === document.id)?.members === null,
  )
