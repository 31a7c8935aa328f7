// Rows of the audit as the session API serves them, and the address of one page of rows.
import { workspaceId } from '../data/session.ts'

export interface AuditMade {
  kind: string
  id: string
  /** May be empty. */
  name: string
}

export interface AuditRow {
  at: string
  person: { id: string; name: string } | null
  key: { id: string; prefix: string } | null
  address: { id: string } | null
  method: string
  path: string
  status: number
  user_agent: string | null
  /** Object that the request made; null: none, or an older version stored the row. */
  made: AuditMade | null
}

/** Names of the filters that the page passes to the API. */
const known = ['person', 'path', 'since', 'until']

/**
 * Returns the API address of a page of audit rows. `filters`: query of the dashboard page; parameters that the API does not know are
 * omitted.
 */
export function auditAddress(filters: string, after: string | null = null): string {
  const asked = new URLSearchParams([...new URLSearchParams(filters)].filter(([name]) => known.includes(name)))
  if (after !== null) asked.set('after', after)
  return `/session/workspaces/${encodeURIComponent(workspaceId.peek() ?? '')}/audit?${asked}`
}

/** Returns the API address of a page of the installation's audit, which contains changes that belong to no workspace. */
export function installationAddress(after: string | null = null): string {
  return `/session/audit${after === null ? '' : `?after=${encodeURIComponent(after)}`}`
}

/** A page of rows as the session API serves it. */
export interface AuditPage {
  rows: readonly AuditRow[]
  /** Cursor of the next page; null: the last page. */
  next: string | null
}

/** Returns the instant of a local time from a form; null: no time was chosen. */
export const instantOf = (local: string): string | null => (local === '' ? null : new Date(local).toISOString())

/** Returns an instant as local time, in the format of a form's field. Returns an empty text if `instant` is null or no instant. */
export function localOf(instant: string | null): string {
  const at = Date.parse(instant ?? '')
  if (Number.isNaN(at)) return ''
  const offsetMs = new Date(at).getTimezoneOffset() * 60_000
  return new Date(at - offsetMs).toISOString().slice(0, 16)
}
