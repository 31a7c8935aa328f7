// Claims due deliveries in bulk, up to the free capacity of the lanes. A guarded put makes this notifier the only sender of a delivery
// until the claim ends. A message of an incident is not claimed while an earlier message of the incident to the same destination is open.

import { findChannel } from '#shared/channels/registry.ts'
import { spacingOf } from '#shared/channels/settings.ts'
import type { IncidentDocument } from '#shared/contracts/incidents/incident.ts'
import type { DeliveryDocument } from '#shared/contracts/notifications/delivery.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import { limits } from '#shared/limits/limits.ts'
import { isWaitingStep } from '#shared/notifications/told-in.ts'
import type { Store } from '#shared/store/port.ts'
import type { Cancel } from '#shared/time/clock.ts'
import type { NotifierContext } from '../context.ts'
import type { FollowUp } from '../decide/follow-up.ts'
import { archivedIncidents, overtakenIncidents, presentIncidents } from '../decide/routing.ts'
import { isHeld, openSiblings } from '../decide/siblings.ts'
import { endMembers, strayedSteps, toldDigests, withDigests } from '../gather/digests.ts'
import { withGatheredSteps } from '../gather/gather-steps.ts'
import type { Gathering } from '../gather/gathering.ts'
import { type Step, whilePresent } from '../record/delivery-document.ts'
import { endsOpened, readOpenings, withFormerSecrets, withSecretHashes } from '../record/openings.ts'
import type { Job } from '../record/record.ts'
import { type RowWriter, retryStoreCall, storeSteps } from '../record/row-writer.ts'
import type { Deliverer } from '../send/deliver.ts'
import type { MessageMaker } from '../send/message-maker.ts'
import { claimStep, endedFirst, type Look, type Sources, takenFirst } from './claim-step.ts'
import { removedAlerts } from './removed-alerts.ts'
import { withStepMessages } from './step-messages.ts'

export interface Collaborators {
  maker: MessageMaker
  deliverer: Deliverer
  rows: RowWriter
  followUp: FollowUp
  gathering: Gathering
}

export type Claims = ReturnType<typeof createClaims>

export function createClaims(context: NotifierContext, collaborators: Collaborators) {
  const { deliverer, followUp, rows } = collaborators
  const { clock, lanes, logger } = context
  let pumping: Promise<void> | null = null
  let cancelWake: Cancel = () => {}

  /** Continues when the first lane that waits for its receiver may send again. */
  const wakeLater = () => {
    cancelWake()
    const at = context.stopping() ? null : lanes.nextAt()
    if (at !== null) cancelWake = clock.schedule(at - clock.monotonic(), pump)
  }
  const rounds = async () => {
    for (let ids = lanes.pick(); ids.length > 0; ids = context.stopping() ? [] : lanes.pick()) {
      const { jobs, ended, postponed, early, told } = await claim(context, collaborators, ids).catch(error => {
        logger.warn({ error: String(error), deliveries: ids.length }, 'deliveries could not be claimed')
        return nothingClaimed
      })
      // Frees the capacity of deliveries that were not claimed. The capacity of a claimed delivery (a job) is freed later.
      const started = new Set(jobs.map(({ document }) => document.id))
      for (const id of ids) if (!started.has(id)) lanes.release(id)
      for (const { destinationId, id } of early) lanes.offer(destinationId, id)
      deliverer.start(jobs)
      for (const document of postponed) followUp.wake(document)
      await followUp.run(ended)
      const members = await endMembers(context, rows, told).catch(error => {
        logger.warn({ error: String(error) }, 'messages that a digest told could not be ended')
        return []
      })
      await followUp.run(members)
    }
    pumping = null
    wakeLater()
  }
  const pump = (): void => {
    if (!context.stopping()) pumping ??= Promise.resolve().then(rounds)
  }

  return {
    /** Begins to claim and send as many deliveries as the lanes have capacity for. Returns at once. */
    pump,
    stop: (): void => cancelWake(),
    /** Resolves when no claim is running. */
    idle: async () => {
      while (pumping !== null) await pumping
    },
  }
}

/**
 * Deliveries that are sent now, deliveries that ended unsent, deliveries that are due again later, and deliveries for which the spacing of
 * their destination has no place yet. `told`: digests that are sent now, or ended, for the first time.
 */
interface Claimed {
  jobs: Job[]
  ended: Step[]
  postponed: DeliveryDocument[]
  early: DeliveryDocument[]
  told: Step[]
}

const nothingClaimed: Claimed = { jobs: [], ended: [], postponed: [], early: [], told: [] }

