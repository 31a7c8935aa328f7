// Overview of a workspace: its Resources by state, its open Incidents by rule and standing, the oldest ones (docs/reference/v3.md, 9.7).
import { Type } from 'typebox'
import { Id } from '#shared/contracts/common.ts'
import type { IncidentRecord } from '#shared/contracts/incident-views.ts'

export const overviewAsks = {
  /** Of one workspace, as it was last recorded. */
  'get-overview': Type.Object({ workspaceId: Id }),
} as const

export const standings = ['problem', 'no_data', 'unconfirmed', 'recovering'] as const
/** Of an open Incident, the worst first. */
export type Standing = (typeof standings)[number]
export type ByStanding = Record<Standing, number>

export interface RuleOverview extends ByStanding {
  rule: string
  open: number
  unacknowledged: number
}

export interface Overview {
  /** Each unarchived Resource counts once, by the worst of its open Incidents; `clear`: it has none. */
  resources: ByStanding & { active: number; archived: number; clear: number }
  open: number
  unacknowledged: number
  /** Open Incidents that were looked at: the oldest ones, fewer than `open` only beyond a bound. */
  counted: number
  /** Most open Incidents first. */
  rules: RuleOverview[]
  rulesOmitted: number
  /** Oldest first. */
  oldest: IncidentRecord[]
}

export interface OverviewAnswers {
  'get-overview': Overview
}
