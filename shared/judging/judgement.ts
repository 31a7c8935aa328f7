// Result of the judgement of any rule: of a website monitor, of generation 2, or of a Template.
import type { Evidence, Verdict } from '#shared/contracts/subjects/verdict.ts'
import type { CountedChanges } from './count-changes.ts'

export interface Judgement {
  verdict: Verdict
  /** A sentence for people, such as `1 of 3 locations failing`. */
  explanation: string
  evidence: Evidence
  /** First instant at which time alone may change the result; null: only a report can change it. */
  nextAt: number | null
  /**
   * Like `nextAt`, but after the instant of the judgement: `nextAt` may have passed while silence does not count. Only for a rule of a
   * Template.
   */
  laterAt?: number | null
  /** True if any signal of the rule has reported. Only for a rule of a Template. */
  isHeard?: boolean
  /** True if silence does not count yet, and the result would differ if silence counted (v3 4.11). Only for a rule of a Template. */
  isProvisional?: boolean
  /** Changes of the result up to this judgement, which counts too. Only for a rule that counts changes (v3 4.14). */
  flapping?: CountedChanges
}

export function earliest(instants: readonly (number | null)[]): number | null {
  let first: number | null = null
  for (const instant of instants) if (instant !== null && (first === null || instant < first)) first = instant
  return first
}
