// Value of a filter by a field, parsed by the field's type. Pure. Rule: docs/reference/v3.md, 9.3.
import type { TemplateField } from '#shared/contracts/resources/template.ts'
import { faultOf } from './read-field.ts'
import { faultOfWebsiteAnswer } from './website-answers.ts'
import { systemTemplates } from './website-check.ts'

/** Returns the value, or as `fault` the end of a sentence: the field cannot be filtered by, or cannot have this value. */
export function readFilterValue(
  templateKey: string,
  field: TemplateField,
  text: string,
): string | number | boolean | { fault: string } {
  if (field.secret) return { fault: 'names a secret field, by which nothing is filtered' }
  if (field.type.endsWith('_list')) return { fault: 'names a list, by which nothing is filtered' }
  const value = typed(field, text)
  const isSystem = Object.hasOwn(systemTemplates, templateKey)
  const fault = isSystem ? faultOfWebsiteAnswer(field, value) : faultOf(field, value)
  return fault === null ? value : { fault }
}

/** Returns the parsed value. A text that is not a valid number or boolean stays a text, which the field then refuses. */
function typed({ type }: TemplateField, text: string): string | number | boolean {
  if (type === 'string' || type === 'enum' || type === 'url') return text
  if (type === 'boolean') return text === 'true' || (text === 'false' ? false : text)
  return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : text
}
