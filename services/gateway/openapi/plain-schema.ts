// Converts schemas into the form of an OpenAPI document. Named objects and definitions become components. A number becomes an integer if
// its `multipleOf` is a whole number.
import { isObject } from '#shared/json-shape/is-object.ts'

export type JsonSchema = Record<string, unknown>

/** Components by name. The conversion of a schema adds the components of that schema. */
export type Components = Record<string, JsonSchema>

/** Beginning of a component's address; the component's name follows. */
export const schemaAddress = '#/components/schemas/'

export function plainSchema(schema: unknown, components: Components): JsonSchema {
  const { $id, ...rest } = schema as JsonSchema
  const plain = writeParts(rest, components)
  if (typeof $id !== 'string') return plain
  components[$id] = plain
  return { $ref: `${schemaAddress}${$id}` }
}

function writeParts(schema: JsonSchema, components: Components): JsonSchema {
  const { $defs, $ref, ...rest } = schema
  const plain: JsonSchema = typeof $ref === 'string' ? { $ref: `${schemaAddress}${$ref.replace(schemaAddress, '')}` } : {}
  if (isObject($defs)) defineAll($defs, components)
  for (const [keyword, value] of Object.entries(rest)) {
    if (!ownMarks.has(keyword)) plain[keyword] = writePart(keyword, value, components)
  }
  if (isObject(schema['properties'])) writeProperties(schema, plain, components)
  if (plain['type'] === 'number' && Number.isInteger(plain['multipleOf'])) plain['type'] = 'integer'
  if (plain['type'] === 'integer' && plain['multipleOf'] === 1) delete plain['multipleOf']
  return plain
}

/** Turns definitions into components of the same names. A definition may refer to itself. */
function defineAll(definitions: JsonSchema, components: Components): void {
  for (const [name, part] of Object.entries(definitions)) {
    if (!Object.hasOwn(components, name)) plainSchema({ ...(part as JsonSchema), $id: name }, components)
  }
}

function writePart(keyword: string, value: unknown, components: Components): unknown {
  if (literal.has(keyword)) return value
  if (keyword === 'patternProperties') return mapValues(value as JsonSchema, part => plainSchema(part, components))
  if (Array.isArray(value)) return value.map(part => (isObject(part) ? plainSchema(part, components) : part))
  return isObject(value) ? plainSchema(value, components) : value
}

function writeProperties(schema: JsonSchema, plain: JsonSchema, components: Components): void {
  const properties = schema['properties'] as Record<string, JsonSchema>
  plain['properties'] = mapValues(properties, property => plainSchema(property['documented'] ?? property, components))
}

/** This project's own marks, which are not part of JSON Schema. */
const ownMarks = new Set([
  ...['trimmed', 'plain'],
  ...['refusal', 'missing', 'faultOf', 'emptyIsMissing', 'emptyIsUnset', 'anyType', 'apart'],
])

const literal = new Set(['enum', 'const', 'required', 'examples', 'default', 'properties'])

const mapValues = (record: JsonSchema, change: (value: JsonSchema) => unknown): JsonSchema =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value as JsonSchema)]))
