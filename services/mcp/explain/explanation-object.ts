// The result of `explain_incident`.
import type { Evidence, Incident, Resource, Rule, Step } from './api-objects.ts'

/** Messages to one destination about one event of the incident. All of them have the same outcome. */
export interface Notice {
  destination: string | null
  event: string
  reason: string | null
  /** Instant of the latest message. */
  at: string
  times: number
}

export interface Explanation {
  incident: Omit<Incident, 'history' | 'next' | 'path' | 'path_omitted'>
  /**
   * Rule as the Template declares it now. Null: the incident belongs to a custom subject of generation 2, or the rule can no longer be
   * read.
   */
  rule: (Omit<Rule, 'help' | 'action'> & { template: string; help: string; meta: Record<string, unknown> }) | null
  /** Evidence of the incident's latest transition with evidence; null: no transition has evidence. */
  evidence: ({ at: string; kind: string } & Evidence) | null
  next: Incident['next']
  told: Notice[]
  not_told: Notice[]
  /** Number of deliveries that were read but left out of the explanation, to keep it short. */
  deliveries_omitted: number
  /** True if older deliveries exist that were not read. */
  deliveries_older: boolean
  maintenance: Resource['maintenance']
  path: Step[]
  path_omitted: number
}
