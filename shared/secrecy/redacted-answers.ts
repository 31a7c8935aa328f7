// Display form of answers to the fields of a Template, and of their defaults. The declaration of a field decides first: a secret field, a
// URL. The name of the field decides about all other texts. Pure. Reference: docs/reference/v3.md, 11.2.
import type { TemplateAnswer, TemplateField } from '#shared/contracts/resources/template.ts'
import { redactedUrl } from './redacted-text.ts'
import { hidden, redactedNamed } from './redacted-value.ts'

type Declared = Pick<TemplateField, 'key' | 'type' | 'secret'>

/** Returns the display form of answers. An answer to a field that is not in `fields` is shown by its name. */
export function redactedAnswers(
  fields: readonly Declared[],
  answers: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const declared = new Map(fields.map(field => [field.key, field]))
  return Object.fromEntries(
    Object.entries(answers).map(([key, value]) => {
      const field = declared.get(key)
      return [key, field === undefined ? redactedNamed(key, value) : redactedAnswer(field, value as TemplateAnswer)]
    }),
  )
}

/** Returns the display form of an answer or a default. A secret becomes `[redacted]`; a value that is null or empty stays. */
export function redactedAnswer({ key, type, secret }: Declared, value: TemplateAnswer | null): TemplateAnswer | null {
  if (value === null) return null
  if (secret) return isEmpty(value) ? value : hidden
  return type === 'url' && typeof value === 'string' ? redactedUrl(value) : redactedNamed(key, value)
}

const isEmpty = (value: TemplateAnswer): boolean => (typeof value === 'string' || Array.isArray(value)) && value.length === 0
