// Lists of Incidents, with their filters. A list contains only Incidents that match all filters. Reference: docs/reference/v3.md,
// 9.5 and 9.6.
import { type Static, Type } from 'typebox'
import { isRedactedIn } from '../../callers/redacted-readers.ts'
import type { GatewayContext } from '../../context.ts'
import { type Checked, Paged, type QueryParameter } from '../../http/route.ts'
import { sayCauses } from '../../subjects/named-causes.ts'
import type { V3Call } from '../common.ts'
import { filterQuery, filterRefusals, readFilters } from '../filters.ts'
import { formatCursor, limitOf, readCursor } from '../paging.ts'
import { incidentItem } from './incident-object.ts'

const Reference = Type.String({ minLength: 1, maxLength: 200 })

export const incidentFilters = {
  resource: { schema: Reference, meaning: 'The id or key of a Resource; an unknown one matches nothing.' },
  rule: { schema: Reference, meaning: 'The key of a rule.' },
  lifecycle: { schema: Type.Enum(['open', 'closed']), meaning: 'Both unless sent.' },
  confirmation: { schema: Type.Enum(['confirmed', 'unconfirmed']), meaning: 'Both unless sent.' },
  acknowledged: { schema: Type.Boolean(), meaning: 'Whether somebody has taken it on.' },
  resource_state: { schema: Type.Enum(['active', 'archived', 'all']), meaning: 'Of their Resources; `all` unless sent.' },
  ...filterQuery,
} as const satisfies Record<string, QueryParameter>

export const incidentFilterRefusals = [
  ...(['422 resource', '422 rule', '422 lifecycle', '422 confirmation', '422 acknowledged', '422 resource_state'] as const),
  ...filterRefusals,
]

type IncidentQuery = { [Name in keyof typeof incidentFilters]?: Static<(typeof incidentFilters)[Name]['schema']> }

/** Returns a page of Incidents, newest first. `resourceId`: id of the Resource that the path names; absent: all Resources. */
export async function listIncidents(
  context: GatewayContext,
  call: V3Call & Checked<unknown, unknown>,
  resourceId?: string,
): Promise<Paged> {
  const { directory, incidentIds } = context
  const { workspaceId, traceId } = call
  const {
    resource,
    rule = null,
    lifecycle,
    confirmation,
    acknowledged,
    resource_state: state = 'all',
  } = call.query as IncidentQuery
  const filters = {
    state,
    ...readFilters(call.query, isRedactedIn(workspaceId, call.request.identity)),
    resources: [resourceId, resource].filter(reference => reference !== undefined),
    rule,
    isOpen: lifecycle === undefined ? null : lifecycle === 'open',
    isConfirmed: confirmation === undefined ? null : confirmation === 'confirmed',
    isAcknowledged: acknowledged ?? null,
  }
  const asked = { workspaceId, filters, after: readCursor(call), limit: limitOf(call) }
  const { items, next } = await directory.ask('list-incidents', asked, traceId)
  const sayCause = await sayCauses(
    context,
    items.map(({ cause }) => cause),
    traceId,
  )
  return new Paged(
    items.map(incident => incidentItem(incident, { incidentIds, sayCause })),
    formatCursor(call, next),
  )
}
