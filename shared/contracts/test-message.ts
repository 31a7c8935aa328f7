// A test message: what a notifier is asked to send at once, and what became of it (spec D 2, Destination).
import { type Static, Type } from 'typebox'
import { Id } from '#shared/contracts/common.ts'

/** `destinationId` is the destination's id inside the system, not its number. It may be switched off: a test is how one finds out. */
export const TestMessage = Type.Object({ destinationId: Id })
export type TestMessage = Static<typeof TestMessage>

/** `error` is the row's in the delivery log: a reason, then what the far end said, cut and without the address. */
export type TestMessageResult = { delivered: true } | { delivered: false; error: string }
