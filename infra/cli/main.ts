// Entry point of the executable: parses arguments, runs the command, and turns failures into a sentence and an exit code.
import { CommanderError } from 'commander'
import { FileFault } from '../../services/gateway/configuration/file-fault.ts'
import { exitCodes, StartError } from '../runtime/start-error.ts'
import { askedServer } from './api/asked-server.ts'
import { createProgram } from './program.ts'
import { complain, printJson } from './terminal/printing.ts'

/** Messages of Node about a value that is absent. Other errors of this kind are faults of the program. */
const absentMember = /^Cannot (read properties of|convert) (undefined|null)|(undefined|null|object) is not iterable/

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

/** Returns whether `--json` was given; behind `--` it belongs to another command. */
function isForScripts(): boolean {
  const words = process.argv.slice(2)
  const end = words.indexOf('--')
  return words.slice(0, end < 0 ? words.length : end).includes('--json')
}

function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
  if (error instanceof FileFault || error instanceof StartError) {
    if (error instanceof StartError && error.refusal !== null && isForScripts()) printJson({ error: error.refusal })
    complain(error instanceof FileFault ? [error, ...error.others].map(({ message }) => message).join('\n') : error.message)
    return error instanceof FileFault ? exitCodes.refused : error.exitCode
  }
  const server = askedServer()
  if (server !== null && error instanceof TypeError && absentMember.test(error.message)) {
    complain(
      `${server} returned an object without the members that this command needs: update the server, or correct the address.`,
    )
    return exitCodes.notRunning
  }
  complain(`Unexpected: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  return exitCodes.failed
}
