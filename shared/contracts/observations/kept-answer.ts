// What a server answered to a check that failed, as far as it is kept: bounded, and without credentials and the secrets of the check, which
// the prober hides before anything leaves it.
import { type Static, Type } from 'typebox'
import { Nullable } from '#shared/contracts/common.ts'

export const KeptAnswer = Type.Object({
  /** First line of an answer over HTTP; null: the answer is not HTTP. */
  statusLine: Nullable(Type.String({ maxLength: 400 })),
  /** Lines `Name: value` in the order in which they came. */
  headers: Type.Array(Type.String({ maxLength: 4_096 }), { maxItems: 32 }),
  /** Beginning of the body as text; empty: there is none, or it is no text. */
  body: Type.String({ maxLength: 4_096 }),
  binary: Type.Boolean(),
  /** Whether the body goes on, or may. */
  truncated: Type.Boolean(),
})
export type KeptAnswer = Static<typeof KeptAnswer>
