// Overview of a workspace: Resources by state, open Incidents by rule and standing, and the oldest open Incidents (docs/reference/v3.md,
// 9.7).
import { ask, Id } from '#shared/contracts/common.ts'
import type { IncidentRecord } from '#shared/contracts/incidents/incident-views.ts'

export const overviewAsks = {
  /** Returns the overview of one workspace from the stored documents. */
  'get-overview': ask<Overview>()({ workspaceId: Id }),
} as const

export const standings = ['problem', 'no_data', 'unconfirmed', 'recovering'] as const
/** Standing of an open Incident: how bad it is. `standings` lists the worst standing first. */
export type Standing = (typeof standings)[number]
export type ByStanding = Record<Standing, number>

export interface RuleOverview extends ByStanding {
  rule: string
  open: number
  unacknowledged: number
}

export interface Overview {
  /**
   * Number of unarchived Resources by the standing of their worst open Incident. A Resource is counted once. `clear`: Resources without an
   * open Incident.
   */
  resources: ByStanding & { active: number; archived: number; clear: number }
  open: number
  unacknowledged: number
  /**
   * Number of open Incidents that were read; the oldest are read first. It is less than `open` only if the workspace has more open
   * Incidents than the bound of one read.
   */
  counted: number
  /** Rules, ordered by their number of open Incidents, largest number first. */
  rules: RuleOverview[]
  rulesOmitted: number
  /** The oldest open Incidents, oldest first. */
  oldest: IncidentRecord[]
}
