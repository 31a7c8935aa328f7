// Refusal of a command, which then changes nothing: an error code, and the message that docs/reference defines.
import type { Reply } from '#shared/contracts/ask/reply.ts'
import type { ErrorCode } from '#shared/errors.ts'

export type Refusal = Extract<Reply, { ok: false }>

/** Returns the refusal as a reply. Without `details`, the message is used as details, too. */
export function refusal(code: ErrorCode, message: string, details: string = message): Refusal {
  return { ok: false, error: { code, message, details } }
}

/** Returns the refusal as the outcome of a command. */
export const refused = (code: ErrorCode, message: string, details?: string): { refused: Refusal } => ({
  refused: refusal(code, message, details),
})

/** Returns the refusal of one field's value. */
export const refusedField = (field: string, message: string, details: string): { refused: Refusal } => ({
  refused: { ok: false, error: { code: 'validation', message, details, facts: { field } } },
})

export const invalidName = refusedField('name', 'Invalid name', 'A name needs at least one letter or digit')

/** Refusal of a change after which the view of the subject would not fit into one message of the bus (`viewFits`). */
export const tooLarge = refused(
  'invalid_state',
  'Subject too large',
  'The signals and rules of this subject are too large together; shorten meta or documents',
)
