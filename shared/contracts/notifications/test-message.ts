// A test message: the request that a notifier sends one at once, and its outcome (reference/messages 1.9).
import { type Static, Type } from 'typebox'
import { Id } from '#shared/contracts/common.ts'

/** `destinationId`: internal id, not the number. A disabled destination can be tested too. */
export const TestMessage = Type.Object({ destinationId: Id })
export type TestMessage = Static<typeof TestMessage>

/** `error`: the same text as in the delivery log, a reason followed by the truncated response of the destination, without its address. */
export type TestMessageResult = { delivered: true } | { delivered: false; error: string }
