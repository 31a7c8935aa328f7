// Next step of one due delivery that a notifier found: claimed, withdrawn, or failed.
import type { DeliveryEvent } from '#machines/delivery.ts'
import type { DeliveryDocument } from '#shared/contracts/notifications/delivery.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import { limits } from '#shared/limits/limits.ts'
import { nextRevision, type Step } from '../record/delivery-document.ts'

/** Documents that decide about claims, by id. `gone` and `archived` are known only for deliveries that have waited. */
export interface Sources {
  destinations: Map<string, DestinationDocument>
  /** Ids of alerts that were removed with their subject. */
  gone: ReadonlySet<string>
  /** Ids of incidents that were closed when their Resource was archived. */
  archived: ReadonlySet<string>
  /** Ids of incidents that were confirmed or closed, for deliveries of openings. */
  overtaken: ReadonlySet<string>
  /** Reasons why incidents need no reminder, by incident id. */
  settled: ReadonlyMap<string, string>
}

export const overtaken = 'confirmed_first: the incident was confirmed or closed before it was delivered'
export const notPrepared = 'not_sent: the message could not be prepared'

/** Returns the step; null: the delivery's state accepts no such event. Throws on a snapshot of an unknown version. */
export function claimStep(
  document: DeliveryDocument,
  { destinations, gone, archived, overtaken: past, settled }: Sources,
  by: { notifierId: string; at: number },
): Step | null {
  const { at } = by
  const needless = (error: string) => asNeedless(takeUp(document, { type: 'delivery.withdrawn', at, error }, by), error)
  if (gone.has(document.alertId)) return needless('resource_gone: the subject was deleted')
  if (archived.has(document.incidentId)) return needless('resource_gone: the Resource was archived')
  const settledBy = document.reminder ? settled.get(document.incidentId) : undefined
  if (settledBy !== undefined) return needless(settledBy)
  if (document.alertKind === 'opened' && past.has(document.incidentId)) return needless(overtaken)
  const destination = destinations.get(document.destinationId)
  if (destination === undefined) return needless('destination_disabled: the destination was deleted')
  if (!destination.enabled) return needless('destination_disabled: the destination is switched off')
  const claimed: DeliveryEvent = { type: 'delivery.claimed', at, until: at + limits.notifier.claimMs }
  return takeUp(document, claimed, by)
}

/** Marks the step as needless, unless it is the failure of a dead notifier's last attempt, whose message may be missing. */
const asNeedless = (step: Step | null, error: string): Step | null =>
  step?.document.snapshot.context.lastError === error ? { ...step, isNeedless: true } : step

/** Returns the step of the event. Ends a dead notifier's claim first; that end may already finish the delivery. */
function takeUp(document: DeliveryDocument, event: DeliveryEvent, by: { notifierId: string; at: number }): Step | null {
  if (document.snapshot.value !== 'sending') return nextRevision(document, [event], by.notifierId)
  const lapsed: DeliveryEvent = { type: 'claim.lapsed', at: by.at }
  return nextRevision(document, [lapsed, event], by.notifierId) ?? nextRevision(document, [lapsed], by.notifierId)
}
