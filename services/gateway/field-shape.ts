// A schema of a request body without its bounds: what is left says which JSON types a field may have, and which fields there are.

type Schema = Record<string, unknown>

const bounds = new Set([
  ...['enum', 'const', 'format', 'pattern', 'minLength', 'maxLength'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties', 'propertyNames', '$id', 'documented', 'fits'],
])

/** A copy. Listed words become their JSON type. */
export function shapeOf(schema: Schema): Schema {
  const shape: Schema = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (bounds.has(keyword)) continue
    if (keyword === 'properties' || keyword === 'patternProperties') shape[keyword] = shapesOf(value as Schema)
    else if (Array.isArray(value) && keyword !== 'required') shape[keyword] = value.map(part => shapeOf(part as Schema))
    else shape[keyword] = isSchema(value) ? shapeOf(value) : value
  }
  if (Array.isArray(schema['enum']) && shape['type'] === undefined) shape['type'] = [...new Set(schema['enum'].map(jsonType))]
  return shape
}

const shapesOf = (schemas: Schema): Schema =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, shapeOf(schema as Schema)]))

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value)

const jsonType = (value: unknown): string => (value === null ? 'null' : typeof value)
