// Converts schemas into the form of an OpenAPI document. Named objects and definitions become components. A number becomes an integer if
// its `multipleOf` is a whole number.
import { isObject } from '#shared/json-shape/is-object.ts'

export type JsonSchema = Record<string, unknown>

/** Components by name. The conversion of a schema adds the components of that schema. */
export type Components = Record<string, JsonSchema>

/** Beginning of a component's address; the component's name follows. */
export const schemaAddress = '#/components/schemas/'

/**
 * Returns the schema; a reference, if the schema has a name. `component` names a part of a schema that refers to itself: an `$id` there
 * would change the meaning of the references.
 */
export function plainSchema(schema: unknown, components: Components): JsonSchema {
  const { $id, component = $id, ...rest } = schema as JsonSchema
  const plain = writeParts(rest, components)
  if (typeof component !== 'string') return plain
  components[component] = plain
  return { $ref: `${schemaAddress}${component}` }
}

/** Returns the schema of a body in which every optional member may be null, as readers of bodies allow. */
export function withNulls(schema: JsonSchema): JsonSchema {
  const { properties, items, required = [] } = schema as { properties?: Components; items?: JsonSchema; required?: string[] }
  const nullable = (name: string, member: JsonSchema) => (required.includes(name) ? member : orNull(member))
  return {
    ...schema,
    ...(isObject(items) ? { items: withNulls(items) } : {}),
    ...(isObject(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, member]) => [name, nullable(name, withNulls(member))]),
          ),
        }
      : {}),
  }
}

function orNull(schema: JsonSchema): JsonSchema {
  const { type, anyOf } = schema
  if (Object.keys(schema).length === 0) return schema
  if (Array.isArray(anyOf) && anyOf.some(part => (part as JsonSchema)['type'] === 'null')) return schema
  const isPlain = typeof type === 'string' && !('enum' in schema) && !('const' in schema)
  return isPlain ? { ...schema, type: [type, 'null'] } : { anyOf: [schema, { type: 'null' }] }
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
  ...['trimmed', 'plain', 'component'],
  ...['refusal', 'missing', 'faultOf', 'emptyIsMissing', 'emptyIsUnset', 'anyType', 'apart'],
])

const literal = new Set(['enum', 'const', 'required', 'examples', 'default', 'properties'])

const mapValues = (record: JsonSchema, change: (value: JsonSchema) => unknown): JsonSchema =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value as JsonSchema)]))
