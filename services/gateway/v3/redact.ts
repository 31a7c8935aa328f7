// Redaction of answers and defaults for callers with few rights. The declared types of the fields decide which values are redacted. Only
// system Templates declare secrets and URLs. Reference: docs/reference/v3.md, 11.2.
import type { Identity } from '#shared/contracts/ask/ask.ts'
import type { Answer, TemplateField } from '#shared/contracts/resources/template.ts'
import { redactedUrl } from '#shared/text/redaction.ts'
import { roleIn } from '../callers/access.ts'

/** Whether values of a workspace are redacted for a caller. The values are redacted for a scoped key and for a viewer. */
export const isRedactedIn = (workspaceId: string, { scope, memberships }: Identity): boolean =>
  scope !== null || roleIn({ memberships }, workspaceId) === 'viewer'

/**
 * Whether values that belong to no workspace are redacted for a caller. A full key of an editor or owner of at least one workspace reads
 * them unredacted.
 */
export const isRedactedAnywhere = ({ scope, memberships }: Identity): boolean =>
  scope !== null || memberships.every(({ role }) => role === 'viewer')

type Declared = Pick<TemplateField, 'key' | 'type' | 'secret'>

/** Returns the redacted answers. Answers to undeclared fields stay unchanged. */
export function redactedAnswers(
  fields: readonly Declared[],
  answers: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const shown = { ...answers }
  for (const field of fields)
    if (Object.hasOwn(shown, field.key)) shown[field.key] = redactedAnswer(field, shown[field.key] as Answer)
  return shown
}

/** Redacts an answer or a default. A secret becomes `[redacted]`, a URL loses its credentials, null stays null. */
export function redactedAnswer({ type, secret }: Declared, value: Answer | null): Answer | null {
  if (value === null) return null
  if (secret) return isEmpty(value) ? value : '[redacted]'
  return type === 'url' && typeof value === 'string' ? redactedUrl(value) : value
}

const isEmpty = (value: Answer): boolean => (typeof value === 'string' || Array.isArray(value)) && value.length === 0
