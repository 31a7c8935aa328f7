// Next step of a due delivery that a notifier has found. The step claims the delivery, withdraws it, postpones it, or ends it as failed.
import type { DeliveryEvent } from '#machines/delivery.ts'
import { findChannel, staysOpen } from '#shared/channels/registry.ts'
import type { DeliveryDocument } from '#shared/contracts/notifications/delivery.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import { limits } from '#shared/limits/limits.ts'
import { isOfEnd } from '#shared/notifications/choose-destinations.ts'
import { isWaitingStep } from '#shared/notifications/told-in.ts'
import { asReached, nextRevision, type Step } from '../record/delivery-document.ts'

/** Stored facts that decide whether a delivery is claimed, by id. `gone` and `archived` are read only for deliveries that have waited. */
export interface Sources {
  destinations: Map<string, DestinationDocument>
  /** Ids of alerts that were removed with their subject. */
  gone: ReadonlySet<string>
  /** Ids of incidents that were closed when their Resource was archived. */
  archived: ReadonlySet<string>
  /** Ids of incidents that have been confirmed or closed. The openings of these incidents are no longer sent. */
  overtaken: ReadonlySet<string>
  /** Reasons why incidents need no reminder, by incident id. */
  settled: ReadonlyMap<string, string>
  /**
   * What waiting steps, and messages that open something, find when they are due, by incident id. Absent of an incident that is still worth
   * telling.
   */
  looks: ReadonlyMap<string, Look>
}

/** `reason`: the incident needs no step any more. Null: it is looked at again later. */
export interface Look {
  reason: string | null
}

export const endedFirst = 'ended_first: the incident ended before it was told'
export const takenFirst = 'acknowledged_first: the incident was taken before it was told'
export const superseded = 'superseded: a later message takes its place'
export const overtaken = 'confirmed_first: the incident was confirmed or closed before it was delivered'
const passedOnNoMore = 'destination_disabled: what passes the message on was switched off or deleted'
export const destinationDeleted = 'destination_disabled: the destination was deleted'
export const destinationOff = 'destination_disabled: the destination is switched off'
export const subjectDeleted = 'resource_gone: the subject was deleted'
export const subjectArchived = 'resource_gone: the Resource was archived'
export const notPrepared = 'not_sent: the message could not be prepared'

/**
 * Returns the next step; null: the delivery's state accepts neither a claim nor a withdrawal. Throws on a snapshot of an unknown version.
 */
export function claimStep(
  document: DeliveryDocument,
  { destinations, gone, archived, overtaken: past, settled, looks }: Sources,
  by: { notifierId: string; at: number },
): Step | null {
  const { at } = by
  const needless = (error: string) => asNeedless(takeUp(document, { type: 'delivery.withdrawn', at, error }, by), error)
  const destination = destinations.get(document.destinationId)
  const claimed: DeliveryEvent = { type: 'delivery.claimed', at, until: at + limits.notifier.claimMs }
  if (document.members !== undefined) {
    if (destination === undefined) return needless(destinationDeleted)
    return destination.enabled ? takeUp(document, claimed, by) : needless(destinationOff)
  }
  // What changes or ends an alert that is open elsewhere is sent whatever has become of the subject and the destination.
  if (destination !== undefined && staysOpen(destination.type) && isOfEnd(document.alertKind))
    return takeUp(document, claimed, by)
  if (destination?.enabled && document.alertKind === 'withdrawn') return takeUp(document, claimed, by)
  if (gone.has(document.alertId)) return needless(subjectDeleted)
  if (archived.has(document.incidentId)) return needless(subjectArchived)
  const settledBy = document.reminder ? settled.get(document.incidentId) : undefined
  if (settledBy !== undefined) return needless(settledBy)
  if (document.alertKind === 'opened' && past.has(document.incidentId)) return needless(overtaken)
  const look = isWaitingStep(document) || document.opens ? looks.get(document.incidentId) : undefined
  if (look !== undefined && look.reason !== null) return needless(look.reason)
  const via = isWaitingStep(document) ? document.step?.via : undefined
  if (via !== undefined && destinations.get(via)?.enabled !== true) return needless(passedOnNoMore)
  if (destination === undefined) return needless(destinationDeleted)
  if (!destination.enabled) return needless(destinationOff)
  if (look !== undefined && isWaitingStep(document))
    return takeUp(document, { type: 'delivery.postponed', at, until: at + limits.notifier.stepLookMs }, by)
  // A newer notifier knows the type, and sends the message.
  if (findChannel(destination.type) === null) return null
  return takeUp(document, claimed, by)
}

/**
 * Marks the step as needless if the step withdraws the delivery. A step that ends the last attempt of a dead notifier is a failure instead,
 * because the message may not have arrived.
 */
const asNeedless = (step: Step | null, error: string): Step | null =>
  step?.document.snapshot.context.lastError === error ? { ...step, isNeedless: true } : step

/**
 * Returns the step that the event causes. If a dead notifier still has a claim, ends this claim first. The end of the claim may already
 * finish the delivery.
 */
function takeUp(document: DeliveryDocument, event: DeliveryEvent, by: { notifierId: string; at: number }): Step | null {
  if (document.snapshot.value !== 'sending') return nextRevision(document, [event], by.notifierId)
  const lapsed: DeliveryEvent = { type: 'claim.lapsed', at: by.at }
  const reached = asReached(document)
  return nextRevision(reached, [lapsed, event], by.notifierId) ?? nextRevision(reached, [lapsed], by.notifierId)
}
