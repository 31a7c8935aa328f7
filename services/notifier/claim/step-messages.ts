// Messages of an escalation's steps, made when a step is sent for the first time, so that they say how things are then (v3 10.15).

import type { AlertDocument } from '#shared/contracts/incidents/alert.ts'
import type { DeliveryDocument } from '#shared/contracts/notifications/delivery.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import { wallOf } from '#shared/time/clock.ts'
import type { NotifierContext } from '../context.ts'
import { nextRevision, type Step, withMessage } from '../record/delivery-document.ts'
import type { MessageMaker } from '../send/message-maker.ts'
import { notPrepared } from './claim-step.ts'

interface Before {
  /** Deliveries before the steps. */
  due: readonly DeliveryDocument[]
  destinations: ReadonlyMap<string, DestinationDocument>
}

/**
 * Returns the steps of deliveries, with messages for those that are sent for the first time. A delivery whose message cannot be made ends
 * instead. Rejects with a StoreError.
 */
export async function withStepMessages(
  { store, clock, options }: Pick<NotifierContext, 'store' | 'clock' | 'options'>,
  maker: MessageMaker,
  steps: readonly Step[],
  { due, destinations }: Before,
): Promise<Step[]> {
  const unmade = steps.filter(isUnmade)
  if (unmade.length === 0) return [...steps]
  const ids = [...new Set(unmade.map(({ document }) => document.alertId))]
  const alerts = new Map((await store.get('alerts', ids)).flatMap(alert => (alert === null ? [] : [[alert.id, alert] as const])))
  const told = unmade.flatMap(({ document }) => destinations.get(document.destinationId) ?? [])
  await maker.prepare(alerts.values(), told)
  const at = clock.now()
  return steps.flatMap(step => {
    if (!isUnmade(step)) return [step]
    const { document } = step
    const destination = destinations.get(document.destinationId)
    const made = destination && maker.make(asOf(alerts.get(document.alertId), at), destination, at - (document.step?.from ?? at))
    if (destination === undefined || made == null) {
      const before = due.find(({ id }) => id === document.id)
      const ended = before && nextRevision(before, [{ type: 'delivery.withdrawn', at, error: notPrepared }], options.notifierId)
      return ended == null ? [] : [{ ...step, ...ended }]
    }
    // The signature states the instant at which the message was made.
    const begun = { ...document, decidedAt: at, createdAt: wallOf(clock) }
    return [{ ...step, document: withMessage(begun, made, destination) }]
  })
}

const isUnmade = ({ document: { step, body, snapshot } }: Step): boolean =>
  step !== undefined && body === null && snapshot.value === 'sending'

const asOf = (alert: AlertDocument | undefined, at: number): AlertDocument | undefined => alert && { ...alert, decidedAt: at }
