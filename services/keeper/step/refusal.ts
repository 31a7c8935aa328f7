// How a command is refused: nothing changes, and the reason is a word of the closed set with the spec's own message.
import type { Reply } from '#shared/contracts/reply.ts'
import type { ErrorCode } from '#shared/errors.ts'

export function refusal(code: ErrorCode, message: string, details: string = message): Reply {
  return { ok: false, error: { code, message, details } }
}

export const refused = (code: ErrorCode, message: string, details?: string): { refused: Reply } => ({
  refused: refusal(code, message, details),
})