/** Rejects with a StoreError. */
async function claim(
  context: NotifierContext,
  { maker, rows, gathering }: Collaborators,
  ids: readonly string[],
): Promise<Claimed> {
  const due = await findDue(context, ids)
  const later = due.filter(({ number }) => number > 1).map(({ incidentId }) => incidentId)
  const [sources, siblings] = await Promise.all([readSources(context, due), openSiblings(context.store, later)])
  const early = earlyIn(context, due, sources.destinations)
  const { destinations } = sources
  const strays = due.filter(({ gathered }) => gathered !== undefined)
  const moved = due
    .filter(document => !isHeld(document, siblings) && !early.includes(document) && !strays.includes(document))
    .map(document => stepOrNone(context, document, sources))
    .filter(step => step !== null)
  if (moved.length + strays.length === 0 || context.stopping()) return { ...nothingClaimed, early }
  const withSecrets = await readSecretsOf(context, due, sources)
  const strayed = await strayedSteps(context, { gathering }, strays, destinations)
  const alone = await withGatheredSteps(context, gathering, moved, { due, destinations })
  const told = await withDigests(context, { maker }, alone, { due, destinations })
  const made = await withStepMessages(context, maker, told, { due, destinations })
  const { incidentSalt: salt } = context.options
  const hashed = [...strayed, ...made.map(step => withHashes(step, destinations, salt))]
  const steps = context.isSeen() ? hashed.map(whilePresent) : hashed
  const stored = await storeSteps(context, rows, steps)
  if (stored.length < steps.length) context.metrics.overtaken.inc(steps.length - stored.length)
  const jobs = stored.flatMap(({ document, effects }) => {
    const destination = withSecrets(document)
    return destination && effects.some(({ type }) => type === 'send') ? [{ document, destination }] : []
  })
  const isWaiting = ({ open, snapshot, gathered }: DeliveryDocument) =>
    open === 1 && snapshot.value !== 'sending' && gathered === undefined
  return {
    jobs,
    ended: stored.filter(({ document }) => document.open === 0),
    postponed: stored.flatMap(({ document }) => (isWaiting(document) ? [document] : [])),
    early,
    told: toldDigests(stored, due),
  }
}

const withHashes = (step: Step, destinations: Sources['destinations'], salt: string): Step => {
  const destination = destinations.get(step.document.destinationId)
  const isSent = step.effects.some(({ type }) => type === 'send')
  return destination === undefined || !isSent ? step : { ...step, document: withSecretHashes(step.document, destination, salt) }
}

/** Returns a function that returns the destination of a delivery, with the secrets that opened what the delivery ends. */
async function readSecretsOf(
  { store, clock, options }: NotifierContext,
  due: readonly DeliveryDocument[],
  { destinations }: Sources,
) {
  const ends = due.filter(({ alertKind, destinationId }) => {
    const destination = destinations.get(destinationId)
    return destination?.former !== undefined && endsOpened(alertKind, destination)
  })
  const openingOf = await readOpenings(store, ends)
  return (document: DeliveryDocument): DestinationDocument | undefined => {
    const destination = destinations.get(document.destinationId)
    if (destination === undefined || !ends.some(({ id }) => id === document.id)) return destination
    return withFormerSecrets(destination, openingOf(document), { salt: options.incidentSalt, at: clock.now() })
  }
}

/** Returns the deliveries that were picked before the spacing of their destination was known, and are too many for it. */
function earlyIn({ lanes }: NotifierContext, due: readonly DeliveryDocument[], destinations: Sources['destinations']) {
  const found = [...new Set(due.map(({ destinationId }) => destinationId))].flatMap(id => {
    const destination = destinations.get(id)
    const channel = findChannel(destination?.type ?? '')
    return lanes.space(id, destination === undefined || channel === null ? [] : spacingOf(channel, destination))
  })
  return due.filter(({ id }) => found.includes(id))
}

async function findDue({ store, clock }: NotifierContext, ids: readonly string[]): Promise<DeliveryDocument[]> {
  const found = await retryStoreCall(clock, () => store.get('deliveries', ids))
  const at = clock.now()
  return found.filter(document => document !== null).filter(({ open, dueAt }) => open === 1 && dueAt !== null && dueAt <= at)
}

