// What judging answers, in every policy language.
import type { Evidence, Verdict } from '#shared/contracts/verdict.ts'

export interface Judgement {
  verdict: Verdict
  /** For a person, such as `1 of 3 locations failing`. */
  explanation: string
  evidence: Evidence
  /** The next instant at which time alone can change the result; null: only a report can. */
  nextAt: number | null
  /** Of a Template's rule alone: the first such instant that is still to come. `nextAt` stays behind while silence is held back. */
  laterAt?: number | null
  /** Of a Template's rule alone: whether any of its signals has reported. */
  isHeard?: boolean
  /** Of a Template's rule alone: quiet that is held back would change the result (v3 4.11). */
  isProvisional?: boolean
}

export function earliest(instants: readonly (number | null)[]): number | null {
  let first: number | null = null
  for (const instant of instants) if (instant !== null && (first === null || instant < first)) first = instant
  return first
}
