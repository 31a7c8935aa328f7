// A row of the list of monitors in the session API.
import type { NextStep } from '#shared/contracts/incidents/incident.ts'
import type { MonitorRow, NextStepObject } from '#shared/contracts/session/session-monitors.ts'
import type { RosterRow } from '#shared/contracts/subjects/roster.ts'
import type { IncidentIds } from '#shared/incidents/incident-ids.ts'
import { timestamp, timestampOrNull } from '../../body/instants.ts'

export function monitorRow(row: RosterRow, { encode }: Pick<IncidentIds, 'encode'>): MonitorRow {
  const { id, key, name, kind, template, host, status, since, incident, incidents, maintenanceUntil } = row
  return {
    id,
    key,
    name,
    kind,
    template,
    host,
    status,
    since: timestampOrNull(since),
    incident: incident && {
      id: encode(incident.id),
      rule: incident.rule,
      explanation: incident.explanation,
      acknowledged: incident.acknowledged && { at: timestamp(incident.acknowledged.at), by: incident.acknowledged.by },
      next: nextStepObject(incident.next),
    },
    incidents,
    maintenance_until: timestampOrNull(maintenanceUntil),
  }
}

export const nextStepObject = (next: NextStep | null): NextStepObject | null =>
  next && { what: next.what, at: timestamp(next.at) }
