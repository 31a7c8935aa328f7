// Claims due deliveries in bulk, as far as lanes have room: one guarded put makes a notifier the only sender for a while.
// A later message of an incident is not claimed while an earlier one to the same destination is open.
import type { DeliveryEvent } from '#machines/delivery.ts'
import type { AlertDocument } from '#shared/contracts/alert.ts'
import type { DeliveryDocument } from '#shared/contracts/delivery.ts'
import type { DestinationDocument } from '#shared/contracts/destination.ts'
import { limits } from '#shared/limits.ts'
import type { BodyMaker } from './body-maker.ts'
import type { Deliverer } from './deliver.ts'
import { nextRevision, type Step } from './delivery-document.ts'
import type { FollowUp } from './follow-up.ts'
import type { Parts } from './parts.ts'
import { persistently } from './persistently.ts'
import { isHeld, openSiblings } from './siblings.ts'

export interface Claims {
  /** Begins claiming and sending what the lanes have room for; returns at once. */
  pump(): void
  idle(): Promise<void>
}

interface Sources {
  destinations: Map<string, DestinationDocument>
  alerts: Map<string, AlertDocument>
}

export function createClaims(parts: Parts, bodies: BodyMaker, deliverer: Deliverer, followUp: FollowUp): Claims {
  const { store, clock, logger, lanes, metrics, options } = parts
  let pumping: Promise<void> | null = null

  const claim = async (ids: readonly string[]) => {
    const due = await findDue(ids)
    if (due.length === 0) return
    const [sources, siblings] = await Promise.all([
      read(due),
      openSiblings(
        store,
        due.filter(({ number }) => number > 1).map(({ incidentId }) => incidentId),
      ),
    ])
    await bodies.prepare(sources.alerts.values())
    const steps = due
      .filter(document => !isHeld(document, siblings))
      .map(document => stepOrNone(document, sources))
      .filter(next => next !== null)
    if (steps.length === 0 || parts.stopping()) return
    const results = await persistently(clock, () =>
      store.replace(
        'deliveries',
        steps.map(({ document }) => document),
      ),
    )
    const stored = steps.filter((_, i) => results[i] === 'written')
    if (stored.length < steps.length) metrics.overtaken.inc(steps.length - stored.length)
    startSending(stored, sources)
    await followUp.run(stored.filter(({ document }) => document.open === 0))
  }

  const findDue = async (ids: readonly string[]): Promise<DeliveryDocument[]> => {
    const found = await persistently(clock, () => store.get('deliveries', ids))
    const at = clock.now()
    return found.filter(document => document !== null).filter(({ open, dueAt }) => open === 1 && dueAt !== null && dueAt <= at)
  }

  const read = async (due: readonly DeliveryDocument[]): Promise<Sources> => {
    const unprepared = due.filter(({ body }) => body === null).map(({ alertId }) => alertId)
    const [destinations, alerts] = await Promise.all([
      store.get('destinations', [...new Set(due.map(({ destinationId }) => destinationId))]),
      unprepared.length > 0 ? store.get('alerts', [...new Set(unprepared)]) : [],
    ])
    return { destinations: byId(destinations), alerts: byId(alerts) }
  }

  /** Null where the delivery's state takes none of it: somebody else moved it. */
  const step = (document: DeliveryDocument, { destinations, alerts }: Sources): Step | null => {
    const at = clock.now()
    const withdrawn = (error: string) => takenBack(document, { type: 'delivery.withdrawn', at, error }, at)
    const destination = destinations.get(document.destinationId)
    if (destination === undefined) return withdrawn('destination_disabled: the destination was deleted')
    if (!destination.enabled) return withdrawn('destination_disabled: the destination is switched off')
    const body = document.body ?? bodies.make(alerts.get(document.alertId), destination)
    if (body === null) return withdrawn('not_sent: the message could not be prepared')
    const claimed: DeliveryEvent = { type: 'delivery.claimed', at, until: at + limits.notifier.claimMs }
    return takenBack({ ...document, body }, claimed, at)
  }

  /** The event, after the end of a dead notifier's claim where there was one; that end alone where it was the last chance. */
  const takenBack = (document: DeliveryDocument, event: DeliveryEvent, at: number): Step | null => {
    if (document.snapshot.value !== 'sending') return nextRevision(document, [event], options.notifierId)
    const lapsed: DeliveryEvent = { type: 'claim.lapsed', at }
    return nextRevision(document, [lapsed, event], options.notifierId) ?? nextRevision(document, [lapsed], options.notifierId)
  }

  const stepOrNone = (document: DeliveryDocument, sources: Sources): Step | null => {
    try {
      return step(document, sources)
    } catch (error) {
      logger.error({ deliveryId: document.id, error: String(error) }, 'Could not continue a delivery')
      return null
    }
  }

  const startSending = (stored: readonly Step[], { destinations }: Sources) => {
    for (const { document, effects } of stored) {
      const destination = destinations.get(document.destinationId)
      if (destination && effects.some(({ type }) => type === 'send')) {
        started.add(document.id)
        deliverer.start([{ document, destination }])
      }
    }
  }

  /** Those of the round under way whose room the recorder will give back. */
  const started = new Set<string>()

  const rounds = async () => {
    for (let ids = lanes.pick(); ids.length > 0; ids = parts.stopping() ? [] : lanes.pick()) {
      started.clear()
      await claim(ids).catch(error => logger.warn({ error: String(error), deliveries: ids.length }, 'Could not claim deliveries'))
      for (const id of ids) if (!started.has(id)) lanes.release(id, null)
    }
    pumping = null
  }

  return {
    pump: () => {
      if (!parts.stopping()) pumping ??= Promise.resolve().then(rounds)
    },
    idle: async () => {
      while (pumping) await pumping
    },
  }
}

const byId = <T extends { id: string }>(documents: readonly (T | null)[]): Map<string, T> =>
  new Map(documents.filter(document => document !== null).map(document => [document.id, document]))
