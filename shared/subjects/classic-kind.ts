// How generations 1 and 2 know a subject. A browser loads it too.
import { isWebsiteTemplate } from '#shared/checks/website/website-template.ts'
import type { SubjectKind } from '#shared/contracts/subjects/subject-kind.ts'

/** Returns true if generations 1 and 2 show the subject: a website monitor, or a custom subject (reference/custom-subjects 1.1). */
export const isOfGenerations1And2 = ({ template }: { template: string | null }): boolean =>
  template === null || isWebsiteTemplate(template)

/** Returns the subject's kind for generations 1 and 2. They show no subject of the kind `template`, such as one with another check. */
export const classicKind = (kind: SubjectKind, subject: { template: string | null }): SubjectKind =>
  isOfGenerations1And2(subject) ? kind : 'template'
