// Fields of a Template: valid declarations for each type, and valid answers. Pure. Reference: docs/reference/v3.md, 3.4 and 3.5.

import type { FieldType, Manifest, TemplateAnswer, TemplateField } from '#shared/contracts/resources/template.ts'
import { isHttpUrl } from '#shared/net/http-url.ts'
import { isSealed } from '#shared/secrecy/sealed-form.ts'
import { maxSeconds, refuse } from './manifest-refusal.ts'

type SentField = NonNullable<Manifest['fields']>[number]

/**
 * Returns the field. Throws ManifestRefusal if members of its declaration contradict each other. `place`: path of the field in the
 * manifest.
 */
export function readField(sent: SentField, place: string): TemplateField {
  const isBounded = numericTypes.has(sent.type)
  for (const bound of ['min', 'max'] as const) {
    if (sent[bound] != null && !isBounded) throw refuse(`${place}.${bound}`, `A ${sent.type} field has no ${bound}`)
  }
  if (sent.min != null && sent.max != null && sent.min > sent.max) throw refuse(`${place}.max`, 'max must not be below min')
  if (sent.type === 'enum' && sent.options == null) throw refuse(`${place}.options`, 'An enum field needs options')
  if (sent.type !== 'enum' && sent.options != null) throw refuse(`${place}.options`, `A ${sent.type} field has no options`)
  if (isSecret(sent) && sent.default != null) throw refuse(`${place}.default`, `A ${sent.type} field has no default`)
  const field: TemplateField = {
    key: sent.key,
    label: sent.label?.trim() ?? sent.key,
    help: sent.help ?? '',
    type: sent.type,
    required: sent.required ?? false,
    default: null,
    options: sent.options ?? [],
    min: sent.min ?? null,
    max: sent.max ?? null,
    secret: isSecret(sent),
  }
  if (sent.default == null) return field
  const fault = faultOf(field, sent.default)
  if (fault !== null) throw refuse(`${place}.default`, `The default ${fault}`)
  return { ...field, default: sent.default as TemplateAnswer }
}

/** Returns the fault of an answer as the end of a sentence; null: the field accepts the answer. */
export function faultOf(field: TemplateField, answer: unknown): string | null {
  const fault = faultOfType[field.type](answer, field)
  if (fault !== null || typeof answer !== 'number') return fault
  if (field.min !== null && answer < field.min) return `must be at least ${field.min}`
  return field.max !== null && answer > field.max ? `must be at most ${field.max}` : null
}

/** Returns the field that an operand or a delay references. Throws ManifestRefusal unless the field is numeric and always has a value. */
export function requireNumericField(key: string, fields: readonly TemplateField[], place: string): TemplateField {
  const field = fields.find(one => one.key === key)
  if (field === undefined) throw refuse(place, `The Template declares no field '${key}'`)
  if (!numericTypes.has(field.type)) throw refuse(place, `The field '${key}' is no number`)
  if (!field.required && field.default === null) throw refuse(place, `The field '${key}' must be required or have a default`)
  return field
}

const numericTypes: ReadonlySet<FieldType> = new Set<FieldType>(['integer', 'number', 'duration', 'duration_seconds'])

const textCharacters = 1_024
const listItems = 100
const listTextCharacters = 256
const longTextCharacters = 16_384
const secretBytes = 65_536
const urlCharacters = 2_048
const locationsMax = 64

const isSecret = ({ type }: { type: FieldType }): boolean => type === 'secret'

const isLine = (value: unknown, characters: number): value is string =>
  typeof value === 'string' && value.isWellFormed() && [...value].length <= characters && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value)

const line = (value: unknown) =>
  isLine(value, textCharacters) ? null : `must be one line of at most ${textCharacters} characters`
const text = (value: unknown) =>
  typeof value === 'string' &&
  value.isWellFormed() &&
  [...value].length <= longTextCharacters &&
  !/(?![\t\n\r])\p{Cc}/u.test(value)
    ? null
    : `must be a text of at most ${longTextCharacters} characters`
const secret = (value: unknown) =>
  isSealed(value) || (typeof value === 'string' && value.isWellFormed() && Buffer.byteLength(value) <= secretBytes)
    ? null
    : `must be a text of at most ${secretBytes} bytes`
const url = (value: unknown) =>
  typeof value === 'string' &&
  isHttpUrl(value, urlCharacters) &&
  URL.parse(value)?.username === '' &&
  URL.parse(value)?.password === ''
    ? null
    : `must be a valid http or https URL of at most ${urlCharacters} characters, without user information`
const locations = (value: unknown) =>
  Array.isArray(value) &&
  value.length >= 1 &&
  value.length <= locationsMax &&
  new Set(value).size === value.length &&
  value.every(item => isLine(item, listTextCharacters))
    ? null
    : `must be 1 to ${locationsMax} Location ids, each once`
const duration = (value: unknown) =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= maxSeconds
    ? null
    : `must be whole seconds, 0 to ${maxSeconds}`
const texts = (value: unknown) =>
  Array.isArray(value) && value.length <= listItems && value.every(item => isLine(item, listTextCharacters))
    ? null
    : `must be a list of at most ${listItems} texts of at most ${listTextCharacters} characters, each one line`

const faultOfType: Record<FieldType, (value: unknown, field: TemplateField) => string | null> = {
  string: line,
  url,
  text,
  secret,
  integer: value => (Number.isSafeInteger(value) ? null : 'must be a whole number'),
  number: value => (typeof value === 'number' && Number.isFinite(value) ? null : 'must be a number'),
  boolean: value => (typeof value === 'boolean' ? null : 'must be true or false'),
  enum: (value, { options }) => (options.some(option => option === value) ? null : `must be one of ${options.join(', ')}`),
  duration,
  duration_seconds: duration,
  string_list: texts,
  location_list: locations,
  integer_list: value =>
    Array.isArray(value) && value.length <= listItems && value.every(item => Number.isSafeInteger(item))
      ? null
      : `must be a list of at most ${listItems} whole numbers`,
}
