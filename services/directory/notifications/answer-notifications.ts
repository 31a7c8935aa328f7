// Which function answers which question about notifications (shared/contracts/ask/ask-notifications.ts).
import { changeDestination } from './change-destination.ts'
import { listDeliveries, listDeliveryLog, listDestinationDeliveries, listIncidentDeliveries } from './delivery-log.ts'
import { getDeliveryTable, putDeliveryTable } from './delivery-tables.ts'
import {
  createDestination,
  deleteDestination,
  getDestination,
  listDestinations,
  makeDefaultDestination,
  switchDestination,
  updateDestination,
} from './destinations.ts'
import {
  createTransformation,
  deleteTransformation,
  getTransformation,
  listTransformations,
  updateTransformation,
} from './transformations.ts'

export const notificationAnswerers = {
  'create-destination': createDestination,
  'list-destinations': listDestinations,
  'get-destination': getDestination,
  'update-destination': updateDestination,
  'change-destination': changeDestination,
  'switch-destination': switchDestination,
  'make-default-destination': makeDefaultDestination,
  'delete-destination': deleteDestination,
  'create-transformation': createTransformation,
  'list-transformations': listTransformations,
  'get-transformation': getTransformation,
  'update-transformation': updateTransformation,
  'delete-transformation': deleteTransformation,
  'get-delivery-table': getDeliveryTable,
  'put-delivery-table': putDeliveryTable,
  'list-incident-deliveries': listIncidentDeliveries,
  'list-destination-deliveries': listDestinationDeliveries,
  'list-deliveries': listDeliveries,
  'list-delivery-log': listDeliveryLog,
}
