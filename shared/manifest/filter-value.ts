// Value of a filter on a Template's field, parsed according to the type of the field. Pure. Reference: docs/reference/v3.md, 9.3.
import type { TemplateField } from '#shared/contracts/resources/template.ts'
import { isCredentialName } from '#shared/secrecy/credential-name.ts'
import { answerFault, type Bounded } from './answer-fault.ts'

/**
 * Returns the parsed value. If the field cannot be a filter, or cannot have this value, returns `fault`: the end of an error sentence.
 * `isRedacted`: the reader sees values in display form, and texts by the name of a credential not at all.
 */
export function readFilterValue(
  template: Bounded,
  field: TemplateField,
  text: string,
  isRedacted: boolean,
): string | number | boolean | { fault: string } {
  if (field.secret) return { fault: 'names a secret field, by which nothing is filtered' }
  if (field.type === 'text') return { fault: 'names a long text, by which nothing is filtered' }
  if (field.type.endsWith('_list')) return { fault: 'names a list, by which nothing is filtered' }
  const value = typed(field, text)
  if (isRedacted && typeof value === 'string' && isCredentialName(field.key))
    return { fault: 'names a field whose values are hidden from this key' }
  const fault = answerFault(template, field, value)
  return fault === null ? value : { fault }
}

/** Returns the parsed value. A text that is not a valid number or boolean stays a text, which the field then refuses. */
function typed({ type }: TemplateField, text: string): string | number | boolean {
  if (type === 'string' || type === 'enum' || type === 'url') return text
  if (type === 'boolean') return text === 'true' || (text === 'false' ? false : text)
  return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : text
}
