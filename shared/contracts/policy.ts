// The policy of a rule in generation 2's language (spec B, Rule; D 1, Policies as answered), as it is stored: normalised, slugs as
// they were cited, durations in ms. Every saved version is kept.
import { type Static, Type } from 'typebox'
import type { Stored } from '#shared/contracts/common.ts'
import { Nullable, Slug } from '#shared/contracts/common.ts'

const maxDurationMs = 365 * 24 * 3_600_000

/** Exactly one of `signal` and `from` is set. Unset is null everywhere. */
export const PolicyInput = Type.Object({
  signal: Nullable(Slug),
  from: Nullable(Slug),
  /** Null on a `from` input alone. */
  mode: Nullable(Type.Enum(['status', 'latest_value'])),
  compare: Nullable(Type.Enum(['<', '>'])),
  threshold: Nullable(Type.Number()),
  /** Label equality, AND-ed; `*` means present with any value. Null selects the whole signal. */
  match: Nullable(Type.Record(Type.String({ minLength: 1, maxLength: 64 }), Type.String({ maxLength: 256 }))),
  /** Null derives it: three intervals of the platform's signal, 5 minutes of a heartbeat; never of an event. */
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

/** In which language a rule says when it is broken. */
export type RulePolicy =
  /** Website monitoring's own rule: it follows from what is checked. */
  | { language: 'reachability' }
  /** Generation 2's rules. */
  | { language: 'inputs'; document: Policy }
  /** Generation 3's: the decision stands in the Resource's Template, under the rule's key. */
  | { language: 'decision' }

/** The inputs that a rule reads in generation 2's language; none in another. */
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
