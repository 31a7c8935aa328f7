// GET /v2/notifications/deliveries: the delivery log (spec D 2), newest first. It never holds a URL.
import type { FastifyInstance } from 'fastify'
import type { AskRequest } from '#shared/contracts/ask.ts'
import type { DeliveryView } from '#shared/contracts/ask-notifications.ts'
import { limits } from '#shared/limits.ts'
import { requireEditor } from '../access.ts'
import { answering, type Call } from '../answer.ts'
import type { GatewayContext } from '../context.ts'
import { invalidField } from '../fields.ts'
import { timestamp } from '../instants.ts'
import { queryText } from '../query.ts'
import { publicNumber } from './notification-fields.ts'
import { notificationWorkspace } from './notification-workspace.ts'

export function deliveryLogRoutes(fastify: FastifyInstance, context: GatewayContext): void {
  fastify.get(
    '/notifications/deliveries',
    answering(context.clock, call => listDeliveries(context, call)),
  )
}

/** A filter that names no destination finds nothing. */
async function listDeliveries({ directory, clock }: GatewayContext, call: Call) {
  const { request, traceId } = call
  const workspaceId = notificationWorkspace(request)
  requireEditor(request.identity, workspaceId)
  const limit = readLimit(call)
  const failedOnly = readUndelivered(call)
  const named = queryText(request, 'destination_id')
  const destinationNumber = named === null ? null : publicNumber(named)
  if (named !== null && destinationNumber === null) return []
  // Rows may be large: once the answer has left without them, no more are read.
  const isWanted = () => clock.monotonic() - request.arrivedAt < limits.http.answerMs
  const rows: DeliveryView[] = []
  let after: AskRequest<'list-deliveries'>['after'] = null
  do {
    const wanted = { workspaceId, destinationNumber, failedOnly, limit: limit - rows.length, after }
    const page: { items: DeliveryView[]; next: string | null } = await directory.ask('list-deliveries', wanted, traceId)
    rows.push(...page.items)
    after = page.next
  } while (after !== null && rows.length < limit && isWanted())
  return rows.map(deliveryObject)
}

function readLimit({ request }: Call): number {
  const text = queryText(request, 'limit')
  if (text === null) return limits.deliveries.listed
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= limits.deliveries.listed) return limit
  throw invalidField(`limit must be a whole number, 1 to ${limits.deliveries.listed}`)
}

function readUndelivered({ request }: Call): boolean {
  const text = queryText(request, 'undelivered')
  if (text === null || text === 'true' || text === 'false') return text === 'true'
  throw invalidField('undelivered must be true or false')
}

const deliveryObject = (row: DeliveryView) => ({
  id: row.number,
  destination_id: row.destinationNumber,
  destination_name: row.destinationName,
  destination_type: row.destinationType,
  alert_kind: row.alertKind,
  status: row.status,
  payload: row.payload,
  error: row.error,
  at: timestamp(row.at),
  kind: 'notification_delivery',
})
