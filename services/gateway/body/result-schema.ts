// Schemas of results, and a function that builds a result according to its schema. Tests compare real responses with these schemas.
import { type Static, type TLiteral, type TNull, type TObject, type TProperties, type TSchema, type TUnion, Type } from 'typebox'
import { AnsweredInstant, type TInstant } from '#shared/contracts/common.ts'
import { timestamp } from './instants.ts'

/**
 * Returns the schema of a result object with exactly these fields. `name`: name of the schema's component in the OpenAPI documents.
 * `examples`: example objects in these documents.
 */
export const Answered = <P extends TProperties>(name: string, properties: P, options: { examples?: unknown[] } = {}) =>
  Type.Object(properties, { $id: name, additionalProperties: false, ...options })

export const Kind = (word: string) => Type.Literal(word)

export const Instant = AnsweredInstant

export const OrNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

type Camel<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail> & string>}` : Name
/** Type of the value from which a field with this schema is written. */
type Value<S extends TSchema> =
  S extends TUnion<[infer Present extends TSchema, TNull]>
    ? Value<Present> | null
    : S extends TInstant
      ? string | number
      : Static<S>
/** Type of the source object of a result. Its members are the result's fields in camel case, without constant fields. */
export type Source<P extends TProperties> = {
  readonly [Name in keyof P as P[Name] extends TLiteral ? never : Camel<Name>]: Value<P[Name]>
}

/**
 * Returns a function that writes an object of this schema, field by field in the order of the schema. The field `created_at` is read from
 * the member `createdAt`; a constant field needs no member. An instant in ms since the epoch is written as text; a text or null stays
 * unchanged.
 */
export function writerOf<P extends TProperties>({ properties }: TObject<P>): (from: Source<P>) => Static<TObject<P>> {
  const fields = Object.entries<TSchema & { const?: unknown; anyOf?: TSchema[]; format?: string }>(properties).map(
    ([name, schema]) => ({
      name,
      member: name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      constant: schema.const,
      isInstant: ((schema.anyOf?.[0] ?? schema) as { format?: string }).format === 'date-time',
    }),
  )
  return from => {
    const written: Record<string, unknown> = {}
    for (const { name, member, constant, isInstant } of fields) {
      const value = constant ?? (from as Record<string, unknown>)[member]
      written[name] = isInstant && typeof value === 'number' ? timestamp(value) : value
    }
    return written as Static<TObject<P>>
  }
}
