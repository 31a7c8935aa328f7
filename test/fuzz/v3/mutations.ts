// Ways to break one thing in a body that fits its schema, each with the refusal that it must bring: 400 for the shape, 422 for a value, and the
// place in `details.field` (v3 1.4 and 1.5). The schema is the served document's; the code that holds bodies against it is not asked.
import type { Random } from '../../simulation/random.ts'
import type { Schema } from '../operations.ts'

export interface Expected {
  status: number
  /** Of `details.field`; null: it says none; absent: any. */
  field?: string | null
}

export interface Mutation {
  /** The name of the mutation. */
  name: string
  /** The body as JSON text. */
  text: string
  expected: Expected
}

interface Place {
  path: readonly string[]
  schema: Schema
  value: unknown
  isRequired: boolean
}

type Resolve = (schema: Schema) => Schema

/** Stands in the JSON text for a number that no double holds. */
const huge = '@huge@'
const keys = ['x', '__proto__', 'constructor', 'toString', 'a.b', '👍', ' ', '\u0000', 'hasOwnProperty', '']

/** Breaks one place of a body that fits `schema`. Null: nothing in it can be broken so that the refusal is certain. */
export function mutate(schema: Schema, body: object, resolve: Resolve, random: Random): Mutation | null {
  const places = [...placesOf(schema, body, [], true, resolve)]
  for (let tries = 0; tries < 10; tries++) {
    const place = random.pick(places)
    const made = change(place, random)
    if (made === null) continue
    const { name, value, expected } = made
    return { name, text: written(replaced(body, place.path, value)), expected }
  }
  return null
}

/** The body with one optional member as null, which is as if it were absent (v3 1.4); null: it has none. */
export function withNull(schema: Schema, body: object, resolve: Resolve, random: Random): string | null {
  const optional = [...placesOf(schema, body, [], true, resolve)].filter(({ isRequired }) => !isRequired)
  return optional.length === 0 ? null : written(replaced(body, random.pick(optional).path, null))
}

/** Every part that the document describes by one type; alternatives of several types are passed over. */
function* placesOf(given: Schema, value: unknown, path: string[], isRequired: boolean, resolve: Resolve): Generator<Place> {
  const schema = withoutNull(resolve(given), resolve)
  if (typeof schema['type'] !== 'string' && !Array.isArray(schema['enum'])) return
  yield { path, schema, value, isRequired }
  const required = (schema['required'] ?? []) as string[]
  const properties = (schema['properties'] ?? {}) as Record<string, Schema>
  if (isObject(value)) {
    for (const [name, member] of Object.entries(properties)) {
      yield* placesOf(member, value[name], [...path, name], required.includes(name), resolve)
    }
  }
  if (!Array.isArray(value) || !isObject(schema['items'])) return
  for (const [i, item] of value.entries()) yield* placesOf(schema['items'], item, [...path, String(i)], true, resolve)
}

/** Of a member that may be null: the other alternative. */
function withoutNull(schema: Schema, resolve: Resolve): Schema {
  const alternatives = (schema['anyOf'] as Schema[] | undefined)?.map(resolve).filter(({ type }) => type !== 'null')
  return alternatives?.length === 1 ? (alternatives[0] as Schema) : schema
}

interface Change {
  name: string
  value: unknown
  expected: Expected
}

function change(place: Place, random: Random): Change | null {
  return random.pick([otherType, absent, unknownKey, outOfBounds, outOfBounds])(place, random)
}

type Changer = (place: Place, random: Random) => Change | null

/** A place in a Template that is part of the body is dotted from the Template on (v3 3.11). */
const fieldOf = (path: readonly string[]): string | null =>
  path.length === 0 ? null : path.slice(path[0] === 'manifest' && path.length > 1 ? 1 : 0).join('.')

const otherType: Changer = ({ path, schema }, random) => {
  const own = String(schema['type'] ?? 'string').replace('integer', 'number')
  const samples: Record<string, unknown> = {
    string: '12',
    number: 7,
    boolean: true,
    array: random.pick<unknown>([[], ['x'], [[]]]),
    object: random.pick<unknown>([{}, { a: 1 }]),
  }
  const value = samples[random.pick(Object.keys(samples).filter(type => type !== own))]
  return { name: 'another JSON type', value, expected: { status: 400, field: fieldOf(path) } }
}

const absent: Changer = ({ path, isRequired }, random) => {
  if (!isRequired || path.length === 0 || /^\d+$/.test(path.at(-1) ?? '')) return null
  return {
    name: 'a required member left out',
    value: random.pick([undefined, null]),
    expected: { status: 422, field: fieldOf(path) },
  }
}

const unknownKey: Changer = ({ path, schema, value }, random) => {
  if (schema['additionalProperties'] !== false || !isObject(value)) return null
  const key = random.pick(keys)
  const field = fieldOf([...path, key])
  return { name: `an unknown key ${JSON.stringify(key)}`, value: withOwn(value, key, 1), expected: { status: 400, field } }
}

const outOfBounds: Changer = ({ path, schema, value }, random) => {
  if (path.length === 0) return null
  const options = valuesOutside(schema, value)
  if (options.length === 0) return null
  const [name, outside, status = 422] = random.pick(options)
  return { name, value: outside, expected: { status, field: fieldOf(path) } }
}

function valuesOutside(schema: Schema, value: unknown): [name: string, value: unknown, status?: number][] {
  if (Array.isArray(schema['enum']))
    return [
      ['another word', 'other'],
      ['a blank word', ''],
      ['a word of Object', 'constructor'],
    ]
  const { type, minimum, maximum, minLength, maxLength, minItems, maxItems, pattern } = schema as Record<string, never>
  const found: [string, unknown, number?][] = []
  if (type === 'string') {
    found.push(['an unpaired surrogate', '\ud800', 400])
    if (typeof minLength === 'number' && minLength > 0) found.push(['too short', ''])
    if (typeof maxLength === 'number')
      found.push(['one too long', 'é'.repeat(maxLength + 1)], ['one emoji too long', '👍'.repeat(maxLength + 1)])
    if (typeof pattern === 'string') found.push(['another form', ' a/b'], ['a line behind it', `${String(value ?? 'a')}\n`])
  }
  if (type === 'integer') found.push(['a fraction', 1.5], ['no safe integer', 2 ** 53], ['no double', huge])
  if (typeof minimum === 'number') found.push(['too small', minimum - 1])
  if (typeof maximum === 'number') found.push(['too large', maximum + 1])
  if (type === 'number') found.push(['no double', huge])
  if (type === 'array' && Array.isArray(value)) {
    if (typeof minItems === 'number' && minItems > 0) found.push(['too few items', value.slice(0, minItems - 1)])
    if (typeof maxItems === 'number' && value.length > 0)
      found.push(['too many items', Array.from({ length: maxItems + 1 }, () => value[0])])
  }
  return found
}

/** JSON text; a number that no double holds stands where its mark stood. */
export const written = (body: unknown): string => JSON.stringify(body).replaceAll(`"${huge}"`, '1e400')

function replaced(body: unknown, [first, ...rest]: readonly string[], value: unknown): unknown {
  if (first === undefined) return value
  if (Array.isArray(body)) return body.map((item, i) => (String(i) === first ? replaced(item, rest, value) : item))
  const members = body as Record<string, unknown>
  return withOwn(members, first, replaced(members[first], rest, value))
}

/** `__proto__` too is a member of its own, as in parsed JSON. */
export const withOwn = (members: object, key: string, value: unknown): object =>
  Object.fromEntries([...Object.entries(members).filter(([name]) => name !== key), [key, value]])

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
