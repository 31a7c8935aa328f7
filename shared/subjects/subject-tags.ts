// Tags of a subject: one text for each property by which lists of Resources are filtered. The keeper stores tags; the directory finds
// Resources by tags. Pure. Reference: docs/reference/v3.md, 9.2 to 9.4.

import { publicCheckAnswers } from '#shared/checks/check-answers.ts'
import type { TemplateAnswer } from '#shared/contracts/resources/template.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { isSealed } from '#shared/secrecy/sealed-form.ts'

/** Fields of a subject that decide its tags. */
export type Tagged = Pick<SubjectDocument, 'template' | 'check' | 'templated' | 'labels' | 'archivedAt' | 'deletedAt'>

/** Returns all tags of a subject, without repetition; none for a deleted subject. */
export function tagsOf({ template, check, templated, labels, archivedAt, deletedAt }: Tagged): string[] {
  if (deletedAt !== null) return []
  const tags = [stateTag(archivedAt === null ? 'active' : 'archived')]
  if (template !== null) {
    const [key = ''] = template.split('@', 1)
    tags.push(templateTag(key), templateTag(template))
    const answers = check === null ? (templated?.answers ?? {}) : publicCheckAnswers(check)
    for (const [field, value] of Object.entries(answers)) if (isSingle(value)) tags.push(answerTag(key, field, value))
  }
  for (const [key, value] of Object.entries(labels)) tags.push(labelTag(key, value))
  return tags
}

/**
 * Returns true if both subjects certainly have the same tags; false: the tags may still be the same. Compares only object references, which
 * is cheap.
 */
export const isTaggedAlike = (one: Tagged, other: Tagged): boolean =>
  one.labels === other.labels &&
  one.check === other.check &&
  one.templated?.answers === other.templated?.answers &&
  one.template === other.template &&
  one.archivedAt === other.archivedAt &&
  one.deletedAt === other.deletedAt

export const stateTag = (state: 'active' | 'archived'): string => `state ${state}`

/** Returns the tag of a Template. `reference`: `key@version`, or a key for all revisions of the Template. */
export const templateTag = (reference: string): string => `template ${reference}`

/**
 * Returns the tag of an answer. Equal numbers have the same tag, however they are written. A number and the text of its digits have
 * different tags.
 */
export const answerTag = (templateKey: string, field: string, value: SingleAnswer): string =>
  `meta ${templateKey}.${field}=${JSON.stringify(value)}`

export const labelTag = (key: string, value: string): string => `label ${key}=${value}`

export type SingleAnswer = string | number | boolean

/** Longest text by which lists are filtered: an address. */
const longest = 2_048

function isSingle(value: TemplateAnswer): value is SingleAnswer {
  if (typeof value !== 'string') return !Array.isArray(value)
  return value.length <= longest && !isSealed(value)
}
