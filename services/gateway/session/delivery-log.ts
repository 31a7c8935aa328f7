// GET /session/workspaces/{id}/deliveries: every sent or suppressed message of a workspace, with its payload.
import { Type } from 'typebox'
import type { LoggedDelivery } from '#shared/contracts/ask/ask-notifications.ts'
import { idPattern } from '#shared/contracts/common.ts'
import { redactedJson } from '#shared/secrecy/redacted-value.ts'
import { Answered, Instant, OrNull, writerOf } from '../body/result-schema.ts'
import { pathPart } from '../http/answer.ts'
import type { QueryParameter, Route } from '../http/route.ts'
import { sessionQuery } from './caller/query.ts'
import { member, route } from './caller/session-route.ts'

const Outcome = Type.Enum(['delivered', 'failed', 'held'])

const query: Record<string, QueryParameter> = {
  status: { schema: Outcome, meaning: 'Only rows with this outcome.' },
  destination: { schema: Type.String({ pattern: idPattern }), meaning: 'Only rows of the destination with this id.' },
  monitor: { schema: Type.String({ pattern: idPattern }), meaning: 'Only rows about incidents of the monitor with this id.' },
  limit: { schema: Type.Integer({ minimum: 1, maximum: 200 }), meaning: 'Rows of the page; absent: 50.' },
  after: { schema: Type.String({ minLength: 1, maxLength: 100 }), meaning: 'The `next` of the page before.' },
}

const Delivered = Answered('LoggedDelivery', {
  at: Instant,
  destination_id: { ...OrNull(Type.String({ description: 'Null if none was chosen.' })), examples: ['aB3dE6gH9k'] },
  destination: OrNull(Type.String({ description: 'Its name at that time.', examples: ['On call'] })),
  type: OrNull(Type.Enum(['slack', 'webhook'])),
  event: Type.String({ examples: ['problem'] }),
  status: Outcome,
  reason: OrNull(Type.String({ examples: ['http_503'] })),
  error: Type.String({ description: 'Empty if delivered.', examples: ['answered 503'] }),
  note: OrNull(Type.String({ description: 'What is remarkable about the payload.', examples: ['the template failed'] })),
  payload: Type.String({ description: 'As it was sent, but for credentials in addresses.' }),
  monitor: OrNull(
    Answered('DeliveredMonitor', { id: Type.String({ examples: ['aB3dE6gH9k'] }), name: Type.String({ examples: ['Shop'] }) }),
  ),
  rule: OrNull(Type.String({ description: 'Its key. Null of a test.', examples: ['availability'] })),
  incident: OrNull(Type.String({ description: 'Null of a test.', examples: ['INCIDENT_ID'] })),
})

const listDeliveries = route('GET', '/workspaces/:workspaceId/deliveries', {
  summary: 'Attempts to send messages and messages kept back, newest first.',
  needs: member,
  query,
  result: Answered('DeliveryLog', {
    deliveries: Type.Array(Delivered),
    next: OrNull(Type.String({ examples: ['17:aB3dE6gH9k'] })),
  }),
  refusals: ['invalid'],
  handler: async ({ directory, incidentIds }, call) => {
    const { status = null, destination = null, monitor = null, limit = 50, after = null } = sessionQuery(query, call) as Filters
    const filters = { status, destinationId: destination, subjectId: monitor }
    const wanted = { workspaceId: pathPart(call, 'workspaceId'), ...filters, limit, after }
    const { items, next } = await directory.ask('list-delivery-log', wanted, call.traceId)
    return { deliveries: items.map(item => deliveryObject(item, incidentIds.encode)), next }
  },
})

interface Filters {
  status?: LoggedDelivery['status']
  destination?: string
  monitor?: string
  limit?: number
  after?: string
}

const write = writerOf(Delivered)
const deliveryObject = (row: LoggedDelivery, encode: (id: string) => string) =>
  write({
    ...row,
    destination: row.destinationName,
    type: row.destinationType,
    payload: redactedJson(row.payload),
    monitor: row.subject,
    incident: row.incidentId && encode(row.incidentId),
  })

export const deliveryLogRoutes: readonly Route[] = [listDeliveries]
