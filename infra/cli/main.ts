// Entry point of the executable: parses arguments, runs the command, and turns failures into a sentence and an exit code.
import { CommanderError } from 'commander'
import { FileFault } from '../../services/gateway/configuration/file-fault.ts'
import { exitCodes, StartError } from '../runtime/start-error.ts'
import { createProgram } from './program.ts'
import { complain } from './terminal/printing.ts'

// A command fails if its output, perhaps a secret, cannot be written. A command does not fail if the reader of its output stops early.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') return
  console.error(`Standard output can't be written (${code}): not everything was printed.`)
  process.exitCode = exitCodes.failed
})

try {
  await (await createProgram(process.argv[2])).parseAsync()
} catch (error) {
  // Sets exitCode and does not call exit(), because output already printed to a pipe must still arrive.
  process.exitCode = explain(error)
}

function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
  if (error instanceof FileFault || error instanceof StartError) {
    complain(error.message)
    return error instanceof FileFault ? exitCodes.refused : error.exitCode
  }
  complain(`Unexpected: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  return exitCodes.failed
}
