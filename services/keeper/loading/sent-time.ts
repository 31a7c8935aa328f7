// Instant at which a report was sent, on the keeper's clock. The bus stamps reports with a clock that may be set forward or back; the
// keeper's clock is continuous (shared/time/clock.ts). A wrong stamp could make an input silent, or end a silence, by mistake.
import type { StreamMessage } from '#shared/bus/port.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Clock } from '#shared/time/clock.ts'

/**
 * Returns the instant at which a message of one partition was sent, ms since the epoch. Call it for all messages in stream order.
 * `isFresh`: the message did not wait in the stream.
 */
export type SentTime = (message: Pick<StreamMessage, 'sequence' | 'at'>, isFresh: boolean) => number

/** `knownBehindMs`: known delay of the bus's clock against the keeper's clock. Ordinary differences between machines count as zero. */
export function createSentTime(clock: Pick<Clock, 'now'>, knownBehindMs = 0): SentTime {
  let newest = { sequence: 0, at: 0 }
  /** Time by which the bus's clock was set back, ms. This time shrinks as the stamps approach the keeper's clock. */
  let behindMs = knownBehindMs > limits.clock.jumpMs ? knownBehindMs : 0
  return ({ sequence, at }, isFresh) => {
    const now = clock.now()
    // A later message has an earlier stamp only if the clock was set back. A message that is read again is ignored here.
    if (sequence > newest.sequence) {
      const backMs = newest.at - at
      if (backMs > limits.clock.jumpMs) behindMs = isFresh ? now - at : behindMs + backMs
      behindMs = Math.max(0, Math.min(behindMs, now - at))
      newest = { sequence, at }
    }
    // A stamp in the future means that the clock was set forward.
    return at + behindMs > now + limits.clock.jumpMs ? now : at + behindMs
  }
}
