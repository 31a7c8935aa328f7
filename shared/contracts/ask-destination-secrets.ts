// Questions about what a destination's messages are signed with (spec D 2, Sending). A secret leaves in the answer that made it,
// and in no other.
import { Type } from 'typebox'
import { Id } from '#shared/contracts/common.ts'

const Place = { workspaceId: Id, number: Type.Integer({ minimum: 1 }) }

export const destinationSecretAsks = {
  /** Makes a secret. The one before signs along for `graceMs` more (0: no longer), any older one not at all. */
  'rotate-destination-secret': Type.Object({
    ...Place,
    /** Made once per request, so that a repeated try answers the same secret. */
    id: Id,
    graceMs: Type.Integer({ minimum: 0 }),
    /** True: only where there is none yet, else `invalid_state`. */
    first: Type.Optional(Type.Boolean()),
  }),
  /** Messages are signed no more. Harmless where they are not. */
  'delete-destination-secret': Type.Object(Place),
} as const

export interface DestinationSecretAnswers {
  /** `alongUntil`: until when the one before signs along; null where there was none, or it signs no more. */
  'rotate-destination-secret': { secret: string; destinationName: string; alongUntil: number | null }
  'delete-destination-secret': { destinationName: string; removed: boolean }
}
