// Observations of one signal of a Resource, as judging reads them and as they are stored. Rules: docs/reference/v3.md, 4.1, 4.4 and 4.5.
export type ObservationState = 'ok' | 'problem' | 'no_data'

/** One Observation as judging knows it. */
export interface HeardObservation {
  /** Equal for a repeated Observation, which takes the place of the earlier one. */
  identity: string
  /** Microseconds since the epoch. */
  atUs: number
  /** Which of the Resource's Observations it is, in the order of arrival. */
  number: number
  state: ObservationState
  /** Null: the sender gave none, or the state is `no_data`. */
  value: number | null
  reason: string | null
}

/** The median of the numeric Observations before the newest one; null without any. */
export interface Baseline {
  samples: number
  median: number | null
}

export interface HeardSignal {
  /** Newest first; the first is the signal's reading. Never more than the signal's rules count, and at least one once it has reported. */
  recent: HeardObservation[]
  /** By the number of days, as of the newest Observation. */
  baselines: Readonly<Record<number, Baseline>>
}
