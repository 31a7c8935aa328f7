// Next step of one due delivery when a notifier takes it up: claimed, withdrawn, or given up.
import type { DeliveryEvent } from '#machines/delivery.ts'
import type { AlertDocument } from '#shared/contracts/incidents/alert.ts'
import type { DeliveryDocument } from '#shared/contracts/notifications/delivery.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import { limits } from '#shared/limits/limits.ts'
import type { BodyMaker } from '../bodies/body-maker.ts'
import { nextRevision, type Step, withMessage } from '../record/delivery-document.ts'

/** Documents that decide about claims, by id. */
export interface Sources {
  destinations: Map<string, DestinationDocument>
  alerts: Map<string, AlertDocument>
  /** Alerts that are gone with their subject, of those deliveries that have waited for a while. */
  gone: ReadonlySet<string>
  /** Incidents that the archive of their Resource closed, of those deliveries too. */
  archived: ReadonlySet<string>
  /** Incidents that have been confirmed or closed, of those deliveries that are openings. */
  overtaken: ReadonlySet<string>
  /** Incidents of which nobody is reminded any more, each with the reason. */
  settled: ReadonlyMap<string, string>
}

export const overtaken = 'confirmed_first: the incident was confirmed or closed before it was delivered'
export const notPrepared = 'not_sent: the message could not be prepared'

/** Null where the delivery's state takes none of it. Throws on a snapshot of an unknown version. */
export function claimStep(
  document: DeliveryDocument,
  { destinations, alerts, gone, archived, overtaken: past, settled }: Sources,
  bodies: BodyMaker,
  by: { notifierId: string; at: number },
): Step | null {
  const { at } = by
  const withdrawn = (error: string) => takeUp(document, { type: 'delivery.withdrawn', at, error }, by)
  const needless = (error: string) => asNeedless(withdrawn(error), error)
  if (gone.has(document.alertId)) return needless('resource_gone: the subject was deleted')
  if (archived.has(document.incidentId)) return needless('resource_gone: the Resource was archived')
  const settledBy = document.reminder ? settled.get(document.incidentId) : undefined
  if (settledBy !== undefined) return needless(settledBy)
  if (document.alertKind === 'opened' && past.has(document.incidentId)) return needless(overtaken)
  const destination = destinations.get(document.destinationId)
  if (destination === undefined) return needless('destination_disabled: the destination was deleted')
  if (!destination.enabled) return needless('destination_disabled: the destination is switched off')
  const claimed: DeliveryEvent = { type: 'delivery.claimed', at, until: at + limits.notifier.claimMs }
  if (document.body !== null) return takeUp(document, claimed, by)
  // Made by a version that froze a message at its first attempt.
  const made = bodies.make(alerts.get(document.alertId), destination)
  return made === null ? withdrawn(notPrepared) : takeUp(withMessage(document, made, destination), claimed, by)
}

/** If a dead notifier's last attempt ended the delivery, its receiver may have missed the message. */
const asNeedless = (step: Step | null, error: string): Step | null =>
  step?.document.snapshot.context.lastError === error ? { ...step, isNeedless: true } : step

/** The event, after the end of a dead notifier's claim where there was one; that end alone where it was the last chance. */
function takeUp(document: DeliveryDocument, event: DeliveryEvent, by: { notifierId: string; at: number }): Step | null {
  if (document.snapshot.value !== 'sending') return nextRevision(document, [event], by.notifierId)
  const lapsed: DeliveryEvent = { type: 'claim.lapsed', at: by.at }
  return nextRevision(document, [lapsed, event], by.notifierId) ?? nextRevision(document, [lapsed], by.notifierId)
}
