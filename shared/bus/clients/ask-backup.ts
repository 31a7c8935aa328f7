// Client of the process that has the embedded store: requests a backup. Only one attempt, because each attempt creates a file.
import { Compile } from 'typebox/compile'
import { type Bus, BusError } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import { Reply } from '#shared/contracts/ask/reply.ts'
import { BackupMade } from '#shared/contracts/backup.ts'
import { AppError, type ErrorCode } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'

const replies = Compile(Reply)
const made = Compile(BackupMade)

/** Throws an AppError: `not_found` if no process has an embedded store, `busy` if another backup is being made, `unavailable`. */
export async function askForBackup(bus: Bus): Promise<BackupMade> {
  const reply = await bus.request(subjects.backup, {}, { timeoutMs: limits.backup.takesMs }).catch((error: unknown) => {
    if (!(error instanceof BusError)) throw error
    if (error.kind === 'no_responders') throw new AppError('not_found', 'There is no embedded store', { cause: error })
    throw new AppError('unavailable', 'The backup was not answered', { details: error.message, cause: error })
  })
  if (!replies.Check(reply)) throw new AppError('internal', 'The backup was answered by something else than a reply')
  if (!reply.ok) throw AppError.fromBody({ ...reply.error, code: reply.error.code as ErrorCode })
  if (!made.Check(reply.result)) throw new AppError('internal', 'The backup was answered by something else than a backup')
  return reply.result
}
