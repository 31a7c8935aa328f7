// Answers to a Template with a check, as requests send them: read, with known locations, and with their secrets sealed.
import { readCheckAnswers, withSealed } from '#shared/checks/check-answers.ts'
import type { CheckField } from '#shared/checks/check-field.ts'
import type { CheckKind } from '#shared/checks/check-kind.ts'
import { faultOf } from '#shared/checks/field-values.ts'
import { locations } from '#shared/checks/watch-fields.ts'
import type { StoredCheck } from '#shared/contracts/subjects/check.ts'
import { ManifestRefusal } from '#shared/manifest/manifest-refusal.ts'
import type { GatewayContext } from '../../context.ts'
import { invalid } from '../common.ts'

interface SentAnswers {
  kind: CheckKind
  meta: Readonly<Record<string, unknown>>
  /** The check that `meta` changes; null: a new one. */
  present: StoredCheck | null
}

/** Throws `validation` with the key of the field whose answer is refused. */
export async function checkOf(
  context: GatewayContext,
  { kind, meta, present }: SentAnswers,
  traceId: string,
): Promise<StoredCheck> {
  const check = readable(() => readCheckAnswers(kind, meta, present))
  await requireLocations(context, check.locations, traceId)
  const sent = sealed(context, kind.fields, meta, faultOf)
  const isSent = (key: string) => sent[key] !== meta[key]
  return { ...check, ...Object.fromEntries(Object.entries(sent).filter(([key]) => isSent(key))) }
}

/**
 * Returns the answers with sealed secrets. `faultIn` returns why a field refuses an answer, as the end of a sentence. Throws `validation` of a
 * secret that its field refuses, or that cannot be sealed here.
 */
export function sealed<Field extends Pick<CheckField, 'key' | 'type'>>(
  { seals }: GatewayContext,
  fields: readonly Field[],
  answers: Readonly<Record<string, unknown>>,
  faultIn: (field: Field, text: string) => string | null,
): Record<string, unknown> {
  return withSealed(fields, answers, (field, text) => {
    const fault = faultIn(field, text)
    if (fault !== null) throw invalid(field.key, `Field '${field.key}' ${fault}`)
    if (seals !== null) return seals.seal(text)
    throw invalid(field.key, 'This gateway has no key for secrets: its operator must set SECRETS_KEY')
  })
}

/** Runs a reader of answers. If the reader refuses an answer, throws `validation` with the field of that answer. */
export function readable<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof ManifestRefusal) throw invalid(error.field, error.message)
    throw error
  }
}

/**
 * Throws if the list contains an unknown location. Ignores values that are not lists of texts, because the reader of answers refuses them.
 */
export async function requireLocations(
  { directory }: GatewayContext,
  sent: unknown,
  traceId: string,
  field: string = locations.key,
): Promise<void> {
  if (!Array.isArray(sent)) return
  const known = new Set((await directory.ask('list-locations', {}, traceId)).map(({ id }) => id))
  if (!sent.every(id => typeof id !== 'string' || known.has(id))) throw invalid(field, 'There is no such Location')
}
