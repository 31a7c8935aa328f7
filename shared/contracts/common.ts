// Shapes that every contract uses.
import { Type } from 'typebox'

/** Milliseconds since the epoch. */
export const Instant = Type.Integer({ minimum: 0, description: 'milliseconds since the epoch' })
export const idPattern = '^[0-9A-Za-z_.-]{1,64}$'
export const Id = Type.String({ pattern: idPattern })
export const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()])

/** What every stored document has: its identity and the revision that guards its replacement. */
export interface Stored {
  id: string
  rev: number
}
