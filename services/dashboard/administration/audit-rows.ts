// Rows of the audit as generation 3 serves them, and the address of a page of them.
import { workspaceId } from '../data/session.ts'

export interface AuditRow {
  at: string
  person: { id: string; name: string } | null
  key: { id: string; prefix: string } | null
  address: { id: string } | null
  method: string
  path: string
  status: number
  user_agent: string | null
}

export interface AuditPage {
  result: readonly AuditRow[]
  /** `next_cursor` is null at the end. */
  meta: { next_cursor: string | null }
}

/** Filters that the page passes to the API. */
const known = ['person', 'path', 'since', 'until']

/** `filters`: the query of the page. Parameters that the API does not know are left out. */
export function auditAddress(filters: string, cursor: string | null = null): string {
  const asked = new URLSearchParams([...new URLSearchParams(filters)].filter(([name]) => known.includes(name)))
  if (cursor !== null) asked.set('cursor', cursor)
  return `/session/v3/workspaces/${encodeURIComponent(workspaceId.peek() ?? '')}/audit?${asked}`
}

/** Returns the address of the installation's audit: changes that belong to no workspace. */
export function installationAddress(after: string | null = null): string {
  return `/session/audit${after === null ? '' : `?after=${encodeURIComponent(after)}`}`
}

/** A page of rows as the session API serves it. */
export interface InstallationPage {
  rows: readonly AuditRow[]
  /** Cursor of the next page; null: the last page. */
  next: string | null
}

/** Returns a local time of a form as an instant; null: no time was chosen. */
export const instantOf = (local: string): string | null => (local === '' ? null : new Date(local).toISOString())

/** Returns an instant as a field of local time shows it; empty if the text is no instant. */
export function localOf(instant: string | null): string {
  const at = Date.parse(instant ?? '')
  if (Number.isNaN(at)) return ''
  const offsetMs = new Date(at).getTimezoneOffset() * 60_000
  return new Date(at - offsetMs).toISOString().slice(0, 16)
}
