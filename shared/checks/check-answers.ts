// Answers to a system Template with a check, and the stored check that they make. Pure. Reference: docs/reference/v3.md, 3.10.

import type { Answers } from '#shared/contracts/resources/template.ts'
import { intervalMs, type StoredCheck } from '#shared/contracts/subjects/check.ts'
import { missing } from '#shared/json-shape/first-refusal.ts'
import { minute } from '#shared/limits/limits.ts'
import { ManifestRefusal, refuse } from '#shared/manifest/manifest-refusal.ts'
import { hidden } from '#shared/secrecy/redacted-value.ts'
import type { CheckField } from './check-field.ts'
import type { CheckKind } from './check-kind.ts'
import { faultOf } from './field-values.ts'
import { fieldsOf, findKind, kindMember, kindOf } from './registry.ts'
import { defaultDelay, intervalValue, isDelay } from './watch-fields.ts'

/**
 * Returns the check in `present` (null for a new monitor). Answers in `sent` replace those in `present`. A field sent as null gets its
 * default again. Throws ManifestRefusal with the key of the first faulty field: unknown fields first, then the fields in the order of the
 * Template, then answers that do not fit each other. The caller checks that the locations exist.
 */
export function readCheckAnswers(
  kind: CheckKind,
  sent: Readonly<Record<string, unknown>>,
  present: StoredCheck | null,
): StoredCheck {
  const fields = fieldsOf(kind)
  const unknown = Object.keys(sent).find(key => !fields.some(field => field.key === key))
  if (unknown !== undefined) throw refuse(unknown, `The Template declares no field '${unknown}'`)
  const read: Record<string, unknown> = {}
  for (const field of fields) {
    const { key, default: usual } = field
    const stored = present?.[key] ?? null
    const isSent = Object.hasOwn(sent, key) && !(field.type === 'secret' && sent[key] === hidden)
    if (!isSent && Object.hasOwn(sent, key) && !stored) throw refuse(key, `Field '${key}' has no stored secret to keep: send it`)
    const value = isSent ? (sent[key] ?? usual) : (stored ?? usual)
    if (value === null || value === undefined) throw new ManifestRefusal(missing(key))
    const fault = faultOf(field, value)
    if (fault !== null) throw refuse(key, `Field '${key}' ${fault}`)
    // A delay that nobody named is stored as null and follows the installation's setting.
    const named = isSent ? (sent[key] ?? null) : stored
    read[key] = isDelay(key) && named === null ? null : value
  }
  const refused = kind.refuse?.(read) ?? null
  if (refused !== null) throw refuse(refused.key, `Field '${refused.key}' ${refused.fault}`)
  const check = { ...kindMember(kind), ...read } as StoredCheck
  const { max } = intervalValue
  if (intervalMs(check) > max * minute) throw refuse(intervalValue.key, `The interval must not be longer than ${max} minutes`)
  if (present !== null) demandSameAim(kind, sent, present, check)
  return { ...check, locations: [...new Set(check.locations)] }
}

/** Throws ManifestRefusal of a stored secret that is not sent again although it would go elsewhere, or be guarded less. */
function demandSameAim(kind: CheckKind, sent: Readonly<Record<string, unknown>>, present: StoredCheck, check: StoredCheck): void {
  if (kind.aim === undefined || kind.aim(present) === kind.aim(check)) return
  const kept = kind.fields.find(({ key, type }) => type === 'secret' && check[key] && (sent[key] ?? hidden) === hidden)
  if (kept !== undefined) {
    throw refuse(kept.key, `Field '${kept.key}' must be sent again, because the check goes elsewhere now, or is guarded less`)
  }
}

/** Returns the answers with the texts of secret fields sealed. A text that is empty or `[redacted]` stays. Throws what `seal` throws. */
export function withSealed<Field extends Pick<CheckField, 'key' | 'type'>>(
  fields: readonly Field[],
  answers: Readonly<Record<string, unknown>>,
  seal: (field: Field, text: string) => string,
): Record<string, unknown> {
  const secrets = fields.filter(({ key, type }) => type === 'secret' && typeof answers[key] === 'string')
  const sealed = secrets.flatMap(field => {
    const text = answers[field.key] as string
    return text === '' || text === hidden ? [] : [[field.key, seal(field, text)] as const]
  })
  return { ...answers, ...Object.fromEntries(sealed) }
}

/** Whether the check is of a known kind and its answers fit its fields. A command from the bus may have any. */
export function isKnownCheck(check: { readonly [field: string]: unknown; kind?: string | undefined }): boolean {
  const kind = findKind(check)
  if (kind === null) return false
  const answerTo = ({ key, isLater, default: usual }: CheckField) => check[key] ?? (isLater ? usual : null)
  return kind.fields.every(field => faultOf(field, answerTo(field)) === null) && !kind.refuse?.(check)
}

/** Delays of the installation, for monitors that name none, in seconds. */
export interface UsualDelays {
  confirmAfter: number
  recoverAfter: number
}

const usualDelays: UsualDelays = { confirmAfter: defaultDelay, recoverAfter: defaultDelay }

/** Returns a monitor's check as answers to its Template, with the delays in force. `usual` absent: the Template's defaults. */
export const checkAnswers = (check: StoredCheck, usual = usualDelays): Answers => ({
  ...withLater(check),
  confirm_after: check.confirm_after ?? usual.confirmAfter,
  recover_after: check.recover_after ?? usual.recoverAfter,
})

/** Returns a monitor's check as answers to its Template, without a delay that nobody named. */
export const namedCheckAnswers = (check: StoredCheck): Answers =>
  Object.fromEntries(Object.entries(withLater(check)).filter(([, value]) => value !== null)) as Answers

/** Returns the answers by which lists are filtered: without those to secret fields, and without long texts. */
export function publicCheckAnswers(check: StoredCheck): Answers {
  const hidden = new Set(kindOf(check).fields.flatMap(({ key, type, secret }) => (secret || type === 'text' ? [key] : [])))
  return Object.fromEntries(Object.entries(checkAnswers(check)).filter(([key]) => !hidden.has(key)))
}

/** Returns the answers, with the defaults of fields that the check lacks because it is older than they are. Sealed ones are hidden. */
function withLater(check: StoredCheck): Answers {
  const { kind: _, ...answers } = check
  const { fields } = kindOf(check)
  const lacking = fields.filter(({ key }) => check[key] === undefined).map(field => [field.key, field.default])
  const sealed = fields.filter(({ key, type }) => type === 'secret' && check[key]).map(({ key }) => [key, hidden])
  return { ...answers, ...Object.fromEntries([...lacking, ...sealed]) } as Answers
}
