// Rows of the audit, and the paths of the audits of the workspace and of the installation.
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
  /** Destination of the message whose acknowledge link was used. */
  destination: { id: string } | null
  method: string
  path: string
  status: number
  user_agent: string | null
  /** Object that the request made; null: none, or an older version stored the row. */
  made: AuditMade | null
}

/** Names of the filters that the page passes to the API. */
const known = ['person', 'path', 'since', 'until']

/** Path of the audit of the installation, which has the changes that belong to no workspace. */
export const installationAudit = '/audit'

/** Returns the path of the workspace's audit. `filters`: query of the dashboard page; parameters that the API does not know are omitted. */
export function workspaceAudit(filters: string): string {
  const asked = new URLSearchParams([...new URLSearchParams(filters)].filter(([name]) => known.includes(name)))
  return `/workspaces/${encodeURIComponent(workspaceId.peek() ?? '')}/audit?${asked}`
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
