// Values of a body whose JSON types are right, held against the bounds of its schema. Each schema has the words of its refusals beside its
// bounds: this is the one way from a fault to them.
import type { TObject, TSchema } from 'typebox'
import { AppError } from '#shared/errors.ts'

interface Said {
  /** Absent: `validation`. */
  code?: 'invalid_state' | 'not_found'
  message: string
  details: string
}

/** A sentence about the field, or a refusal of its own. `place` is dotted; `key` is the one at fault in a record of any keys. */
export type Words = string | Said | ((place: string, key: string) => Said)

/** Marks in a schema beside its bounds. */
interface Marks {
  /** Of a value out of its bounds; a field without it is judged by its own reader. An item without it is judged with its list. */
  refusal?: Words
  /** Of a field that has to be there and is not; absent: `Field 'x' is required`. */
  missing?: Words
  /** The fault of a value that JSON Schema has no word for; looked at before the bounds. Null: none. */
  faultOf?(value: unknown): Words | null
  /** The empty text counts as missing. */
  emptyIsMissing?: true
  /** Of a field that is no text: the empty one counts as absent. */
  emptyIsUnset?: true
  /** Its JSON type is judged with its bounds, not with the types of the whole body. */
  anyType?: true
  /** Its members are judged by a reader of its own, which knows what one means to another. */
  apart?: true
}

/** Marks as options of a schema, with their types looked at. */
export const marks = (given: Marks): Record<string, unknown> => ({ ...given })

/** The words of JSON Schema that bound a value, and the marks. */
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

/** Throws for the first field, in declared order, that is missing or has a value that its schema refuses. Lengths are code points. */
export const requireValues = (schema: TObject, sent: object): void => requireMembers(schema as Rules, sent, '')

/** The same for one member of an object that stands at `place`. */
export function requireMember(schema: TObject, sent: object, name: string, place = ''): void {
  const { properties = {}, required = [] } = schema as Rules
  judgeMember(properties[name] as Rules, (sent as Record<string, unknown>)[name], required.includes(name), join(place, name))
}

export const invalidField = (details: string): AppError => new AppError('validation', 'Validation failed', { details })

/** Of a field that may be null: those of its value. */
export const marksOf = (member: TSchema): Marks => rulesOf(member as Rules)

export const missingField = (place: string): AppError => invalidField(`Field '${place}' is required`)

/** Characters as a person counts them: code points. */
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

/** The first member that a missing object lacks says more than the object. */
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

/** Of an object with any keys: each key, then its value. */
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

/** A text has no more code points than units. */
function isTextWithin({ minLength = 0, maxLength = Number.POSITIVE_INFINITY }: Rules, text: string): boolean {
  if (text.length > maxLength && characters(text) > maxLength) return false
  return minLength === 0 || characters(text) >= minLength
}

function refused(words: Words, place: string, key: string): AppError {
  const said = typeof words === 'function' ? words(place, key) : words
  if (typeof said === 'string') return invalidField(`Field '${place}' ${said}`)
  return new AppError(said.code ?? 'validation', said.message, { details: said.details })
}

const join = (place: string, name: string): string => (place === '' ? name : `${place}.${name}`)
