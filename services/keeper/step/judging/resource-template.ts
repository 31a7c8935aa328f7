// Template of a Resource in a step: the declaration of a rule, and the fault of an unusable revision (v3 4.12). Pure.

import type { TemplateRule } from '#shared/contracts/resources/template.ts'
import type { RuleState, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import type { Judgement } from '#shared/judging/judgement.ts'
import { notJudged, type RevisionFault } from '#shared/subjects/stored-revisions.ts'
import type { TemplateOf } from '../types.ts'

/** Returns the rule as the Template declares it; null: the rule is in another language. Throws if the Template lacks the rule. */
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

/** Error for an operator: the revision is missing or damaged. Its message names the Template and the Resource. */
export class UnusableTemplate extends Error {
  readonly fault: RevisionFault

  constructor({ slug, template }: Pick<SubjectDocument, 'slug' | 'template'>, fault: RevisionFault) {
    super(`Template ${template} is ${fault}, so its Resource ${slug} cannot be judged`)
    this.name = 'UnusableTemplate'
    this.fault = fault
  }
}

/** Returns why the subject's Template cannot judge; null: the Template can judge, or the subject has none. */
export function templateFault(
  subject: Parameters<TemplateOf>[0] & Pick<SubjectDocument, 'kind'>,
  templateOf: TemplateOf,
): RevisionFault | null {
  if (subject.kind !== 'template') return null
  try {
    templateOf(subject)
    return null
  } catch (error) {
    if (error instanceof UnusableTemplate) return error.fault
    throw error
  }
}

/** Returns the judgement of a rule whose Template is missing or damaged: `not_judged`, which does not change as time passes. */
export const unjudged = ({ template }: SubjectDocument, fault: RevisionFault): Judgement => ({
  verdict: 'not_judged',
  explanation: notJudged(template, fault),
  evidence: { inputs: [], omitted: 0, truncated: false },
  nextAt: null,
  isHeard: true,
})
