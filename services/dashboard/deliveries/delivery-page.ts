// Rows of the delivery log as the session API serves them, and the address of one page of rows.
import { workspaceId } from '../data/session.ts'

export interface Delivery {
  at: string
  destination: string | null
  event: string
  status: 'delivered' | 'failed' | 'held'
  reason: string | null
  error: string
  note: string | null
  payload: string
  /** Null: a test message, or the monitor was deleted. */
  monitor: { id: string; name: string } | null
  rule: string | null
  incident: string | null
}

export interface LogPage {
  deliveries: readonly Delivery[]
  /** Cursor of the next page; null: the last page. */
  next: string | null
}

export const statuses = [
  { value: '', word: 'All outcomes' },
  { value: 'delivered', word: 'Delivered' },
  { value: 'failed', word: 'Failed' },
  { value: 'held', word: 'Kept back' },
] as const

const known = ['status', 'destination', 'monitor']

/**
 * Returns the API address of a page of deliveries. `filters`: query of the dashboard page; parameters that the API does not know are
 * omitted.
 */
export function deliveriesAddress(filters: string, after: string | null = null): string {
  const asked = new URLSearchParams([...new URLSearchParams(filters)].filter(([name]) => known.includes(name)))
  if (after !== null) asked.set('after', after)
  return `/session/workspaces/${encodeURIComponent(workspaceId.peek() ?? '')}/deliveries?${asked}`
}
