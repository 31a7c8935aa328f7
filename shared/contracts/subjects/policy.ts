// Stored form of the policy of a rule of generation 2 (reference/custom-subjects 3.3). The policy is normalised: slugs stay as the author
// wrote them, and durations are in ms. Every saved version is kept.
import { type Static, Type } from 'typebox'
import type { Stored } from '#shared/contracts/common.ts'
import { Nullable, Slug } from '#shared/contracts/common.ts'

const maxDurationMs = 365 * 24 * 3_600_000

/** One input of a rule. Exactly one of `signal` and `from` is set. An unset field is null. */
export const PolicyInput = Type.Object({
  signal: Nullable(Slug),
  from: Nullable(Slug),
  /** Mode of the input; null only if `from` is set. */
  mode: Nullable(Type.Enum(['status', 'latest_value'])),
  compare: Nullable(Type.Enum(['<', '>'])),
  threshold: Nullable(Type.Number()),
  /**
   * Labels by which the input selects observations. An observation must have all these labels with these values; `*` means any value. Null
   * selects all observations of the signal.
   */
  match: Nullable(Type.Record(Type.String({ minLength: 1, maxLength: 64 }), Type.String({ maxLength: 256 }))),
  /**
   * Time without a report after which the input has no data, ms. Null: the default, which is three intervals for the signal of a website
   * check, and 5 minutes for a heartbeat. An event signal is never silent.
   */
  noDataAfterMs: Nullable(Type.Integer({ minimum: 1, maximum: maxDurationMs })),
})
export type PolicyInput = Static<typeof PolicyInput>

export const Policy = Type.Object({
  inputs: Type.Array(PolicyInput, { maxItems: 64 }),
  need: Type.Enum(['any', 'majority', 'all', 'at_least']),
  /** If `need` is `at_least`: a number from 1 to the number of inputs. Else null. */
  atLeast: Nullable(Type.Integer({ minimum: 1 })),
  confirmAfterMs: Type.Integer({ minimum: 0, maximum: maxDurationMs }),
  closeAfterMs: Type.Integer({ minimum: 0, maximum: maxDurationMs }),
})
export type Policy = Static<typeof Policy>

/** Language in which the conditions of a rule are written. */
export type RulePolicy =
  /** The built-in rule of website monitors. Its conditions follow from the check. */
  | { language: 'reachability' }
  /** Rules of generation 2. */
  | { language: 'inputs'; document: Policy }
  /** Rules of generation 3. The decision of the rule is in the Resource's Template, under the key of the rule. */
  | { language: 'decision' }

/** Returns the inputs of a rule of generation 2; an empty list for a rule of generation 3, which is written in another language. */
export const inputsOf = (policy: RulePolicy): readonly PolicyInput[] =>
  policy.language === 'inputs' ? policy.document.inputs : []

/** One saved version of a rule's policy. id: `<subject>.<rule key>.<version>`. Never changed. */
export interface PolicyDocument extends Stored {
  subjectId: string
  ruleKey: string
  ruleSlug: string
  version: number
  savedAt: number
  policy: Policy
}
