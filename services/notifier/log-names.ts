// What a log line says of a delivery: names that people know, and the ids that the API shows.
import type { DeliveryDocument } from '#shared/contracts/delivery.ts'
import type { DestinationDocument } from '#shared/contracts/destination.ts'
import { createIncidentIds } from '#shared/incident-ids.ts'
import type { Parts } from './parts.ts'

type Destination = Pick<DestinationDocument, 'name' | 'number'>

/** `destination` undefined: it is gone. */
export function createLogNames({ options }: Pick<Parts, 'options'>) {
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
