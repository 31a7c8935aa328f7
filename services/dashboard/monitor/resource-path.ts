// Path of the Resource that a monitor's page shows.
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'

/** Returns the path of the Resource below `/api/v3`. */
export const pathOfResource = ({ workspace_id, resource }: Pick<MonitorDetail, 'workspace_id' | 'resource'>): string =>
  `/workspaces/${encodeURIComponent(workspace_id)}/resources/${encodeURIComponent(String(resource['id']))}`
