// How a command is refused: nothing changes, and the reason is a word of the closed set with the spec's own message.
import type { Reply } from '#shared/contracts/reply.ts'
import type { ErrorCode } from '#shared/errors.ts'

export type Refusal = Extract<Reply, { ok: false }>

/** The reply. Without `details` the message stands for them too. */
export function refusal(code: ErrorCode, message: string, details: string = message): Refusal {
  return { ok: false, error: { code, message, details } }
}

/** The same as the outcome of a command. */
export const refused = (code: ErrorCode, message: string, details?: string): { refused: Refusal } => ({
  refused: refusal(code, message, details),
})

export const invalidName = refused('validation', 'Invalid name', 'A name needs at least one letter or digit')

/** The view of a subject has to fit one answer of the bus (`viewFits`). */
export const tooLarge = refused(
  'invalid_state',
  'Subject too large',
  'The signals and rules of this subject are too large together; shorten meta or documents',
)
