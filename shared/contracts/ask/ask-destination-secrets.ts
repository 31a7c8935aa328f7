// Requests about the secrets that sign a destination's messages (reference/messages 7.9). Only the response to the request that created a
// secret contains it.
import { Type } from 'typebox'
import { Id } from '#shared/contracts/common.ts'

const Place = { workspaceId: Id, number: Type.Integer({ minimum: 1 }) }

export const destinationSecretAsks = {
  /** Creates a secret. The previous secret keeps signing beside it for `graceMs` (0: not at all); older secrets stop signing. */
  'rotate-destination-secret': Type.Object({
    ...Place,
    /** Created once per request, so that a retry returns the same secret. */
    id: Id,
    graceMs: Type.Integer({ minimum: 0 }),
    /** True: creates a secret only if the destination has none, else fails with `invalid_state`. */
    first: Type.Optional(Type.Boolean()),
  }),
  /** Ends the signing of messages. Succeeds also if the destination has no secret. */
  'delete-destination-secret': Type.Object(Place),
} as const

export interface DestinationSecretAnswers {
  /** `alongUntil`: end of the time in which the previous secret also signs; null: no previous secret signs. */
  'rotate-destination-secret': { secret: string; destinationName: string; alongUntil: number | null }
  'delete-destination-secret': { destinationName: string; removed: boolean }
}
