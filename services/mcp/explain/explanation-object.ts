// The result of `explain_incident`.
import type { Evidence, Incident, Resource, Rule, Step } from './api-objects.ts'

/** Messages to one destination about one event with one outcome. */
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
  /** Rule as the Template declares it now. Null: a custom subject of generation 2, or a rule that can no longer be read. */
  rule: (Omit<Rule, 'help' | 'action'> & { template: string; help: string; meta: Record<string, unknown> }) | null
  /** Evidence of the latest transition that has evidence. */
  evidence: ({ at: string; kind: string } & Evidence) | null
  next: Incident['next']
  told: Notice[]
  not_told: Notice[]
  /** Number of omitted entries among the deliveries that were read. */
  deliveries_omitted: number
  /** Whether older deliveries exist that were not read. */
  deliveries_older: boolean
  maintenance: Resource['maintenance']
  path: Step[]
  path_omitted: number
}
