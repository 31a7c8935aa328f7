// The JSON Schema words that request bodies are described with, and which part of a schema speaks of a value. Pure.

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
  /** Measured without outer white space. */
  trimmed?: boolean
  /** `line`: no control characters. `text`: none but line breaks and tabs. */
  plain?: 'line' | 'text'
}

export type Definitions = Readonly<Record<string, Schema>>

/**
 * The part of `schema` that speaks of `value`: references are followed, and of alternatives the one of the same JSON type is taken. Among
 * objects that is the one whose literal members agree, then the first whose leading member is sent, then the last.
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

/** JSON's own types, `array` and `null` among them. */
export function jsonTypeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** Whether `value` has the JSON type that `schema` asks for, whatever its bounds; a schema without a type takes every value. */
export function fits(schema: Schema, value: unknown): boolean {
  const wanted = typeOf(schema)
  return wanted === null || wanted === jsonTypeOf(value)
}

/** The JSON type of a schema's values; null: any. A whole number is a number. */
export function typeOf(schema: Schema): string | null {
  if (schema.type !== undefined) return schema.type === 'integer' ? 'number' : schema.type
  if (schema.enum !== undefined) return jsonTypeOf(schema.enum[0])
  return schema.const === undefined ? null : jsonTypeOf(schema.const)
}

const resolved = (schema: Schema, definitions: Definitions): Schema =>
  schema.$ref === undefined ? schema : ((schema.$defs ?? definitions)[schema.$ref] as Schema)

const literalsOf = (schema: Schema): [string, unknown][] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, member]) => (member.const === undefined ? [] : [[name, member.const]]))

/** What a value of another type should have been. */
const firstSpoken = (alternatives: Schema[], definitions: Definitions): Schema =>
  resolved(alternatives.find(alternative => alternative.type !== 'null') as Schema, definitions)
