// The tree of commands. Help, completion, docs/commands.md and the gate for cited commands use this tree. A command loads only the module
// of its own noun.
import { Command } from 'commander'
import { productVersion } from './product-version.ts'
import { exitHelp } from './terminal/exit-help.ts'

type AddPart = (program: Command) => void

/** Modules that add commands to the tree, by the first word of their commands. `--help` lists the commands in this order. */
const parts: Readonly<Record<string, () => Promise<AddPart>>> = {
  start: async () => (await import('./start.ts')).addStartCommand,
  status: async () => (await import('./installation/status.ts')).addStatusCommand,
  health: async () => (await import('./installation/health.ts')).addHealthCommand,
  doctor: async () => (await import('./installation/doctor.ts')).addDoctorCommand,
  workspace: async () => (await import('./people/workspace.ts')).addWorkspaceCommands,
  user: async () => (await import('./people/user.ts')).addUserCommands,
  member: async () => (await import('./people/member.ts')).addMemberCommands,
  invitation: async () => (await import('./people/invitation.ts')).addInvitationCommands,
  key: async () => (await import('./people/key.ts')).addKeyCommands,
  watch: async () => (await import('./resources/watch.ts')).addWatchCommand,
  resource: async () => (await import('./resources/resource.ts')).addResourceCommands,
  monitor: async () => (await import('./resources/monitor.ts')).addMonitorCommands,
  check: async () => (await import('./resources/check.ts')).addCheckCommands,
  maintenance: async () => (await import('./resources/maintenance.ts')).addMaintenanceCommands,
  'ping-key': async () => (await import('./people/ping-key.ts')).addPingKeyCommands,
  address: async () => (await import('./people/address.ts')).addAddressCommands,
  location: async () => (await import('./installation/location.ts')).addLocationCommands,
  prober: async () => (await import('./installation/prober.ts')).addProberCommands,
  template: async () => (await import('./templates/template.ts')).addTemplateCommands,
  destination: async () => (await import('./destinations/destination.ts')).addDestinationCommands,
  'acknowledge-links': async () => (await import('./installation/acknowledge-links.ts')).addAcknowledgeLinkCommands,
  apply: async () => (await import('./configuration/configuration.ts')).addApplyCommand,
  export: async () => (await import('./configuration/configuration.ts')).addExportCommand,
  observe: async () => (await import('./resources/observe.ts')).addObserveCommand,
  incident: async () => (await import('./incidents/incident.ts')).addIncidentCommands,
  events: async () => (await import('./events/events.ts')).addEventsCommand,
  bus: async () => (await import('./installation/bus.ts')).addBusCommands,
  cluster: async () => (await import('./installation/cluster.ts')).addClusterCommands,
  secrets: async () => (await import('./installation/secrets.ts')).addSecretsCommands,
  audit: async () => (await import('./audit/audit.ts')).addAuditCommand,
  backup: async () => (await import('./installation/backup.ts')).addBackupCommand,
  restore: async () => (await import('./installation/backup.ts')).addRestoreCommand,
  move: async () => (await import('./installation/move.ts')).addMoveCommand,
  machines: async () => (await import('./machines.ts')).addMachinesCommand,
  mcp: async () => (await import('./mcp.ts')).addMcpCommand,
  profile: async () => (await import('./api/profile.ts')).addProfileCommands,
  completion: async () => (await import('./completion/completion.ts')).addCompletionCommand,
}

/** Returns the tree. If `firstWord` begins a command, the tree has only the commands that begin with this word. */
export async function createProgram(firstWord = ''): Promise<Command> {
  const program = new Command('./watchkeeper')
    .description('Availability monitor: actors on a message bus judge what probers see, and people are notified once.')
    .version(productVersion)
    .showHelpAfterError('(./watchkeeper --help explains)')
    .exitOverride()
    .addHelpText('after', exitHelp)
  for (const addPart of await Promise.all(loadersOf(firstWord).map(load => load()))) addPart(program)
  return program
}

function loadersOf(firstWord: string): (() => Promise<AddPart>)[] {
  // A completion script needs the whole tree.
  const isOne = Object.hasOwn(parts, firstWord) && firstWord !== 'completion'
  if (firstWord === '--version' || firstWord === '-V') return []
  return Object.entries(parts).flatMap(([name, load]) => (isOne && name !== firstWord ? [] : [load]))
}
