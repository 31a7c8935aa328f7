// The tree of commands. Help, completion, the page docs/commands.md and the gate over cited commands are all made from it.
import { Command } from 'commander'
import { exitCodeMeanings } from '../embedded/start-error.ts'
import { addAddressCommands } from './address.ts'
import { addAuditCommand } from './audit.ts'
import { addBackupCommands } from './backup.ts'
import { addBusCommands } from './bus.ts'
import { addClusterCommands } from './cluster.ts'
import { addCompletionCommand } from './completion.ts'
import { demo } from './demo.ts'
import { addDestinationCommands } from './destination.ts'
import { addIncidentCommands } from './incident.ts'
import { addKeyCommands } from './key.ts'
import { addLocationCommands } from './location.ts'
import { addMachinesCommand } from './machines.ts'
import { addMcpCommand } from './mcp.ts'
import { addMemberCommands } from './member.ts'
import { addProberCommands } from './prober.ts'
import { productVersion } from './product-version.ts'
import { settingsHelp } from './settings-help.ts'
import { start } from './start.ts'
import { addTemplateCommands } from './template.ts'
import { addWorkspaceCommands } from './workspace.ts'

const exitHelp = ['', 'Exit codes:', ...Object.entries(exitCodeMeanings).map(([code, meaning]) => `  ${code}  ${meaning}`)].join(
  '\n',
)

export function createProgram(): Command {
  const program = new Command('./watchkeeper')
    .description('Availability monitor: actors on a message bus judge what probers see, and people are notified once.')
    .version(productVersion)
    .showHelpAfterError('(./watchkeeper --help explains)')
    .exitOverride()
    .addHelpText('after', exitHelp)
  program
    .command('start')
    .description('run the services until a signal ends them')
    .option('--accept-loss', 'start also on a store that has lost data; what is lost stays lost')
    .addHelpText('after', () => `${settingsHelp()}\n${exitHelp}`)
    .action(start)
  program
    .command('demo')
    .description('a local website goes down and comes back; every step is printed, nothing is kept')
    .option('--json', 'print one JSON object per step, for scripts')
    .action(demo)
  addWorkspaceCommands(program)
  addMemberCommands(program)
  addKeyCommands(program)
  addAddressCommands(program)
  addLocationCommands(program)
  addProberCommands(program)
  addTemplateCommands(program)
  addDestinationCommands(program)
  addIncidentCommands(program)
  addBusCommands(program)
  addClusterCommands(program)
  addAuditCommand(program)
  addBackupCommands(program)
  addMachinesCommand(program)
  addMcpCommand(program)
  addCompletionCommand(program)
  return program
}
