// Values of a body whose JSON types are right, held against the bounds of its schema: one map from a field's place to its refusal.
import type { TObject } from 'typebox'
import { AppError } from '#shared/errors.ts'
import { characters, invalidField, required } from './fields.ts'

/** A sentence about the field, a refusal in words of its own, or one of each kind of fault. */
type Words = string | { message: string; details: string }

/** By place, as in `request.url`. `unfit` is for values that the schema's `fits` refuses, where its sentence is another. */
export type ValueWords = Readonly<Record<string, Words | { unfit: Words; outOfBounds: Words }>>

/** The words of JSON Schema that bound a value. `fits` is ours: what no other word can say. */
interface Bounds {
  type?: string
  properties?: Record<string, Bounds>
  anyOf?: Bounds[]
  items?: Bounds
  enum?: unknown[]
  maxLength?: number
  minimum?: number
  maximum?: number
  multipleOf?: number
  minItems?: number
  maxItems?: number
  /** The field has to be there. */
  needed?: boolean
  fits?: (value: string) => boolean
}

/**
 * Throws validation (2001) for the first field, in declared order, that is missing or out of its bounds. Lengths are code points. A field without
 * words stays unlooked at: its own reader judges it.
 */
export const requireValues = (schema: TObject, sent: object, words: ValueWords): void => requireParts(schema, sent, words, '')

function requireParts({ properties = {} }: Bounds, sent: object, words: ValueWords, place: string): void {
  const values = sent as Record<string, unknown>
  for (const [name, member] of Object.entries(properties)) {
    const at = place === '' ? name : `${place}.${name}`
    const bounds = member.anyOf?.[0] ?? member
    const value = values[name]
    const isAbsent = value === undefined || value === null
    if (bounds.properties !== undefined) {
      if (!isAbsent || member.needed) requireParts(bounds, value ?? {}, words, at)
    } else if (words[at] !== undefined) {
      if (member.needed) required(value, at)
      if (!isAbsent) requireFit(bounds, value, words[at], at)
    }
  }
}

function requireFit(bounds: Bounds, value: unknown, words: ValueWords[string], place: string): void {
  const isUnfit = typeof value === 'string' && bounds.fits !== undefined && !bounds.fits(value)
  if (!isUnfit && isWithin(bounds, value)) return
  const said = typeof words === 'string' || 'message' in words ? words : isUnfit ? words.unfit : words.outOfBounds
  if (typeof said === 'string') throw invalidField(`Field '${place}' ${said}`)
  throw new AppError('validation', said.message, { details: said.details })
}

function isWithin(bounds: Bounds, value: unknown): boolean {
  if (bounds.enum !== undefined && !bounds.enum.includes(value)) return false
  if (typeof value === 'string') return characters(value) <= (bounds.maxLength ?? Number.POSITIVE_INFINITY)
  if (typeof value === 'number') {
    const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY, multipleOf } = bounds
    return value >= minimum && value <= maximum && (multipleOf === undefined || value % multipleOf === 0)
  }
  if (!Array.isArray(value)) return true
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, items = {} } = bounds
  return value.length >= minItems && value.length <= maxItems && value.every(item => isWithin(items, item))
}
