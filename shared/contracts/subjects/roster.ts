// The roster of a workspace: one list row for each unarchived subject. A row is computed only from its subject's document.
import { type Static, Type } from 'typebox'
import { ask, Id } from '#shared/contracts/common.ts'
import type { NextStep } from '#shared/contracts/incidents/incident.ts'
import type { SubjectKind } from '#shared/contracts/subjects/subject.ts'

/** Statuses of a row, worst first. `unknown`: none of its rules has decided yet. */
export const rosterStatuses = ['down', 'no_data', 'pending', 'recovering', 'unknown', 'up'] as const
export type RosterStatus = (typeof rosterStatuses)[number]

/** A row of the list. Instants in ms. */
export interface RosterRow {
  id: string
  /** Revision of the subject from which the row was computed. A row with a higher revision is newer. */
  rev: number
  key: string
  name: string
  kind: SubjectKind
  /** `key@version`; null: a custom subject. */
  template: string | null
  /** Host of the check's URL; null: the subject has no check. */
  host: string | null
  status: RosterStatus
  /** Start of the status; null: unknown. */
  since: number | null
  /** The worst open Incident; null: none is open. */
  incident: RosterIncident | null
  /** Number of open Incidents, including the worst Incident. */
  incidents: number
  /** End of the running maintenance window; null: none runs. */
  maintenanceUntil: number | null
}

export interface RosterIncident {
  /** Internal id. */
  id: string
  rule: string
  /** Explanation of the rule, cut to the length that a list shows. */
  explanation: string
  acknowledged: { at: number; by: string } | null
  next: NextStep | null
}

const Status = Type.Enum(['all', 'trouble', 'maintenance', ...rosterStatuses])
const Kind = Type.Enum(['all', 'website', 'custom', 'template'])

export const rosterAsks = {
  /** Sorts the rows that match all filters, worst first, then by name. Returns `count` of them, beginning with number `from`. */
  'list-roster': ask<RosterPage>()({
    workspaceId: Id,
    /** `trouble`: every status except `up` and `unknown`. */
    status: Status,
    kind: Kind,
    /** Part of the name, key or host, in any case; empty: no filter. */
    text: Type.String({ maxLength: 200 }),
    from: Type.Integer({ minimum: 0 }),
    count: Type.Integer({ minimum: 1, maximum: 200 }),
  }),
} as const

export type RosterFilters = Pick<Static<(typeof rosterAsks)['list-roster']>, 'status' | 'kind' | 'text'>

export type RosterCounts = Record<RosterStatus | 'maintenance', number>

export interface RosterPage {
  /** Number of rows that match the filters. */
  total: number
  /** Counts over the whole workspace, independent of the filters. */
  counts: RosterCounts
  rows: RosterRow[]
}
