// The one executable: it parses, calls, and turns what failed into a sentence and an exit code.
import { CommanderError } from 'commander'
import { exitCodes, StartError } from '../embedded/start-error.ts'
import { createProgram } from './program.ts'

// Output that is lost, a secret perhaps, must not look done. A reader that has seen enough is no failure.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') return
  console.error(`Standard output can't be written (${code}): not everything was printed.`)
  process.exitCode = exitCodes.failed
})

try {
  await (await createProgram(process.argv[2])).parseAsync()
} catch (error) {
  // exitCode, not exit(): what was printed to a pipe must still get there.
  process.exitCode = explain(error)
}

function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
  if (error instanceof StartError) {
    console.error(error.message)
    return error.exitCode
  }
  console.error(`Unexpected: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  return exitCodes.failed
}
