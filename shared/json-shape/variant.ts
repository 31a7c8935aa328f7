// The part of JSON Schema that describes request bodies, and the choice of the alternative that applies to a value. Pure.

export interface Schema {
  type?: string
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  anyOf?: Schema[]
  $ref?: string
  $defs?: Record<string, Schema>
  enum?: unknown[]
  const?: unknown
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  minItems?: number
  maxItems?: number
  /** True: white space at the beginning and end of the text does not count in its length. */
  trimmed?: boolean
  /** `line`: control characters are refused. `text`: control characters other than line breaks and tabs are refused. */
  plain?: 'line' | 'text'
}

export type Definitions = Readonly<Record<string, Schema>>

/**
 * Returns the part of `schema` that applies to `value`: follows references, and chooses the alternative with the JSON type of `value`. If
 * several alternatives have this type, chooses the first one with a literal member that `value` has too. If there is none, chooses the
 * first alternative that has no literal member and whose first declared member is present in `value`. If there is none, chooses the last
 * alternative.
 */
export function variantFor(schema: Schema, value: unknown, definitions: Definitions): Schema {
  if (schema.$ref !== undefined) {
    const named = (schema.$defs ?? definitions)[schema.$ref]
    if (named === undefined) throw new Error(`the schema refers to ${schema.$ref}, which is not defined`)
    return variantFor(named, value, schema.$defs ?? definitions)
  }
  if (schema.anyOf === undefined) return schema
  const candidates = schema.anyOf.map(candidate => resolved(candidate, definitions)).filter(candidate => fits(candidate, value))
  if (candidates.length < 2) return candidates[0] ?? firstSpoken(schema.anyOf, definitions)
  const members = value as Record<string, unknown>
  return (
    candidates.find(candidate => literalsOf(candidate).some(([name, wanted]) => members[name] === wanted)) ??
    candidates.find(candidate => {
      const leading = Object.keys(candidate.properties ?? {})[0]
      return leading !== undefined && literalsOf(candidate).length === 0 && members[leading] !== undefined
    }) ??
    (candidates.at(-1) as Schema)
  )
}

/** Returns the JSON type of a value; `array` and `null` are types of their own. */
export function jsonTypeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** Returns true if `value` has the JSON type of `schema`. Bounds are not checked. A schema without a type accepts every value. */
export function fits(schema: Schema, value: unknown): boolean {
  const wanted = typeOf(schema)
  return wanted === null || wanted === jsonTypeOf(value)
}

/** Returns the JSON type of a schema's values; null: any. An integer has the type `number`. */
export function typeOf(schema: Schema): string | null {
  if (schema.type !== undefined) return schema.type === 'integer' ? 'number' : schema.type
  if (schema.enum !== undefined) return jsonTypeOf(schema.enum[0])
  return schema.const === undefined ? null : jsonTypeOf(schema.const)
}

const resolved = (schema: Schema, definitions: Definitions): Schema =>
  schema.$ref === undefined ? schema : ((schema.$defs ?? definitions)[schema.$ref] as Schema)

const literalsOf = (schema: Schema): [string, unknown][] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, member]) => (member.const === undefined ? [] : [[name, member.const]]))

/** Returns the first alternative that is not null. If no alternative fits a value, the error names the type of this alternative. */
const firstSpoken = (alternatives: Schema[], definitions: Definitions): Schema =>
  resolved(alternatives.find(alternative => alternative.type !== 'null') as Schema, definitions)
