// A row of the list of monitors in the session API.
import type { NextStep } from '#shared/contracts/incidents/incident.ts'
import { MonitorRow, type NextStepObject } from '#shared/contracts/session/session-monitors.ts'
import type { RosterRow } from '#shared/contracts/subjects/roster.ts'
import type { IncidentIds } from '#shared/incidents/incident-ids.ts'
import { timestamp } from '../../body/instants.ts'
import { writerOf } from '../../body/result-schema.ts'

const write = writerOf(MonitorRow)
export const monitorRow = ({ incident, ...row }: RosterRow, { encode }: Pick<IncidentIds, 'encode'>): MonitorRow =>
  write({
    ...row,
    incident: incident && {
      id: encode(incident.id),
      rule: incident.rule,
      explanation: incident.explanation,
      acknowledged: incident.acknowledged && { at: timestamp(incident.acknowledged.at), by: incident.acknowledged.by },
      next: nextStepObject(incident.next),
    },
  })

export const nextStepObject = (next: NextStep | null): NextStepObject | null =>
  next && { what: next.what, at: timestamp(next.at) }
