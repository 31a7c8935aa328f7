// Validation of a JSON value against a schema in the order of generation 3: unknown keys, JSON types, then fields in their declared order.
// Pure. Reference: docs/reference/v3.md, 1.3 to 1.5.
import { isObject } from '#shared/json-shape/is-object.ts'
import { firstCharacters } from '#shared/text/plain-text.ts'
import { type Definitions, fits, type Schema, typeOf, variantFor } from './variant.ts'

/**
 * Fault of a JSON value. `unreadable`: its shape is wrong (400). `refused`: its content is wrong (422). `field`: dotted path of the
 * faulty member.
 */
export interface Refusal {
  kind: 'unreadable' | 'refused'
  field: string
  message: string
}

/** Returns the first fault of `value`; null: none. An optional member that is null counts as absent. */
export function firstRefusal(schema: object, value: unknown): Refusal | null {
  const whole = schema as Schema
  const definitions = whole.$defs ?? {}
  for (const look of [unknownKey, wrongType, badValue]) {
    const refusal = look(whole, value, '', definitions)
    if (refusal !== null) return refusal
  }
  return null
}

type Look = (schema: Schema, value: unknown, place: string, definitions: Definitions) => Refusal | null

const unknownKey: Look = (schema, value, place, definitions) => {
  const variant = variantFor(schema, value, definitions)
  if (variant.additionalProperties === false && fits(variant, value)) {
    const extra = Object.keys(value as object).find(name => !Object.hasOwn(variant.properties ?? {}, name))
    if (extra !== undefined) return unreadable(join(place, extra), `Unknown field '${shown(extra)}'`)
  }
  return inParts(unknownKey, variant, value, place, definitionsOf(schema, definitions))
}

const wrongType: Look = (schema, value, place, definitions) => {
  const variant = variantFor(schema, value, definitions)
  if (!fits(variant, value)) return unreadable(place, `Field '${shown(place)}' must be ${wordOf(typeOf(variant))}`)
  if (typeof value === 'string' && !value.isWellFormed()) {
    return unreadable(place, `Field '${shown(place)}' holds an unpaired surrogate`)
  }
  return inParts(wrongType, variant, value, place, definitionsOf(schema, definitions))
}

const badValue: Look = (schema, value, place, definitions) => {
  const variant = variantFor(schema, value, definitions)
  const bound = boundOf(variant, value)
  if (bound !== null) return refused(place, `Field '${shown(place)}' ${bound}`)
  return inParts(badValue, variant, value, place, definitionsOf(schema, definitions), variant.required)
}

/** Checks members in their declared order, and items in list order. Skips members that are absent or null, unless they are `required`. */
function inParts(
  look: Look,
  schema: Schema,
  value: unknown,
  place: string,
  definitions: Definitions,
  required: readonly string[] = [],
): Refusal | null {
  if (Array.isArray(value) && schema.items !== undefined) {
    for (const [i, item] of value.entries()) {
      const refusal = look(schema.items, item, join(place, String(i)), definitions)
      if (refusal !== null) return refusal
    }
  }
  if (isObject(value)) {
    for (const [name, member] of Object.entries(schema.properties ?? {})) {
      const sent = value[name] ?? null
      if (sent === null && required.includes(name)) return missing(join(place, name))
      const refusal = sent === null ? null : look(member, sent, join(place, name), definitions)
      if (refusal !== null) return refusal
    }
  }
  return null
}

/**
 * Checks a value whose JSON type is right. Returns the rest of an error sentence that begins with the name of the value; null: there is no
 * fault.
 */
function boundOf(schema: Schema, value: unknown): string | null {
  if (schema.enum !== undefined && !schema.enum.includes(value)) return `must be one of ${schema.enum.join(', ')}`
  if (schema.const !== undefined && schema.const !== value) return `must be ${JSON.stringify(schema.const)}`
  if (typeof value === 'string') return boundOfText(schema, value)
  if (typeof value === 'number') return boundOfNumber(schema, value)
  if (!Array.isArray(value)) return null
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema
  return value.length < minItems || value.length > maxItems ? `must have ${range(minItems, maxItems)} items` : null
}

function boundOfText(schema: Schema, sent: string): string | null {
  const text = schema.trimmed ? sent.trim() : sent
  const measured = [...text].length
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema
  if (measured < minLength || measured > maxLength) {
    return measured === 0 ? 'must not be blank' : `must have ${range(minLength, maxLength)} characters`
  }
  if (schema.plain !== undefined && controls[schema.plain].test(text)) return 'must not hold control characters'
  if (schema.pattern === undefined || new RegExp(schema.pattern, 'u').test(text)) return null
  return `must match ${schema.pattern}`
}

/** Characters that a terminal or a client would not show but interpret, such as control characters. */
const controls = { line: /[\p{Cc}\p{Zl}\p{Zp}]/u, text: /(?![\t\n\r])\p{Cc}/u }

function boundOfNumber(schema: Schema, value: number): string | null {
  if (!Number.isFinite(value)) return 'must be a number of at most 1.7976931348623157e308'
  if (schema.type === 'integer' && !Number.isSafeInteger(value)) return 'must be a whole number'
  if (schema.exclusiveMinimum !== undefined && value <= schema.exclusiveMinimum)
    return `must be more than ${schema.exclusiveMinimum}`
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema
  return value < minimum || value > maximum ? `must be ${range(minimum, maximum)}` : null
}

function range(least: number, most: number): string {
  if (most === Number.POSITIVE_INFINITY) return `at least ${least}`
  return least === Number.NEGATIVE_INFINITY ? `at most ${most}` : `${least} to ${most}`
}

function wordOf(type: string | null): string {
  if (type === 'string') return 'a text'
  if (type === 'array') return 'a list'
  return type === 'object' ? 'an object' : type === 'boolean' ? 'true or false' : `a ${type}`
}

/** Largest number of characters that an error quotes. */
const shownCharacters = 200
const shown = (text: string) => firstCharacters(text, shownCharacters)
const join = (place: string, part: string) => shown(place === '' ? part : `${place}.${part}`)
const definitionsOf = (schema: Schema, definitions: Definitions) => schema.$defs ?? definitions
const unreadable = (field: string, message: string): Refusal => ({ kind: 'unreadable', field, message })
export const refused = (field: string, message: string): Refusal => ({ kind: 'refused', field, message })
export const missing = (field: string): Refusal => refused(field, `Field '${shown(field)}' is required`)
