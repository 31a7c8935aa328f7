// GET /workspaces/{ws}/deliveries: every sent or suppressed message of a workspace, with its payload. Reference: docs/reference/v3.md, 10.12.
import { Type } from 'typebox'
import { channelTypes } from '#shared/channels/registry.ts'
import type { LoggedDelivery } from '#shared/contracts/ask/ask-notifications.ts'
import { idPattern } from '#shared/contracts/common.ts'
import { deliveryStatuses } from '#shared/contracts/notifications/delivery-status.ts'
import { redactedJson } from '#shared/secrecy/redacted-value.ts'
import { Answered, Instant, OrNull, writerOf } from '../body/result-schema.ts'
import { Paged } from '../http/route.ts'
import { Named, route } from './common.ts'
import { formatCursor, limitOf, pageQuery, readCursor } from './paging.ts'

const Outcome = Type.Enum(deliveryStatuses)
const SentId = Type.String({ pattern: idPattern })

export const DeliveryEntry = Answered('LoggedDelivery', {
  at: Instant,
  destination_id: { ...OrNull(Type.String({ description: 'Null if none was chosen.' })), examples: ['aB3dE6gH9k'] },
  destination: OrNull(Type.String({ description: 'Its name at that time.', examples: ['On call'] })),
  type: OrNull(Type.Enum(channelTypes())),
  event: Type.String({ examples: ['problem'] }),
  status: Outcome,
  reason: OrNull(Type.String({ examples: ['http_503'] })),
  error: Type.String({ description: 'Empty if delivered.', examples: ['answered 503'] }),
  note: OrNull(Type.String({ description: 'What is remarkable about the payload.', examples: ['the template failed'] })),
  payload: Type.String({ description: 'As it was sent, but for credentials in addresses.' }),
  resource: OrNull(Named),
  rule: OrNull(Type.String({ description: 'Its key. Null of a test.', examples: ['availability'] })),
  incident: OrNull(Type.String({ description: 'Null of a test.', examples: ['INCIDENT_ID'] })),
})

const list = route('GET', '/workspaces/:workspace/deliveries', {
  summary: 'Attempts to send messages and messages kept back, newest first.',
  needs: { role: 'viewer', scope: null },
  isAudited: true,
  query: {
    ...pageQuery,
    status: { schema: Outcome, meaning: 'Only rows with this outcome.' },
    destination: { schema: SentId, meaning: 'Only rows of the destination with this id.' },
    resource: { schema: SentId, meaning: 'Only rows about Incidents of the Resource with this id.' },
  },
  result: Type.Array(DeliveryEntry),
  refusals: ['422 limit', '422 cursor', '422 status', '422 destination', '422 resource'],
  handler: async ({ directory, incidentIds }, call) => {
    const { workspaceId, query, traceId } = call
    const { status = null, destination = null, resource = null } = query as Filters
    const filters = { status, destinationId: destination, subjectId: resource }
    const wanted = { workspaceId, ...filters, limit: limitOf(call), after: readCursor(call) }
    const { items, next } = await directory.ask('list-delivery-log', wanted, traceId)
    return new Paged(
      items.map(item => deliveryEntry(item, incidentIds.encode)),
      formatCursor(call, next),
    )
  },
})

interface Filters {
  status?: LoggedDelivery['status']
  destination?: string
  resource?: string
}

const write = writerOf(DeliveryEntry)
const deliveryEntry = (row: LoggedDelivery, encode: (id: string) => string) =>
  write({
    ...row,
    destination: row.destinationName,
    type: row.destinationType,
    payload: redactedJson(row.payload),
    resource: row.subject,
    incident: row.incidentId && encode(row.incidentId),
  })

export const deliveryLogRoutes = [list]
