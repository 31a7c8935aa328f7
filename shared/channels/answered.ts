// Readings that several channels share, of answers that say more than their status. Pure.
import { second } from '#shared/limits/limits.ts'
import type { ChannelAnswer, ChannelReading } from './port.ts'
import { readAnswer } from './read-answer.ts'

/** Returns the body as an object; empty if it is none. */
export function objectIn({ body }: ChannelAnswer): Record<string, unknown> {
  try {
    const read: unknown = JSON.parse(body)
    return typeof read === 'object' && read !== null && !Array.isArray(read) ? (read as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** Returns a reading that gives some statuses a sentence, and reads all others by the status alone. No attempt helps against these. */
export const readWith =
  (sentences: Readonly<Record<number, string>>) =>
  (answer: ChannelAnswer): ChannelReading => {
    const sentence = sentences[answer.status]
    return sentence === undefined ? readAnswer(answer) : { kind: 'failed', sentence }
  }

/** Returns the reading of a 429 whose body names the pause in seconds, possibly with a fraction. */
export const pausedFor = (seconds: unknown, answer: ChannelAnswer): ChannelReading =>
  typeof seconds === 'number' && seconds >= 0
    ? { kind: 'again', afterMs: Math.ceil(seconds) * second, lane: true }
    : readAnswer(answer)
