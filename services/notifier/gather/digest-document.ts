// Documents of digests, and of the messages that are gathered for them. A digest is a delivery without an incident: its messages are told by
// it once it is claimed, and its `members` say which. Pure.
import { openDelivery } from '#machines/delivery-snapshot.ts'
import type { DeliveryDocument } from '#shared/contracts/notifications/delivery.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import { limits } from '#shared/limits/limits.ts'
import { firstRevision, nextRevision, type Step, type Writer } from '../record/delivery-document.ts'

const { graceMs } = limits.notifier.digest

/** Place of a destination's digests in the order of messages: they stand in the place of an incident's. */
export const digestThread = (destinationId: string): string => `digest.${destinationId}`

export const digestId = (destinationId: string, slot: number): string => `${digestThread(destinationId)}.${slot}`

/** Returns a digest without members. `slot`: instant at which it is due. */
export function newDigest(
  { id: destinationId, workspaceId }: Pick<DestinationDocument, 'id' | 'workspaceId'>,
  slot: number,
  { at, createdAt }: { at: number; createdAt: number },
  writer: Writer,
): DeliveryDocument {
  const id = digestId(destinationId, slot)
  const { giveUpMs, deliveryMs } = limits.notifier
  return {
    ...firstRevision(id, openDelivery({ at: slot, giveUpAt: slot + giveUpMs }), writer),
    ...{ alertId: id, workspaceId, destinationId, incidentId: digestThread(destinationId), alertKind: 'problem' },
    ...{ number: slot, subjectName: '', decidedAt: slot, members: null, createdAt, expireAt: at + deliveryMs },
  }
}

/**
 * Returns the step by which a message that is due waits for the digest of this slot; null: its state does not allow it. If the digest does
 * not take it, it is due again a while after the slot.
 */
export function gatheredStep(document: DeliveryDocument, slot: number, by: { notifierId: string; at: number }): Step | null {
  const step = nextRevision(document, [{ type: 'delivery.postponed', at: by.at, until: slot + graceMs }], by.notifierId)
  return step && { ...step, document: { ...step.document, gathered: slot } }
}

export const isDigest = ({ members }: Pick<DeliveryDocument, 'members'>): boolean => members !== undefined
