// `./watchkeeper destination create|list|delete|secret`: where the messages of a workspace go. A secret is printed once, when it is
// made; the address, which may be a secret too, is printed never.
import { type Command, Option } from 'commander'
import type { DestinationView } from '#shared/contracts/ask-notifications.ts'
import type { DestinationType } from '#shared/contracts/destination.ts'
import { formatDuration, parseDuration } from '#shared/durations.ts'
import { idLength, randomId } from '#shared/ids.ts'
import { limits } from '#shared/limits.ts'
import { usageError } from '../embedded/start-error.ts'
import { destinationOf, workspaceOf } from './look-up.ts'
import { addNoun, inWorkspace, type JsonOption } from './noun.ts'
import { instant, printJson, printMade, printTable, say } from './printing.ts'
import { firstLine } from './read-password.ts'
import { withInstallation } from './running-installation.ts'

interface PlaceOptions extends JsonOption {
  workspace?: string
}

interface CreateOptions extends PlaceOptions {
  url: string
  type: DestinationType
  channel?: string
  default?: boolean
}

interface SecretOptions extends PlaceOptions {
  rotate?: boolean
  remove?: boolean
  grace?: string
}

const defaultGrace = '24h'

export function addDestinationCommands(program: Command): void {
  const verb = addNoun(program, 'destination', 'where the messages of a workspace go')
  const destination = ['<destination>', 'its id, as the API shows it, or its name'] as const
  verb('create', 'make a destination; its id alone is on standard output')
    .argument('<name>', 'what it is called')
    .requiredOption('--url <url>', 'the address that messages are posted to; -: the first line of standard input')
    .addOption(new Option('--type <type>', 'what the far end is').choices(['webhook', 'slack']).default('webhook'))
    .option('--channel <channel>', 'of Slack: another channel than the address has')
    .option('--default', 'make it the default of the workspace, as its first destination always is')
    .option(...inWorkspace)
    .action(createDestination)
  verb('list', 'the destinations of a workspace, without their addresses')
    .option(...inWorkspace)
    .action(listDestinations)
  verb('delete', 'delete a destination and the rows that select it')
    .argument(...destination)
    .option(...inWorkspace)
    .action(deleteDestination)
  verb(
    'secret',
    'make the secret that signs the messages of a destination; it is alone on standard output, and never shown again',
  )
    .argument(...destination)
    .option(...inWorkspace)
    .option('--rotate', 'make another secret; the previous one signs too during the grace')
    .option('--grace <duration>', `how long the previous secret signs too (default: ${defaultGrace})`)
    .option('--remove', 'stop signing')
    .action(secret)
}

async function createDestination(name: string, options: CreateOptions): Promise<void> {
  const { type, channel = '' } = options
  const url = options.url === '-' ? await firstLine('address') : options.url
  const made = await withInstallation(async ask => {
    const { id: workspaceId } = await workspaceOf(ask, options.workspace)
    const fields = { name, type, url, channel: channel.replace(/^#/, ''), default: options.default ?? false }
    return ask('create-destination', { id: randomId(idLength.destination), workspaceId, ...fields, transformationId: null })
  })
  if (options.json) return printJson(readable(made))
  printMade(String(made.number), `Destination "${made.name}" is made${made.default ? ' and is the default' : ''}. Its id:`)
}

async function listDestinations(options: PlaceOptions): Promise<void> {
  const all = await withInstallation(async ask =>
    ask('list-destinations', { workspaceId: (await workspaceOf(ask, options.workspace)).id }),
  )
  if (options.json) return printJson(all.map(readable))
  const rows = all.map(one => [
    String(one.number),
    one.type,
    one.default ? 'default' : '',
    one.enabled ? '' : 'disabled',
    one.name,
  ])
  printTable(['id', 'type', 'mark', 'state', 'name'], rows)
}

async function deleteDestination(named: string, options: PlaceOptions): Promise<void> {
  const { number, name, wasDefault } = await withInstallation(async ask => {
    const { id: workspaceId } = await workspaceOf(ask, options.workspace)
    const destination = await destinationOf(ask, workspaceId, named)
    return { ...destination, ...(await ask('delete-destination', { workspaceId, id: destination.id })) }
  })
  if (options.json) return printJson({ id: number, was_default: wasDefault === true })
  say(`Destination ${number} ("${name}") is deleted.${wasDefault ? ' It was the default: the workspace has none now.' : ''}`)
}

async function secret(named: string, options: SecretOptions): Promise<void> {
  if (options.remove && (options.rotate || options.grace !== undefined))
    throw usageError('--remove goes without --rotate and --grace.')
  if (options.grace !== undefined && !options.rotate) throw usageError('--grace goes with --rotate.')
  if (options.remove) return removeSecret(named, options)
  const graceMs = parseGrace(options.grace ?? defaultGrace)
  const { workspaceId, number, name, made } = await withInstallation(async ask => {
    const { id: workspaceId } = await workspaceOf(ask, options.workspace)
    const { number, name } = await destinationOf(ask, workspaceId, named)
    const request = { workspaceId, number, id: randomId(idLength.key), graceMs, first: !options.rotate }
    return { workspaceId, number, name, made: await ask('rotate-destination-secret', request) }
  })
  if (options.json) return printJson({ destination_id: number, workspace_id: workspaceId, secret: made.secret })
  const along = typeof made.alongUntil === 'number' ? ` The previous secret signs too for ${formatDuration(graceMs)}.` : ''
  printMade(made.secret, `Messages to "${name}" are signed.${along} Its secret is shown only now:`)
}

async function removeSecret(named: string, options: SecretOptions): Promise<void> {
  const { workspaceId, number, name, removed } = await withInstallation(async ask => {
    const { id: workspaceId } = await workspaceOf(ask, options.workspace)
    const { number, name } = await destinationOf(ask, workspaceId, named)
    return { workspaceId, number, name, ...(await ask('delete-destination-secret', { workspaceId, number })) }
  })
  if (options.json) return printJson({ destination_id: number, workspace_id: workspaceId, removed })
  say(`Messages to "${name}" ${removed ? 'are no longer signed' : 'were not signed'}.`)
}

function parseGrace(text: string): number {
  const ms = parseDuration(text)
  if (ms !== null && ms <= limits.destination.secretGraceMs) return ms
  throw usageError(`--grace must be a duration such as 24h, at most ${formatDuration(limits.destination.secretGraceMs)}.`)
}

const readable = (destination: DestinationView) => ({
  id: destination.number,
  name: destination.name,
  destination_type: destination.type,
  channel: destination.channel,
  enabled: destination.enabled,
  default: destination.default,
  workspace_id: destination.workspaceId,
  created_at: instant(destination.createdAt),
})
