// A Template revision that nothing can be judged by: it is missing or damaged. Rule: docs/reference/v3.md, 4.12. Pure.
import type { SubjectDocument } from '#shared/contracts/subject.ts'
import type { Judgement } from '#shared/judging/judgement.ts'
import { notJudged, type RevisionFault } from '#shared/stored-revisions.ts'
import type { TemplateOf } from './types.ts'

/** Its message names the Template and the Resource: an operator reads it. */
export class UnusableTemplate extends Error {
  readonly fault: RevisionFault

  constructor({ slug, template }: Pick<SubjectDocument, 'slug' | 'template'>, fault: RevisionFault) {
    super(`Template ${template} is ${fault}, so its Resource ${slug} cannot be judged`)
    this.name = 'UnusableTemplate'
    this.fault = fault
  }
}

/** Why nothing is judged by the subject's Template; null if it can be, or there is none. */
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

/** A rule of such a Template: neither a verdict nor an instant at which time alone changes it. */
export const unjudged = ({ template }: SubjectDocument, fault: RevisionFault): Judgement => ({
  verdict: 'not_judged',
  explanation: notJudged(template, fault),
  evidence: { inputs: [], omitted: 0, truncated: false },
  nextAt: null,
  isHeard: true,
})
