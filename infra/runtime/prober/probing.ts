// A prober as its place in the process sees it, wherever it runs.
import type { Service } from '#shared/service.ts'

/** Content of a registry as JSON, so that the figures of several threads can be added up. */
export type MetricsJson = readonly { name: string; type: unknown }[]

export interface Probing extends Service {
  /** The checks that its monitors ask for, a second. */
  checksPerSecond(): number
  metrics(): Promise<MetricsJson>
}

export interface ProbingApart extends Probing {
  /** Resolves with why when it ended, whether it was stopped or not. */
  readonly ended: Promise<string>
}
