// Ways to break one thing in a valid body, each with the required refusal: 400 for the shape, 422 for a value, and the path in
// `details.field` (v3 1.4 and 1.5). Uses only the schema of the served document, never the code that checks bodies.
import type { Random } from '../../simulation/random.ts'
import type { Schema } from '../operations.ts'

export interface Expected {
  status: number
  /** Required value of `details.field`; null: the response must not name a field; absent: `details.field` is not compared. */
  field?: string | null
}

export interface Mutation {
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

/** Text that stands for a number beyond the range of doubles, which no value of JavaScript expresses. */
const huge = '@huge@'
const keys = ['x', '__proto__', 'constructor', 'toString', 'a.b', '👍', ' ', '\u0000', 'hasOwnProperty', '']

/** Breaks one part of a body that fits `schema`; null: the body has no part whose fault has exactly one correct refusal. */
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

/** Returns the body with null in one optional member, which counts as absent (v3 1.4); null: the body has no such member. */
export function withNull(schema: Schema, body: object, resolve: Resolve, random: Random): string | null {
  const optional = [...placesOf(schema, body, [], true, resolve)].filter(({ isRequired }) => !isRequired)
  return optional.length === 0 ? null : written(replaced(body, random.pick(optional).path, null))
}

/** Yields every part of the body that has exactly one documented type. Parts with alternative types are skipped. */
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

/** Returns the schema of a nullable member without its null alternative. */
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

/** Returns the dotted path of the field. In a Template within the body, the path begins at the Template (v3 3.11). */
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

/** Returns JSON text in which `huge` is a number beyond the range of doubles. */
export const written = (body: unknown): string => JSON.stringify(body).replaceAll(`"${huge}"`, '1e400')

function replaced(body: unknown, [first, ...rest]: readonly string[], value: unknown): unknown {
  if (first === undefined) return value
  if (Array.isArray(body)) return body.map((item, i) => (String(i) === first ? replaced(item, rest, value) : item))
  const members = body as Record<string, unknown>
  return withOwn(members, first, replaced(members[first], rest, value))
}

/** Sets a member; `__proto__` becomes an own member too, as in parsed JSON. */
export const withOwn = (members: object, key: string, value: unknown): object =>
  Object.fromEntries([...Object.entries(members).filter(([name]) => name !== key), [key, value]])

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
