// GET /v2/notifications/deliveries: the delivery log (reference/messages 6), newest first. The log never contains the URL of a destination.
import { Type } from 'typebox'
import { pages } from '#shared/async/pages.ts'
import type { DeliveryView } from '#shared/contracts/ask/ask-notifications.ts'
import { limits } from '#shared/limits/limits.ts'
import { redactedJson } from '#shared/secrecy/redacted-value.ts'
import { invalidField } from '../body/field-values.ts'
import { Answered, Instant, Kind, writerOf } from '../body/result-schema.ts'
import { AlertKind, DestinationType, publicNumber } from './notification-fields.ts'
import { notificationQuery, routeByQuery } from './notification-workspace.ts'
import { invalid } from './refusals.ts'

const Delivery = Answered('NotificationDelivery', {
  id: Type.Integer(),
  destination_id: Type.Integer(),
  destination_name: Type.String(),
  destination_type: DestinationType,
  alert_kind: AlertKind,
  status: Type.Enum(['delivered', 'failed']),
  payload: Type.String({ description: 'The exact body that was sent, but for credentials in addresses.' }),
  error: Type.String({ description: 'Empty when it was delivered.' }),
  at: Instant,
  kind: Kind('notification_delivery'),
})

const logQuery = {
  ...notificationQuery,
  destination_id: { schema: Type.Integer({ minimum: 1 }), meaning: 'Of this destination alone.' },
  undelivered: { schema: Type.Boolean(), meaning: 'Only what failed.' },
  limit: { schema: Type.Integer({ minimum: 1, maximum: limits.deliveries.listed }), meaning: 'At most as many rows.' },
}

/** If the filter names an unknown destination, the list is empty. */
export const listDeliveries = routeByQuery('GET', '/notifications/deliveries', {
  summary: 'The delivery log, newest first; it never holds a URL.',
  query: logQuery,
  result: Type.Array(Delivery),
  refusals: [invalid],
  handler: async ({ directory, clock }, { request, found: { workspaceId }, query, traceId }) => {
    const limit = readLimit(query['limit'])
    const failedOnly = readUndelivered(query['undelivered'])
    const named = query['destination_id']
    const destinationNumber = named === undefined ? null : publicNumber(String(named))
    if (named !== undefined && destinationNumber === null) return []
    // Rows may be large. If the request's time limit has passed, a refusal was sent already, so no more rows are read.
    const isWanted = () => clock.monotonic() - request.arrivedAt < limits.http.answerMs
    const rows: DeliveryView[] = []
    const read = (after: string | null) => {
      const wanted = { workspaceId, destinationNumber, failedOnly, limit: limit - rows.length, after }
      return directory.ask('list-deliveries', wanted, traceId)
    }
    for await (const page of pages(read)) {
      rows.push(...page)
      if (rows.length >= limit || !isWanted()) break
    }
    return rows.map(deliveryObject)
  },
})

function readLimit(sent: unknown): number {
  if (sent === undefined) return limits.deliveries.listed
  const limit = /^\d{1,6}$/.test(String(sent)) ? Number(sent) : 0
  if (limit >= 1 && limit <= limits.deliveries.listed) return limit
  throw invalidField(`limit must be a whole number, 1 to ${limits.deliveries.listed}`)
}

function readUndelivered(sent: unknown): boolean {
  if (sent === undefined || sent === 'true' || sent === 'false') return sent === 'true'
  throw invalidField('undelivered must be true or false')
}

const write = writerOf(Delivery)
const deliveryObject = (row: DeliveryView) =>
  write({ ...row, payload: redactedJson(row.payload), id: row.number, destinationId: row.destinationNumber })
