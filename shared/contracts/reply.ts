// How the keeper, the directory and the notifier answer: a result or an error of the closed set, as one envelope.
import { type Static, Type } from 'typebox'

export const ErrorReply = Type.Object({ code: Type.String(), message: Type.String(), details: Type.String() })

export const Reply = Type.Union([
  Type.Object({ ok: Type.Literal(true), result: Type.Unknown() }),
  Type.Object({ ok: Type.Literal(false), error: ErrorReply }),
])
export type Reply = Static<typeof Reply>
