// Occasion of a message, as the log and channels name it. Pure.
import type { AlertDocument } from '#shared/contracts/incidents/alert.ts'
import type { DeliveryDocument, DeliveryEvent } from '#shared/contracts/notifications/delivery.ts'

type Occasion = { reminder?: boolean; kind: AlertDocument['kind']; facts?: Pick<AlertDocument['facts'], 'isTest'> }

export function eventOf({ reminder, kind, facts }: Occasion): DeliveryEvent {
  if (facts?.isTest) return 'test'
  return reminder ? 'reminder' : kind
}

export const eventOfDelivery = ({ alertKind, reminder, members }: DeliveryDocument): DeliveryEvent =>
  members === undefined ? eventOf({ kind: alertKind, reminder: reminder === true }) : 'digest'
