// Last recorded state of a subject, for the page of one monitor. Instants in ms, instants of signals in µs.
import { Type } from 'typebox'
import { ask, Id, Instant } from '#shared/contracts/common.ts'
import type { IncidentSnapshot, NextStep } from '#shared/contracts/incidents/incident.ts'
import type { MaintenanceSnapshot } from '#shared/contracts/incidents/maintenance.ts'
import type { ResourceView } from '#shared/contracts/resources/resource-views.ts'
import type { RosterRow } from '#shared/contracts/subjects/roster.ts'
import type { RuleVerdict } from '#shared/contracts/subjects/subject.ts'

export const monitorAsks = {
  /** Returns a monitor, even if it is archived. Null: the monitor does not exist or is deleted. */
  'get-monitor': ask<MonitorState | null>()({ subjectId: Id }),
  /** Incidents and maintenance windows that overlap the time range, newest first. */
  'get-bands': ask<Bands>()({ subjectId: Id, from: Instant, to: Instant }),
  /** Confirmed trouble by days of UTC, oldest first. The first day contains `from`; the last ends at `to`. */
  'get-trouble': ask<Trouble>()({ subjectId: Id, from: Instant, to: Instant }),
  'get-figures': ask<Figures>()({ workspaceId: Id, subjectIds: Type.Array(Id, { minItems: 1, maxItems: 100 }) }),
} as const

export interface MonitorState {
  /** Null: archived. */
  row: RosterRow | null
  resource: ResourceView
  rules: MonitorRule[]
  signals: MonitorReading[]
  /** How often each declared signal reports, s, by signal; null: nobody said. */
  expects: Readonly<Record<string, number | null>>
  window: MaintenanceSnapshot | null
  thresholds: MonitorThreshold[]
}

/** A number with which a rule compares the values of a signal. */
export interface MonitorThreshold {
  signal: string
  rule: string
  operator: 'eq' | 'neq' | 'gt' | 'gte' | 'lt' | 'lte'
  operand: number
  /**
   * Number of days of the baseline. If the number is set, the threshold is the operand times the baseline's median. Null: the operand
   * itself is the threshold.
   */
  baselineDays: number | null
}

export interface Bands {
  /** Confirmed incidents. `to` null: the incident is still open. */
  incidents: { id: string; rule: string; from: number; to: number | null }[]
  windows: { from: number; to: number }[]
  /** Periods that begin before this instant may be missing. At least the `from` of the request. */
  completeSince: number
}

export interface Trouble {
  days: TroubleDay[]
  /** Start of a day, at least the first one. Trouble of earlier days may be missing. */
  completeSince: number
}

/** Confirmed trouble of one day of UTC. */
export interface TroubleDay {
  /** Start of the day, ms since the epoch. */
  at: number
  /** Time in which at least one confirmed incident was open, 0 to a day, ms. */
  ms: number
  /** Number of confirmed incidents that were open in part of the day. */
  incidents: number
}

/**
 * Figures by subject id. `p95`: in `unit`; null: nothing was measured, or there is no check. `uptime`: share of the time since `uptimeSince`,
 * from 0 to 1; null: the subject is too new. `ends`: what its checks found to end first, and when (ms); null: they find no such thing.
 */
export type Figures = Record<string, MonitorFigures>

export interface MonitorFigures {
  p95: number | null
  unit: string | null
  uptime: number | null
  uptimeSince: number
  ends: { what: string; at: number } | null
}

export interface MonitorRule {
  /** Key of the rule in generation 3. */
  key: string
  name: string
  /** True if the inputs of the rule are the locations of a website monitor. */
  isOfLocations: boolean
  verdict: RuleVerdict | null
  /** The open incident of the rule; null: no incident is open. */
  incident: IncidentSnapshot | null
  next: NextStep | null
}

/** The newest report of a signal. Signals without a report are omitted. */
export interface MonitorReading {
  signal: string
  /** Id of the location that executed the check; null: a sender sent the report. */
  locationId: string | null
  state: 'ok' | 'problem' | 'no_data'
  /** Duration of a check in ms, or the value of an Observation. */
  value: number | null
  atUs: number
  reason: string | null
  /** Median of each baseline, by the baseline's number of days. */
  baselines: Readonly<Record<number, number | null>>
}
