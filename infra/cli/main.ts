// The commands of the one executable. It parses, calls, and turns what failed into a sentence and an exit code.
import { Command, CommanderError } from 'commander'
import { exitCodes, StartError } from '../embedded/start-error.ts'
import { addBusCommands } from './bus.ts'
import { demo } from './demo.ts'
import { addDestinationCommands } from './destination.ts'
import { addIncidentCommands } from './incident.ts'
import { addKeyCommands } from './key.ts'
import { addLocationCommands } from './location.ts'
import { addMachinesCommand } from './machines.ts'
import { addMemberCommands } from './member.ts'
import { addProberCommands } from './prober.ts'
import { productVersion } from './product-version.ts'
import { settingsHelp } from './settings-help.ts'
import { start } from './start.ts'
import { addWorkspaceCommands } from './workspace.ts'

const exitHelp = `
Exit codes:
  ${exitCodes.done}  done; after a signal: everything ended cleanly
  ${exitCodes.failed}  it could not start, or could not go on
  ${exitCodes.usage}  a wrong command, option or setting
  ${exitCodes.notRunning}  the running installation can't be reached
  ${exitCodes.refused}  the installation refused what was asked`

const program = new Command('watchkeeper')
  .description('Availability monitor: actors on a message bus judge what probers see, and people are told once.')
  .version(productVersion)
  .showHelpAfterError('(watchkeeper --help explains)')
  .exitOverride()
  .addHelpText('after', exitHelp)

program
  .command('start')
  .description('run the services until a signal ends them')
  .addHelpText('after', () => `${settingsHelp()}\n${exitHelp}`)
  .action(start)
program
  .command('demo')
  .description('a local website goes down and comes back; every step is printed, nothing is kept')
  .option('--json', 'print one JSON object per step, for machines')
  .action(demo)
addKeyCommands(program)
addMemberCommands(program)
addWorkspaceCommands(program)
addLocationCommands(program)
addProberCommands(program)
addBusCommands(program)
addDestinationCommands(program)
addIncidentCommands(program)
addMachinesCommand(program)
for (const command of program.commands) command.exitOverride()

// What was printed and is lost, a secret perhaps, must not look done. A reader that has seen enough is no failure.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') return
  console.error(`Standard output can't be written (${code}): not everything was printed.`)
  process.exitCode = exitCodes.failed
})

try {
  await program.parseAsync()
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
