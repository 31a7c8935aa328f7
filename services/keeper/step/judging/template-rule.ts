// The words of a Resource's rule in its Template. Pure.

import type { TemplateRule } from '#shared/contracts/resources/template.ts'
import type { RuleState, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import type { TemplateOf } from '../types.ts'

/** Returns the rule as the Resource's Template declares it; null: a rule in another language. Throws if the Template lacks the rule. */
export function templateRuleOf(
  subject: SubjectDocument,
  { key, policy }: RuleState,
  templateOf: TemplateOf,
): TemplateRule | null {
  if (policy.language !== 'decision') return null
  const declared = templateOf(subject).rules.find(candidate => candidate.key === key)
  if (declared === undefined) throw new Error(`subject ${subject.id} has a rule that its Template does not declare`)
  return declared
}
