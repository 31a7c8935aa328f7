// The result of `explain_incident`.
import type { Evidence, Incident, Resource, Rule, Step } from './api-objects.ts'

/** Messages to one destination about one event with one outcome. */
export interface Notice {
  destination: string | null
  event: string
  reason: string | null
  /** Of the latest one. */
  at: string
  times: number
}

export interface Explanation {
  incident: Omit<Incident, 'history' | 'next' | 'path' | 'path_omitted'>
  /** As it is declared now; null: a custom subject of generation 2 has none, and one that is gone cannot be read. */
  rule: (Omit<Rule, 'help' | 'action'> & { template: string; help: string; meta: Record<string, unknown> }) | null
  /** Of the latest transition that recorded some. */
  evidence: ({ at: string; kind: string } & Evidence) | null
  next: Incident['next']
  told: Notice[]
  not_told: Notice[]
  /** Of those that were read. */
  deliveries_omitted: number
  /** Older ones than those that were read. */
  deliveries_older: boolean
  maintenance: Resource['maintenance']
  path: Step[]
  path_omitted: number
}
