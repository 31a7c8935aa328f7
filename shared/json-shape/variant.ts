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
  /** True: the length is measured without outer white space. */
  trimmed?: boolean
  /** `line`: no control characters. `text`: only line breaks and tabs. */
  plain?: 'line' | 'text'
}

export type Definitions = Readonly<Record<string, Schema>>

/**
 * Returns the part of `schema` that applies to `value`: follows references and chooses among alternatives by JSON type. Among objects it
 * chooses the alternative whose literal members are equal, then the first whose leading member is present, then the last.
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

/** Returns the JSON type of a value, with `array` and `null`. */
export function jsonTypeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** Returns true if `value` has the JSON type of `schema`, without a check of bounds. A schema without a type accepts every value. */
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

/** Returns the first alternative with a type other than null, for errors about a value of another type. */
const firstSpoken = (alternatives: Schema[], definitions: Definitions): Schema =>
  resolved(alternatives.find(alternative => alternative.type !== 'null') as Schema, definitions)
