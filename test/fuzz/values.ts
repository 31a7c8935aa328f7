// Seeded random values that fit a JSON schema. Values at a bound are made more often than chance would.
import type { Random } from '../simulation/random.ts'
import type { Schema } from './operations.ts'

export interface Making {
  random: Random
  resolve(schema: Schema): Schema
  /** Returns a value of the installation for the field of this name; undefined: the value is made from the schema. */
  known(field: string): unknown
  /** Probability that a bounded value is just outside its bounds. */
  outside: number
  /** True after a value was made outside its bounds. All later values fit, so that a request has one fault. */
  isOutside: boolean
}

const alphabet = [
  ...'abcdefghijklmnopqrstuvwxyzABC0123456789 -_.,:/"\'{}<>&%\\',
  'ä',
  'ß',
  '漢',
  'ё',
  '👍',
  '\u200b',
  '\u202e',
  '\u0301',
]

export function makeValue(given: Schema, field: string, making: Making): unknown {
  const { random } = making
  const schema = making.resolve(given)
  const outside = !making.isOutside && random.chance(making.outside) ? justOutside(schema) : undefined
  if (outside !== undefined) {
    making.isOutside = true
    return outside
  }
  const known = making.known(field)
  if (known !== undefined) return known
  if ('const' in schema) return schema['const']
  if (Array.isArray(schema['enum'])) return random.pick(schema['enum'])
  const alternatives = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined
  if (alternatives !== undefined)
    return makeValue(random.chance(0.8) ? (alternatives[0] as Schema) : random.pick(alternatives), field, making)
  const type = Array.isArray(schema['type']) ? random.pick(schema['type']) : schema['type']
  if (type === 'string') return text(schema, random)
  if (type === 'integer' || type === 'number') return number(schema, type, random)
  if (type === 'boolean') return random.chance(0.5)
  if (type === 'null') return null
  if (type === 'array') return list(schema, field, making)
  if (type === 'object') return object(schema, making)
  return random.pick<unknown>([null, true, 7, 'anything', [], { deep: { er: [1, 2] } }])
}

/** Returns the nearest value that a bound of the schema forbids; undefined: the schema has no bound. */
function justOutside({
  enum: words,
  type,
  minimum,
  maximum,
  multipleOf,
  minLength,
  maxLength,
  minItems,
  maxItems,
}: Schema): unknown {
  if (Array.isArray(words)) return 'other'
  if (typeof multipleOf === 'number' && typeof minimum === 'number') return minimum + multipleOf / 2
  if (typeof maximum === 'number') return maximum + 1
  if (typeof minimum === 'number') return minimum - 1
  if (type === 'string' && typeof maxLength === 'number') return 'x'.repeat(maxLength + 1)
  if (type === 'string' && minLength === 1) return ''
  if (type === 'array' && typeof maxItems === 'number') return Array.from({ length: maxItems + 1 }, () => 200)
  return type === 'array' && minItems === 1 ? [] : undefined
}

const between = (from: number, to: number, random: Random): number =>
  random.chance(0.15) ? from : random.chance(0.05) ? to : random.integer(from, Math.min(to, from + 40))

function text(schema: Schema, random: Random): string {
  if (schema['format'] === 'date-time') return new Date(Date.UTC(2026, 0, 1) + random.integer(0, 1e9)).toISOString()
  const { minLength = 0, maxLength = 60 } = schema as { minLength?: number; maxLength?: number }
  return Array.from({ length: between(minLength, maxLength, random) }, () => random.pick(alphabet)).join('')
}

function number(schema: Schema, type: string, random: Random): number {
  const { minimum = -5, maximum = 1_000, multipleOf } = schema as { minimum?: number; maximum?: number; multipleOf?: number }
  const step = multipleOf ?? (type === 'integer' ? 1 : 0.5)
  const steps = Math.floor((maximum - minimum) / step)
  return minimum + step * (random.chance(0.2) ? random.pick([0, steps]) : random.integer(0, Math.min(steps, 100)))
}

function list(schema: Schema, field: string, making: Making): unknown[] {
  const { minItems = 0, maxItems = 5 } = schema as { minItems?: number; maxItems?: number }
  const length = making.random.chance(0.05) ? maxItems : making.random.integer(minItems, Math.min(maxItems, minItems + 2))
  return Array.from({ length }, () => makeValue((schema['items'] ?? {}) as Schema, `${field}[]`, making))
}

function object(schema: Schema, making: Making): Record<string, unknown> {
  const { random } = making
  const required = new Set((schema['required'] as string[] | undefined) ?? [])
  const made: Record<string, unknown> = {}
  for (const [name, property] of Object.entries((schema['properties'] ?? {}) as Record<string, Schema>)) {
    if (required.has(name) || random.chance(0.6)) made[name] = makeValue(property, name, making)
  }
  for (const property of Object.values((schema['patternProperties'] ?? {}) as Record<string, Schema>)) {
    for (let i = random.integer(0, 3); i > 0; i--) made[`k${random.id(random.integer(1, 8))}`] = makeValue(property, '*', making)
  }
  return made
}
