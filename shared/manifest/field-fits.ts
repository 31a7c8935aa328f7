// Which fields of a Template an option of a check may read. Pure. Reference: docs/reference/v3.md, 3.21.
import type { CheckField } from '#shared/checks/check-field.ts'
import type { FieldType, TemplateField } from '#shared/contracts/resources/template.ts'

/**
 * Returns null if the option may read the field; otherwise what it takes, for a sentence. A URL is read from a `url` alone, and a secret stands
 * only in options that hide it, because redaction follows the type.
 */
export function takesField(option: CheckField, field: TemplateField): string | null {
  const types = typesTaken(option)
  if (!types.includes(field.type)) return `a field of the type ${types.join(' or ')}`
  if (option.type !== 'enum' || field.options.every(one => option.options.includes(one))) return null
  return `an enum of ${option.options.join(', ')}`
}

/** Returns the types of the fields that the option may read; that of the option, or else the most usual one, is first. */
export function typesTaken({ type, form, mayBePlain }: CheckField): readonly FieldType[] {
  if (mayBePlain) return [type, 'text', 'string']
  if (type === 'string') return form === 'endpoint' ? ['string', 'enum', 'url'] : ['string', 'enum']
  if (type === 'text') return ['text', 'string']
  if (type === 'integer') return ['integer', 'duration', 'duration_seconds']
  return type === 'number' ? ['number', 'integer', 'duration', 'duration_seconds'] : [type]
}
