// Schema of a request body, reduced to the field names and the JSON types that each field accepts. Bounds are left out.
import { isObject } from '#shared/json-shape/is-object.ts'

type Schema = Record<string, unknown>

/**
 * Keywords that the shape leaves out: bounds, which are checked later for each field, and this project's own marks. The keyword `required`
 * is left out too, because a missing field is no fault of a JSON type.
 */
const leftOut = new Set([
  ...['enum', 'const', 'format', 'pattern', 'minLength', 'maxLength', 'required'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties', 'propertyNames', '$id'],
  ...['refusal', 'missing', 'faultOf', 'emptyIsMissing', 'emptyIsUnset', 'apart'],
])

const nothing = { type: 'null' }

/** Returns a copy of a schema. Enumerated values are replaced by their JSON type, and each field accepts null. */
export function shapeOf(schema: Schema): Schema {
  if (schema['anyType'] === true) return {}
  const shape: Schema = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (leftOut.has(keyword)) continue
    if (keyword === 'properties') shape[keyword] = mapValues(value as Schema, part => ({ anyOf: [shapeOf(part), nothing] }))
    else if (keyword === 'patternProperties') shape[keyword] = mapValues(value as Schema, shapeOf)
    else if (Array.isArray(value)) shape[keyword] = value.map(part => shapeOf(part as Schema))
    else shape[keyword] = isObject(value) ? shapeOf(value) : value
  }
  if (Array.isArray(schema['enum']) && shape['type'] === undefined) shape['type'] = [...new Set(schema['enum'].map(jsonType))]
  return shape
}

const mapValues = (schemas: Schema, change: (schema: Schema) => Schema): Schema =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, change(schema as Schema)]))

const jsonType = (value: unknown): string => (value === null ? 'null' : typeof value)