async function readSources({ store, clock }: NotifierContext, due: readonly DeliveryDocument[]): Promise<Sources> {
  const at = clock.now()
  const hasWaited = ({ createdAt, snapshot }: DeliveryDocument) =>
    snapshot.context.attempts > 0 || at - createdAt >= limits.notifier.scanMs
  const waited = due.filter(hasWaited)
  const incidentsOf = (some: readonly DeliveryDocument[]) => [...new Set(some.map(({ incidentId }) => incidentId))]
  const steps = due.filter(isWaitingStep)
  const passing = steps.flatMap(({ step }) => step?.via ?? [])
  const destinationIds = new Set([...due.map(({ destinationId }) => destinationId), ...passing])
  const [destinations, gone, archived, overtaken, settled, looks] = await Promise.all([
    destinationIds.size > 0 ? store.get('destinations', [...destinationIds]) : [],
    removedAlerts(store, new Set(waited.map(({ alertId }) => alertId))),
    archivedIncidents(store, incidentsOf(waited)),
    overtakenIncidents(store, incidentsOf(due.filter(({ alertKind }) => alertKind === 'opened'))),
    settledIncidents(store, incidentsOf(due.filter(({ reminder }) => reminder)), at),
    looksOf(store, { steps: incidentsOf(steps), openings: incidentsOf(due.filter(({ opens }) => opens)) }, at),
  ])
  return { destinations: byId(destinations), gone, archived, overtaken, settled, looks }
}

/**
 * Reads incidents before their steps are told (v3 10.15), and before something is opened elsewhere about them (10.16). Leaves out those that
 * are open, not ok and not taken. The step of a missing incident has nothing to tell.
 */
async function looksOf(
  store: Store,
  { steps, openings }: { steps: readonly string[]; openings: readonly string[] },
  at: number,
): Promise<Sources['looks']> {
  const ids = [...new Set([...steps, ...openings])]
  const incidents = byId(await presentIncidents(store, ids))
  const muted = await mutedSubjects(store, [...incidents.values()], at)
  return new Map(
    ids.flatMap(id => {
      const incident = incidents.get(id)
      const look = incident === undefined && !steps.includes(id) ? null : lookAt(incident, muted)
      return look === null ? [] : [[id, look] as const]
    }),
  )
}

function lookAt(incident: IncidentDocument | undefined, muted: ReadonlySet<string>): Look | null {
  if (incident === undefined || incident.open === 0) return { reason: endedFirst }
  if (incident.acknowledgedAt !== null) return { reason: takenFirst }
  return incident.condition === 'ok' || muted.has(incident.subjectId) ? { reason: null } : null
}

/**
 * Reads incidents again before their reminders are sent (reference/messages 2.4). Returns the reason for each incident that needs no
 * reminder. The reminder of a missing incident is sent.
 */
async function settledIncidents(store: Store, ids: readonly string[], at: number): Promise<Sources['settled']> {
  const incidents = await presentIncidents(store, ids)
  const muted = await mutedSubjects(store, incidents, at)
  return new Map(
    incidents.flatMap(incident => {
      const reason = settledBy(incident, muted.has(incident.subjectId))
      return reason === null ? [] : [[incident.id, reason] as const]
    }),
  )
}

/** Returns the ids of the incidents' subjects that are in maintenance. */
async function mutedSubjects(store: Store, incidents: readonly IncidentDocument[], at: number): Promise<ReadonlySet<string>> {
  if (incidents.length === 0) return new Set()
  const subjects = await store.get('subjects', [...new Set(incidents.map(({ subjectId }) => subjectId))])
  return new Set(subjects.flatMap(subject => ((subject?.maintenance?.context.endsAt ?? 0) > at ? [subject?.id ?? ''] : [])))
}

function settledBy({ open, acknowledgedAt, condition }: IncidentDocument, isMuted: boolean): string | null {
  if (open === 0) return 'not_sent: the incident has ended'
  if (acknowledgedAt !== null) return 'not_sent: the incident was acknowledged'
  if (condition !== 'problem') return 'not_sent: it is not failing any more'
  return isMuted ? 'maintenance: a window runs' : null
}

function stepOrNone({ clock, logger, options }: NotifierContext, document: DeliveryDocument, sources: Sources): Step | null {
  try {
    const step = claimStep(document, sources, { notifierId: options.notifierId, at: clock.now() })
    return step && { ...step, destination: sources.destinations.get(document.destinationId) }
  } catch (error) {
    logger.error({ deliveryId: document.id, error: String(error) }, 'delivery could not be continued')
    return null
  }
}

const byId = <T extends { id: string }>(documents: readonly (T | null)[]): Map<string, T> =>
  new Map(documents.filter(document => document !== null).map(document => [document.id, document]))
