// The roster of a workspace: one list row for each unarchived subject. A row is computed only from its subject's document.
import { type Static, Type } from 'typebox'
import { ask, Id } from '#shared/contracts/common.ts'
import type { IncidentCause, NextStep } from '#shared/contracts/incidents/incident.ts'
import { type SubjectKind, subjectKinds } from '#shared/contracts/subjects/subject-kind.ts'

/**
 * Statuses of a row, worst first. `partly_known`: the worst is a rule without data, and another rule is ok. `unknown`: no rule of the
 * subject has decided yet.
 */
export const rosterStatuses = ['down', 'no_data', 'pending', 'recovering', 'partly_known', 'unknown', 'up'] as const
export type RosterStatus = (typeof rosterStatuses)[number]

/** A row of the list. Instants in ms. */
export interface RosterRow {
  id: string
  /** Revision of the subject's document from which the row was computed. Of two rows, the one with the higher revision is newer. */
  rev: number
  key: string
  name: string
  kind: SubjectKind
  /** `key@version` of the Template; null: the subject is a custom subject. */
  template: string | null
  /** Host that is checked; null: the subject has no check, or its check has no host. */
  host: string | null
  /** The check; null or absent: the subject has none, or an older version made the row. */
  check?: RosterCheck | null
  status: RosterStatus
  /**
   * Why the status is not up while no Incident is open, redacted. Null or absent: the subject is up, the Incident says it, or an older
   * version made the row.
   */
  why?: IncidentCause | null
  /** Instant since which the row has its status; null: the instant is not known. */
  since: number | null
  /** The worst open Incident of the subject; null: no Incident is open. */
  incident: RosterIncident | null
  /** Number of open Incidents, including the worst Incident. */
  incidents: number
  /** End of the running maintenance window; null: no window is running. */
  maintenanceUntil: number | null
}

/** What a monitor watches. */
export interface RosterCheck {
  /** What is done, in one word, such as `GET`. */
  method: string
  /** To what it is done, without credentials. */
  url: string
  everyMs: number
  /** Ids of the first locations. */
  locations: readonly string[]
  locationCount: number
}

export interface RosterIncident {
  /** Internal id. */
  id: string
  rule: string
  /** Redacted. */
  cause: IncidentCause | null
  /** Explanation of the rule, cut to the length that a list shows. */
  explanation: string
  acknowledged: { at: number; by: string } | null
  next: NextStep | null
}

const Status = Type.Enum(['all', 'trouble', 'maintenance', ...rosterStatuses])
const Kind = Type.Enum(['all', ...subjectKinds])

export const rosterAsks = {
  /**
   * Returns rows that match all filters, sorted from the worst status to the best, then by name. Of the sorted rows, returns `count` rows,
   * beginning with number `from`.
   */
  'list-roster': ask<RosterPage>()({
    workspaceId: Id,
    /** `trouble`: every status except `up` and `unknown`. */
    status: Status,
    kind: Kind,
    /** Text that the name, key or host must contain, in upper or lower case; empty: no filter. */
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
