// Judgement of what a port has answered. Pure. Reference: docs/reference/v3.md, 3.16.
import { cut } from '#shared/text/plain-text.ts'
import type { TcpAnswers } from './fields.ts'

/** Largest number of bytes of an answer that are searched. */
export const answerBytes = 4_096

/** Largest number of characters of a text in a sentence. */
const quoted = 60

export interface Answered {
  /** The first `answerBytes` of the answer, as far as they have come. */
  answer: Buffer
  /** Why no more will come; null: more may come. */
  end: 'closed' | 'late' | null
}

/** Returns the fault as a sentence, null if there is none, or undefined if only more of the answer can say it. */
export function judgeAnswer({ expect }: Pick<TcpAnswers, 'expect'>, { answer, end }: Answered): string | null | undefined {
  if (answer.includes(expect)) return null
  const text = `"${cut(expect, quoted)}"`
  const isFull = answer.length >= answerBytes
  if (end === 'closed' && !isFull) return `connection closed before ${text} came`
  return end !== null || isFull ? `answer does not contain ${text}` : undefined
}
