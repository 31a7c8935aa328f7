// Envelope of every response of keeper, directory and notifier: a result, or an error with one of the known codes. This file
// also declares one page of a list, because lists are read page by page.
import { type Static, Type } from 'typebox'
import { Nullable } from '#shared/contracts/common.ts'

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

/** Position after which the page starts: `next` of the previous page. Null or absent: the first page. */
export const After = Type.Optional(Nullable(Type.String({ maxLength: 200 })))

/** A page of at most 512 KiB. The caller sends `next` as `after` to get the next page; `next` is null on the last page. */
export interface Page<T> {
  items: T[]
  next: string | null
}
