// Envelope of every response of keeper, directory and notifier: a result, or an error with one of the known codes.
import { type Static, Type } from 'typebox'

const Facts = Type.Object({
  field: Type.Optional(Type.String()),
  scope: Type.Optional(Type.String()),
  role: Type.Optional(Type.String()),
})

export const ErrorReply = Type.Object({
  code: Type.String(),
  message: Type.String(),
  details: Type.String(),
  facts: Type.Optional(Facts),
})

export const Reply = Type.Union([
  Type.Object({ ok: Type.Literal(true), result: Type.Unknown() }),
  Type.Object({ ok: Type.Literal(false), error: ErrorReply }),
])
export type Reply = Static<typeof Reply>
