// Requests of the incident page, which read the records, the incident in the form of generation 3, and the messages about the incident.

import type { AcknowledgedVia } from '#shared/contracts/incidents/incident.ts'
import type { DeliveryStatus } from '#shared/contracts/notifications/delivery-status.ts'
import type { IncidentRecordsPage } from '#shared/contracts/session/session-incidents.ts'
import { askV3, read } from '../data/api.ts'

export interface Incident {
  id: string
  resource: { id: string; key: string; name: string }
  lifecycle: 'open' | 'closed'
  closed_reason: 'recovered' | 'rule_removed' | 'resource_archived' | null
  opened_at: string
  confirmed_at: string | null
  closed_at: string | null
  acknowledgement: { by: string; at: string; via: AcknowledgedVia } | null
  action: string | null
}

export interface Delivery {
  at: string
  destination: string | null
  type: string | null
  event: string
  status: DeliveryStatus
  reason: string | null
}

const at = (workspaceId: string, id: string): string =>
  `/workspaces/${encodeURIComponent(workspaceId)}/incidents/${encodeURIComponent(id)}`

export const readIncident = (workspaceId: string, id: string): Promise<Incident> => askV3('GET', at(workspaceId, id))

/** Reads the newest 100 messages about an incident. */
export const readDeliveries = (workspaceId: string, id: string): Promise<Delivery[]> =>
  askV3('GET', `${at(workspaceId, id)}/deliveries?limit=100`)

export interface KeptResponse {
  signal: string
  location: string
  at: string
  status_line: string | null
  /** Headers and body are null for a viewer. */
  headers: readonly string[] | null
  body: string | null
  binary: boolean
  truncated: boolean
  error: string
}

/** Reads what servers answered to failed checks, oldest first. */
export const readResponses = (workspaceId: string, id: string): Promise<KeptResponse[]> =>
  askV3('GET', `${at(workspaceId, id)}/responses`)

export const readRecords = (id: string, after: number): Promise<IncidentRecordsPage> =>
  read(`/session/incidents/${encodeURIComponent(id)}/records?after=${after}`)
