// Fields of log lines about a delivery: names that people know, and the ids that the API shows.
import type { DeliveryDocument } from '#shared/contracts/notifications/delivery.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import { createIncidentIds } from '#shared/incidents/incident-ids.ts'
import type { NotifierContext } from '../context.ts'

type Destination = Pick<DestinationDocument, 'name' | 'number'>

/** `destination` undefined: it is gone. */
export function createLogNames({ options }: Pick<NotifierContext, 'options'>) {
  const { encode } = createIncidentIds(options.incidentSalt)
  return ({ id, alertKind, subjectName, incidentId, destinationId }: DeliveryDocument, destination: Destination | undefined) => ({
    kind: alertKind,
    subject: subjectName ?? null,
    incident: encode(incidentId),
    destination: destination?.name ?? null,
    destinationId: destination?.number ?? destinationId,
    deliveryId: id,
  })
}
