// Values of the fields of a check: which answers a field accepts, and which values of a check entry are of its type. Pure.
import type { FieldType } from '#shared/contracts/resources/template.ts'
import { isHttpUrl } from '#shared/net/http-url.ts'
import { isSealed } from '#shared/secrecy/sealed-form.ts'
import type { CheckField } from './check-field.ts'
import { isTextWithin, mustOfText } from './text-forms.ts'

/** Returns the fault of an answer as the end of a sentence; null: the field accepts the answer. */
export const faultOf = (field: CheckField, answer: unknown): string | null =>
  isOfType(field, answer) && isWithin(field, answer) ? null : `must ${mustOf(field)}`

/** Returns what an answer must be or hold, as the end of a sentence. */
export const mustOf = (field: CheckField): string => field.must ?? boundsOf(field)

/** Whether the value is of the field's type, within bounds or not. */
export const isOfType = (field: CheckField, value: unknown): boolean => types[field.type](value, field)

const isText = (value: unknown): value is string => typeof value === 'string'
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)
const isList = (isItem: (item: unknown) => boolean) => (value: unknown) => Array.isArray(value) && value.every(isItem)

const types: Readonly<Record<FieldType, (value: unknown, field: CheckField) => boolean>> = {
  string: isText,
  text: isText,
  secret: isText,
  url: isText,
  enum: (value, { options }) => options.some(option => option === value),
  integer: Number.isInteger,
  duration: Number.isInteger,
  duration_seconds: Number.isInteger,
  number: isNumber,
  boolean: value => typeof value === 'boolean',
  string_list: isList(isText),
  location_list: isList(isText),
  integer_list: isList(Number.isInteger),
}

/** `value` is of the field's type. */
function isWithin(field: CheckField, value: unknown): boolean {
  const { items: [least, most] = [0, Number.POSITIVE_INFINITY] } = field
  if (Array.isArray(value)) return value.length >= least && value.length <= most && value.every(item => isItem(field, item))
  if (typeof value === 'number') return value >= (field.min ?? value) && value <= (field.max ?? value)
  return typeof value !== 'string' || isTextOf(field, value)
}

function isItem(field: CheckField, item: string | number): boolean {
  if (typeof item === 'string') return isTextOf(field, item)
  const { each: [least, most] = [item, item] } = field
  return item >= least && item <= most
}

function isTextOf(field: CheckField, text: string): boolean {
  const { type, characters = Number.POSITIVE_INFINITY } = field
  if (type === 'url') return isHttpUrl(text, characters) && (field.fits?.(text) ?? true)
  // It was within the bounds when it was sealed.
  return (type === 'secret' && isSealed(text)) || isTextWithin(field, text)
}

/** Returns the bounds of a field's numbers, of the items of a list, or of the characters of a text; null: none. */
export function rangeOf({ type, min, max, items, characters, bytes }: CheckField): { min: number | null; max: number | null } {
  const isText = texts.includes(type)
  const [least = null, most = null] = items ?? (isText ? [null, characters ?? bytes ?? null] : [min, max])
  return { min: least, max: most }
}

const texts: readonly FieldType[] = ['string', 'text', 'secret', 'url']
const whole: readonly FieldType[] = ['integer', 'duration', 'duration_seconds']

function boundsOf(field: CheckField): string {
  const { type, options, min, max, items, each, itemWords, characters } = field
  if (type === 'enum') return `be one of ${options.join(', ')}`
  if (type === 'boolean') return 'be true or false'
  if (items !== undefined) {
    const usual = type === 'integer_list' ? 'whole numbers' : `texts of at most ${characters} characters`
    return `hold ${items[0]} to ${items[1]} ${itemWords ?? usual}${each === undefined ? '' : `, ${each[0]} to ${each[1]}`}`
  }
  if (texts.includes(type)) return mustOfText(field)
  const what = type === 'integer' ? 'a whole number' : whole.includes(type) ? 'whole seconds' : 'a number'
  return `be ${what}, ${min} to ${max}`
}
