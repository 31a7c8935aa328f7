// Terms of judging: the readings of inputs, the verdicts of rules, and their evidence.

/** Verdict of a rule. A verdict `not_judged` changes no incident (reference/judging 1.6). */
export type Verdict = 'problem' | 'ok' | 'no_data' | 'not_judged'

/** The verdicts that an incident's machine receives as events. */
export type Condition = 'problem' | 'ok' | 'no_data'

/** Reading of an input. `true`: problem. `false`: ok. `unknown`: it is not known whether the input has a problem. */
export type ReadingValue = true | false | 'unknown'

export interface EvidenceInput {
  /** Key of the input. For the built-in rule of a website monitor: the id of the location. */
  input: string
  value: 'problem' | 'ok' | 'unknown'
  /** Instant of the reading; null: the input has never reported. */
  at: number | null
  /** Error of the check, or the reason why the reading is unknown; null: the reading is ok. */
  reason: string | null
  /** Evidence of the comparison that reads the input; set only for a rule of a Template. */
  reading?: DecisionInput
}

/** Evidence of one comparison of a Template's rule (v3 4.10). Either `unresolved` is set, or `status` with value, instant and reason. */
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

/** Evidence of a judgement. It contains the readings of the rule's inputs, up to a bound. */
export interface Evidence<Input = EvidenceInput> {
  inputs: Input[]
  omitted: number
  truncated: boolean
}
