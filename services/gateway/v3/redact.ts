// Answers and defaults as their reader may see them, by the declared types of their fields. Published Templates declare neither secrets nor
// URLs, system Templates do. Rule: docs/reference/v3.md, 11.2.
import type { Identity } from '#shared/contracts/ask.ts'
import type { Answer, TemplateField } from '#shared/contracts/template.ts'
import { redactedUrl } from '#shared/redaction.ts'
import { roleIn } from '../access.ts'

/** Whether what is read in a workspace is redacted: with a scoped key, and for a viewer. */
export const isRedactedIn = (workspaceId: string, { scope, memberships }: Identity): boolean =>
  scope !== null || roleIn({ memberships }, workspaceId) === 'viewer'

/** The same of what belongs to no workspace: read in full by those who may write in one. */
export const isRedactedAnywhere = ({ scope, memberships }: Identity): boolean =>
  scope !== null || memberships.every(({ role }) => role === 'viewer')

type Declared = Pick<TemplateField, 'key' | 'type' | 'secret'>

/** Answers to fields that are not declared stay as they are. */
export function redactedAnswers(
  fields: readonly Declared[],
  answers: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const shown = { ...answers }
  for (const field of fields)
    if (Object.hasOwn(shown, field.key)) shown[field.key] = redactedAnswer(field, shown[field.key] as Answer)
  return shown
}

/** An answer or a default: `[redacted]` of a secret that has a value, a URL without credentials; null is null. */
export function redactedAnswer({ type, secret }: Declared, value: Answer | null): Answer | null {
  if (value === null) return null
  if (secret) return isEmpty(value) ? value : '[redacted]'
  return type === 'url' && typeof value === 'string' ? redactedUrl(value) : value
}

const isEmpty = (value: Answer): boolean => (typeof value === 'string' || Array.isArray(value)) && value.length === 0
