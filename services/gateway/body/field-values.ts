// Check of field values against the bounds of a schema. The JSON types of the values were checked before. The schema contains the bounds of
// the fields and the texts of the refusals. Pure: a browser loads this file too.
import { type TObject, type TSchema, Type } from 'typebox'
import { AppError, refusal } from '#shared/errors.ts'

/** Schema of a field that may be absent or null. */
export const Maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))

interface Said {
  /** Code of the refusal; absent: `validation`. */
  code?: 'invalid_state' | 'not_found'
  message: string
  details: string
}

/**
 * Content of a refusal: a sentence about the field, a complete refusal, or a function that returns a complete refusal. `place` is the
 * dotted path of the field. `key` is the faulty key of an object with arbitrary keys.
 */
export type Words = string | Said | ((place: string, key: string) => Said)

/** This project's additions to a schema, beside its bounds. */
interface Marks {
  /**
   * Refusal of a value outside its bounds. If `refusal` is absent, the bounds are not checked here, but by the code that reads the field.
   * List items without a `refusal` use the list's `refusal`.
   */
  refusal?: Words
  /** Refusal of a required field that is missing; absent: `Field 'x' is required`. */
  missing?: Words
  /** Returns a fault that JSON Schema cannot express, or null. Called before the bounds are checked. */
  faultOf?(value: unknown): Words | null
  /** Whether the empty text counts as a missing field. */
  emptyIsMissing?: true
  /** Whether the empty text counts as an absent field. Used only for fields whose type is not text. */
  emptyIsUnset?: true
  /**
   * Whether the field's JSON type is checked together with the field's bounds. The types of all other fields are checked before any bounds.
   */
  anyType?: true
  /** Whether separate code checks the members of the field, because the valid values of one member depend on other members. */
  apart?: true
}

/** Returns the marks as options of a schema. TypeScript checks the types of the marks here. */
export const marks = (given: Marks): Record<string, unknown> => ({ ...given })

/** Keywords of JSON Schema that limit a value, and this project's marks. */
interface Rules extends Marks {
  properties?: Record<string, Rules>
  patternProperties?: Record<string, Rules>
  propertyNames?: Rules
  required?: string[]
  anyOf?: Rules[]
  items?: Rules
  enum?: unknown[]
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  multipleOf?: number
  minItems?: number
  maxItems?: number
  maxProperties?: number
}

/**
 * Checks the fields in the order of the schema. Throws for the first field that is missing or has a wrong value. Lengths are counted in
 * code points.
 */
export const requireValues = (schema: TObject, sent: object): void => requireMembers(schema as Rules, sent, '')

/** Checks one member in the way in which `requireValues` checks all members. `place`: path of the object that has the member. */
export function requireMember(schema: TObject, sent: object, name: string, place = ''): void {
  const { properties = {}, required = [] } = schema as Rules
  judgeMember(properties[name] as Rules, (sent as Record<string, unknown>)[name], required.includes(name), join(place, name))
}

export const invalidField = (details: string, field?: string): AppError =>
  new AppError('validation', 'Validation failed', { details, ...(field === undefined ? {} : { facts: { field } }) })

/**
 * Returns the marks of a field. The schema of a field that accepts null is a union; the marks then come from the first alternative, which
 * is not null.
 */
export const marksOf = (member: TSchema): Marks => rulesOf(member as Rules)

export const missingField = (place: string): AppError => invalidField(`Field '${place}' is required`, place)

/** Returns the length of a text in code points. */
export const characters = (text: string): number => [...text].length

function requireMembers({ properties = {}, required = [] }: Rules, sent: object, place: string): void {
  const values = sent as Record<string, unknown>
  for (const [name, member] of Object.entries(properties)) {
    judgeMember(member, values[name], required.includes(name), join(place, name))
  }
}

function judgeMember(member: Rules, value: unknown, isRequired: boolean, place: string): void {
  const rules = rulesOf(member)
  const isAbsent = value === undefined || value === null
  if (!isAbsent && !(rules.emptyIsMissing && value === '')) requireValue(rules, value, place, '')
  else if (isRequired) throw missing(rules, place)
}

const rulesOf = (member: Rules): Rules => member.anyOf?.[0] ?? member

/** Returns the refusal of a missing field. For a missing object, the refusal names the object's first required member. */
function missing(rules: Rules, place: string): AppError {
  if (rules.missing !== undefined) return refused(rules.missing, place, '')
  requireMembers(rules, {}, place)
  return missingField(place)
}

function requireValue(rules: Rules, value: unknown, place: string, key: string): void {
  if (rules.apart) return
  const fault = rules.faultOf?.(value) ?? null
  if (fault !== null) throw refused(fault, place, key)
  if (rules.refusal !== undefined && !isWithin(rules, value)) throw refused(rules.refusal, place, key)
  if (Array.isArray(value)) requireItems(rules.items ?? {}, value, place)
  else if (typeof value === 'object' && value !== null) {
    if (rules.patternProperties !== undefined) requireEntries(rules, value, place)
    requireMembers(rules, value, place)
  }
}

function requireItems(rules: Rules, items: readonly unknown[], place: string): void {
  if (rules.refusal === undefined && rules.properties === undefined) return
  for (const [i, item] of items.entries()) requireValue(rules, item, `${place}[${i}]`, '')
}

/** Checks an object with arbitrary keys. A key is checked before its value. */
function requireEntries({ propertyNames = {}, patternProperties = {} }: Rules, sent: object, place: string): void {
  const [ofValues = {}] = Object.values(patternProperties)
  for (const [key, value] of Object.entries(sent)) {
    requireValue(propertyNames, key, place, key)
    requireValue(ofValues, value, place, key)
  }
}

function isWithin(bounds: Rules, value: unknown): boolean {
  if (bounds.enum !== undefined && !bounds.enum.includes(value)) return false
  if (typeof value === 'string') return isTextWithin(bounds, value)
  if (typeof value === 'number') {
    const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY, multipleOf } = bounds
    return value >= minimum && value <= maximum && (multipleOf === undefined || value % multipleOf === 0)
  }
  if (!Array.isArray(value)) return Object.keys(value ?? {}).length <= (bounds.maxProperties ?? Number.POSITIVE_INFINITY)
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, items = {} } = bounds
  const isOfItems = items.refusal === undefined
  return value.length >= minItems && value.length <= maxItems && (!isOfItems || value.every(item => isWithin(items, item)))
}

/**
 * Whether the length of a text in code points is within its bounds. `text.length` counts UTF-16 units, which are never fewer than the code
 * points.
 */
function isTextWithin({ minLength = 0, maxLength = Number.POSITIVE_INFINITY }: Rules, text: string): boolean {
  if (text.length > maxLength && characters(text) > maxLength) return false
  return minLength === 0 || characters(text) >= minLength
}

function refused(words: Words, place: string, key: string): AppError {
  const said = typeof words === 'function' ? words(place, key) : words
  if (typeof said === 'string') return invalidField(`Field '${place}' ${said}`, place)
  return refusal(said.code ?? 'validation', said.message, said.details, place)
}

const join = (place: string, name: string): string => (place === '' ? name : `${place}.${name}`)
