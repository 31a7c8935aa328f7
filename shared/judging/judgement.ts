// Result of judging, for all policy languages.
import type { Evidence, Verdict } from '#shared/contracts/subjects/verdict.ts'

export interface Judgement {
  verdict: Verdict
  /** A sentence for people, such as `1 of 3 locations failing`. */
  explanation: string
  evidence: Evidence
  /** Next instant at which time alone may change the result; null: only a report can. */
  nextAt: number | null
  /** First instant like `nextAt`, but in the future; only for a rule of a Template. While silence is held back, `nextAt` may be past. */
  laterAt?: number | null
  /** True if any signal of the rule has reported. Only for a rule of a Template. */
  isHeard?: boolean
  /** True if silence that is held back would change the result (v3 4.11). Only for a rule of a Template. */
  isProvisional?: boolean
}

export function earliest(instants: readonly (number | null)[]): number | null {
  let first: number | null = null
  for (const instant of instants) if (instant !== null && (first === null || instant < first)) first = instant
  return first
}
