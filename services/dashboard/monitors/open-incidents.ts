// Open incidents of monitors, for an acknowledgement. Pure.
import type { MonitorRow } from '#shared/contracts/session/session-monitors.ts'

/** Returns the worst unacknowledged open incident of each row. */
export const openIncidents = (rows: readonly MonitorRow[]) =>
  rows.flatMap(({ name, incident }) => (incident && !incident.acknowledged ? [{ id: incident.id, name }] : []))
