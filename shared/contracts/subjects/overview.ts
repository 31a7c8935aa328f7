// Overview of a workspace: its Resources by state, its open Incidents by rule and standing, the oldest ones (docs/reference/v3.md, 9.7).
import { ask, Id } from '#shared/contracts/common.ts'
import type { IncidentRecord } from '#shared/contracts/incidents/incident-views.ts'

export const overviewAsks = {
  /** The overview of one workspace, as last recorded. */
  'get-overview': ask<Overview>()({ workspaceId: Id }),
} as const

export const standings = ['problem', 'no_data', 'unconfirmed', 'recovering'] as const
/** Standing of an open Incident, worst first. */
export type Standing = (typeof standings)[number]
export type ByStanding = Record<Standing, number>

export interface RuleOverview extends ByStanding {
  rule: string
  open: number
  unacknowledged: number
}

export interface Overview {
  /** Number of unarchived Resources by their worst open Incident; each counts once. `clear`: Resources without an open Incident. */
  resources: ByStanding & { active: number; archived: number; clear: number }
  open: number
  unacknowledged: number
  /** Number of open Incidents that were read, oldest first. It is less than `open` only if there are more than a bound. */
  counted: number
  /** Rules with the most open Incidents first. */
  rules: RuleOverview[]
  rulesOmitted: number
  /** The oldest open Incidents, oldest first. */
  oldest: IncidentRecord[]
}
