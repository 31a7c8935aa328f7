// Tags of a subject: what lists of Resources are filtered by, each as one text. Its keeper stores them, the directory finds by them. Pure.
// Rules: docs/reference/v3.md, 9.2 to 9.4.
import type { SubjectDocument } from '#shared/contracts/subject.ts'
import type { Answer, Answers } from '#shared/contracts/template.ts'
import { websiteAnswers } from '#shared/manifest/website-answers.ts'
import { websiteCheck } from '#shared/manifest/website-check.ts'

/** The members of a subject that its tags are made from. */
export type Tagged = Pick<SubjectDocument, 'template' | 'check' | 'templated' | 'labels' | 'archivedAt' | 'deletedAt'>

/** All of them, each once; none of a deleted subject. */
export function tagsOf({ template, check, templated, labels, archivedAt, deletedAt }: Tagged): string[] {
  if (deletedAt !== null) return []
  const tags = [stateTag(archivedAt === null ? 'active' : 'archived')]
  if (template !== null) {
    const [key = ''] = template.split('@', 1)
    tags.push(templateTag(key), templateTag(template))
    const answers = check === null ? (templated?.answers ?? {}) : publicAnswers(websiteAnswers(check))
    for (const [field, value] of Object.entries(answers)) if (isSingle(value)) tags.push(answerTag(key, field, value))
  }
  for (const [key, value] of Object.entries(labels)) tags.push(labelTag(key, value))
  return tags
}

/** Whether both have the same tags because all that these are made from is the same; cheap, and may be wrong with no. */
export const isTaggedAlike = (one: Tagged, other: Tagged): boolean =>
  one.labels === other.labels &&
  one.check === other.check &&
  one.templated?.answers === other.templated?.answers &&
  one.template === other.template &&
  one.archivedAt === other.archivedAt &&
  one.deletedAt === other.deletedAt

export const stateTag = (state: 'active' | 'archived'): string => `state ${state}`

/** `reference`: a key, which all of its revisions have, or `key@version`. */
export const templateTag = (reference: string): string => `template ${reference}`

/** Numbers that are equal have one tag, however they were written; a number and the text of its digits have two. */
export const answerTag = (templateKey: string, field: string, value: SingleAnswer): string =>
  `meta ${templateKey}.${field}=${JSON.stringify(value)}`

export const labelTag = (key: string, value: string): string => `label ${key}=${value}`

export type SingleAnswer = string | number | boolean

const isSingle = (value: Answer): value is SingleAnswer => !Array.isArray(value)

const publicAnswers = (answers: Answers): Answers =>
  Object.fromEntries(Object.entries(answers).filter(([key]) => !secretFields.has(key)))

const secretFields = new Set(websiteCheck.fields.filter(({ secret }) => secret).map(({ key }) => key))
