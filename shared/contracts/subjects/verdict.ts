// Terms of judging: the readings of inputs, the verdicts of rules, and their evidence.

/** Verdict of a rule; `not_judged` changes no incident (reference/judging 1.6). */
export type Verdict = 'problem' | 'ok' | 'no_data' | 'not_judged'

/** The verdicts that are events of an incident. */
export type Condition = 'problem' | 'ok' | 'no_data'

/** true: problem, false: ok. */
export type ReadingValue = true | false | 'unknown'

export interface EvidenceInput {
  /** Key of the input; for a website monitor the location id. */
  input: string
  value: 'problem' | 'ok' | 'unknown'
  /** Instant of the reading; null: the input has never reported. */
  at: number | null
  /** Error of the check, or the reason why the input is unknown; null: ok. */
  reason: string | null
  /** Evidence of the comparison; only for a rule of a Template. */
  reading?: DecisionInput
}

/** Evidence of one comparison of a Template's rule: either `unresolved`, or `status` with its value, instant and reason (v3 4.10). */
export interface DecisionInput {
  signal: string
  status?: 'ok' | 'problem'
  value?: number
  /** Microseconds since the epoch. */
  atUs?: number
  reason?: string
  unresolved?: string
  counted?: { matching: number; required: number; within_seconds: number }
  baseline?: { days: number; required: number; samples: number; median: number | null }
}

/** Evidence of a judgement: one reading for each declared input, up to a bound. */
export interface Evidence<Input = EvidenceInput> {
  inputs: Input[]
  omitted: number
  truncated: boolean
}
