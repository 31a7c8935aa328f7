// A row of the list of monitors.
import type { NextStep } from '#shared/contracts/incidents/incident.ts'
import { MonitorRow, type NextStepObject } from '#shared/contracts/session/session-monitors.ts'
import type { RosterRow } from '#shared/contracts/subjects/roster.ts'
import type { IncidentIds } from '#shared/incidents/incident-ids.ts'
import { watchedLine } from '#shared/subjects/watched-line.ts'
import { timestamp } from '../../body/instants.ts'
import { writerOf } from '../../body/result-schema.ts'
import type { SayCause } from '../../subjects/named-causes.ts'

const write = writerOf(MonitorRow)

/** Means of writing a row. `sayCause` knows the locations of the row's cause. */
export interface RowWords {
  encode: IncidentIds['encode']
  sayCause: SayCause
  /** Name of a location; null: it is not known. */
  placeOf(locationId: string): string | null
}

export const monitorRow = ({ incident, check, why, ...row }: RosterRow, { encode, sayCause, placeOf }: RowWords): MonitorRow =>
  write({
    ...row,
    why: sayCause(why),
    watched: check == null ? null : watchedLine(check, placeOf),
    incident: incident && {
      id: encode(incident.id),
      rule: incident.rule,
      cause: sayCause(incident.cause),
      explanation: incident.explanation,
      acknowledged: incident.acknowledged && { at: timestamp(incident.acknowledged.at), by: incident.acknowledged.by },
      next: nextStepObject(incident.next),
    },
  })

export const nextStepObject = (next: NextStep | null): NextStepObject | null =>
  next && { what: next.what, at: timestamp(next.at) }
