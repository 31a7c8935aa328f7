// Observations of one signal of a Resource, in the shape for judging and for the store. Rules: docs/reference/v3.md, 4.1, 4.4 and 4.5.
export type ObservationState = 'ok' | 'problem' | 'no_data'

/** One Observation in the shape for judging. */
export interface HeardObservation {
  /** Identity: a repeated Observation has the same identity and replaces the earlier Observation. */
  identity: string
  /** Microseconds since the epoch. */
  atUs: number
  /** Number of the Observation among those of its Resource, in the order of arrival. */
  number: number
  state: ObservationState
  /** Null: the sender sent no value, or the state is `no_data`. */
  value: number | null
  reason: string | null
}

/** Median of the numeric Observations before the newest one; null: there are none. */
export interface Baseline {
  samples: number
  median: number | null
}

export interface HeardSignal {
  /** Newest first; the first is the signal's reading. At most as many as the signal's rules count; not empty after the first report. */
  recent: HeardObservation[]
  /** Baselines by their number of days, computed at the newest Observation. */
  baselines: Readonly<Record<number, Baseline>>
}
