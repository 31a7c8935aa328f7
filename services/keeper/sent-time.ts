// When a report was sent, on the keeper's clock. The bus stamps it with the clock of its machine, which may be set; the keeper's own goes on
// as it did (shared/clock.ts). Taken as it stands, a stamp of an hour ahead would pass every silence, one of an hour back be silence.
import type { StreamMessage } from '#shared/bus/port.ts'
import type { Clock } from '#shared/clock.ts'
import { limits } from '#shared/limits.ts'

/**
 * Answers the instant at which a message of one partition was sent, ms since the epoch. Ask for all in their order. `isFresh`: it did not wait
 * in the stream.
 */
export type SentTime = (message: Pick<StreamMessage, 'sequence' | 'at'>, isFresh: boolean) => number

/** `knownBehindMs`: by how much the bus's clock is behind the keeper's already, as far as that is known; what machines differ by counts as nothing. */
export function createSentTime(clock: Pick<Clock, 'now'>, knownBehindMs = 0): SentTime {
  let newest = { sequence: 0, at: 0 }
  /** By how much the bus's clock was set back; less as the keeper's comes back to it. */
  let behindMs = knownBehindMs > limits.clock.jumpMs ? knownBehindMs : 0
  return ({ sequence, at }, isFresh) => {
    const now = clock.now()
    // Stamps of later messages are never earlier but where the clock was set back. What is read again was seen before.
    if (sequence > newest.sequence) {
      const backMs = newest.at - at
      if (backMs > limits.clock.jumpMs) behindMs = isFresh ? now - at : behindMs + backMs
      behindMs = Math.max(0, Math.min(behindMs, now - at))
      newest = { sequence, at }
    }
    // Nothing was sent in the future: the clock was set forward.
    return at + behindMs > now + limits.clock.jumpMs ? now : at + behindMs
  }
}
