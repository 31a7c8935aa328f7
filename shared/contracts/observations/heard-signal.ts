// Observations of one signal of a Resource, in the form in which rules read them and the store keeps them. Reference: docs/reference/v3.md,
// 4.1, 4.4 and 4.5.
export type ObservationState = 'ok' | 'problem' | 'no_data'

/** One Observation as rules read it. */
export interface HeardObservation {
  /** Identity of the Observation. If a sender repeats an Observation, the repetition has the same identity and replaces the earlier one. */
  identity: string
  /** Instant of the Observation, microseconds since the epoch. */
  atUs: number
  /** Number of the Observation among all Observations of its Resource, in the order of arrival. */
  number: number
  state: ObservationState
  /** Value of the Observation. Null: the sender sent no value, or the state is `no_data`. */
  value: number | null
  reason: string | null
}

/** Median of the numeric Observations before the newest one; null: there are no such Observations. */
export interface Baseline {
  samples: number
  median: number | null
}

export interface HeardSignal {
  /**
   * Recent Observations, newest first. The newest Observation is the signal's reading. The list contains only as many Observations as the
   * rules of the signal need. After the first report, the list contains at least one Observation.
   */
  recent: HeardObservation[]
  /** Baselines by number of days, as computed when the newest Observation arrived. */
  baselines: Readonly<Record<number, Baseline>>
}
