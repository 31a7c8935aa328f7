// The words of judging: what an input reads, what a rule says, and the evidence it says it from.

/** A rule's verdict; `not_judged` opens, confirms, recovers and closes nothing (spec D 1). */
export type Verdict = 'problem' | 'ok' | 'no_data' | 'not_judged'

/** The verdicts that an incident hears of. */
export type Condition = 'problem' | 'ok' | 'no_data'

/** true: problem. */
export type ReadingValue = true | false | 'unknown'

export interface EvidenceInput {
  /** The input's key: for a website the location id. */
  input: string
  value: 'problem' | 'ok' | 'unknown'
  /** When the reading was observed; null: never. */
  at: number | null
  /** The check's own error, or why the input is unknown; null when ok. */
  reason: string | null
  /** Of a Template's rule alone: what its comparison was decided from. */
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

/** What a judgement was decided from: one reading per declared input, bounded. */
export interface Evidence {
  inputs: EvidenceInput[]
  omitted: number
  truncated: boolean
}
