// Rows of the delivery log as generation 3 serves them, and the path of the log.
import type { DeliveryStatus } from '#shared/contracts/notifications/delivery-status.ts'
import { workspaceId } from '../data/session.ts'

export interface Delivery {
  at: string
  destination: string | null
  event: string
  status: DeliveryStatus
  reason: string | null
  error: string
  note: string | null
  payload: string
  /** Null: a test message, or the monitor was deleted. */
  resource: { id: string; name: string } | null
  rule: string | null
  incident: string | null
}

export const statuses = [
  { value: '', word: 'All outcomes' },
  { value: 'delivered', word: 'Delivered' },
  { value: 'accepted', word: 'Accepted' },
  { value: 'failed', word: 'Failed' },
  { value: 'held', word: 'Kept back' },
] as const

/** Names of the filters in the address of the dashboard page, and in the API. */
const known: readonly [page: string, api: string][] = [
  ['status', 'status'],
  ['destination', 'destination'],
  ['monitor', 'resource'],
]

/** Returns the path of the log below `/api/v3`. `filters`: query of the dashboard page; parameters that it does not know are omitted. */
export function deliveriesPath(filters: string): string {
  const given = new URLSearchParams(filters)
  const asked = new URLSearchParams()
  for (const [page, api] of known) {
    const value = given.get(page)
    if (value !== null && value !== '') asked.set(api, value)
  }
  return `/workspaces/${encodeURIComponent(workspaceId.peek() ?? '')}/deliveries?${asked}`
}
