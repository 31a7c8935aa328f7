// Fields of a Resource that a message may carry. Pure. Reference: docs/reference/v3.md, 10.9.
import { isCredentialName } from './credential-name.ts'
import { redactedText } from './redacted-text.ts'

/**
 * Returns the members with a single value, texts in display form. Leaves out and counts lists, members in `secret`, and texts whose name
 * marks a credential.
 */
export function messageFields(
  members: Readonly<Record<string, unknown>>,
  secret: (key: string) => boolean,
): { fields: Record<string, unknown>; fieldsOmitted: number } {
  const all = Object.entries(members)
  const isLeftOut = ([key, value]: [string, unknown]) =>
    Array.isArray(value) || secret(key) || (typeof value === 'string' && isCredentialName(key))
  const kept = all.filter(member => !isLeftOut(member))
  const shown = kept.map(([key, value]) => [key, typeof value === 'string' ? redactedText(value) : value])
  return { fields: Object.fromEntries(shown), fieldsOmitted: all.length - kept.length }
}
