// The policy of a rule in the language of generation 2 (reference/custom-subjects 3.3) in its stored form: normalised, with slugs as cited
// and durations in ms. Every saved version is kept.
import { type Static, Type } from 'typebox'
import type { Stored } from '#shared/contracts/common.ts'
import { Nullable, Slug } from '#shared/contracts/common.ts'

const maxDurationMs = 365 * 24 * 3_600_000

/** One input of a rule. Exactly one of `signal` and `from` is set. An unset field is null. */
export const PolicyInput = Type.Object({
  signal: Nullable(Slug),
  from: Nullable(Slug),
  /** Null only on a `from` input. */
  mode: Nullable(Type.Enum(['status', 'latest_value'])),
  compare: Nullable(Type.Enum(['<', '>'])),
  threshold: Nullable(Type.Number()),
  /** Labels that an observation must all have with these values; `*` means any value. Null selects all observations of the signal. */
  match: Nullable(Type.Record(Type.String({ minLength: 1, maxLength: 64 }), Type.String({ maxLength: 256 }))),
  /** Null: the default, three intervals for the signal of a website check, 5 minutes for a heartbeat. An event is never silent. */
  noDataAfterMs: Nullable(Type.Integer({ minimum: 1, maximum: maxDurationMs })),
})
export type PolicyInput = Static<typeof PolicyInput>

export const Policy = Type.Object({
  inputs: Type.Array(PolicyInput, { maxItems: 64 }),
  need: Type.Enum(['any', 'majority', 'all', 'at_least']),
  /** Null unless `need` is `at_least`; then 1 to the number of inputs. */
  atLeast: Nullable(Type.Integer({ minimum: 1 })),
  confirmAfterMs: Type.Integer({ minimum: 0, maximum: maxDurationMs }),
  closeAfterMs: Type.Integer({ minimum: 0, maximum: maxDurationMs }),
})
export type Policy = Static<typeof Policy>

/** The language that defines the problems of a rule. */
export type RulePolicy =
  /** The built-in rule of website monitors; it follows from the check. */
  | { language: 'reachability' }
  /** Rules of generation 2. */
  | { language: 'inputs'; document: Policy }
  /** Rules of generation 3: the Resource's Template contains the decision, under the key of the rule. */
  | { language: 'decision' }

/** Returns the inputs of a rule of generation 2; an empty list for other languages. */
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
