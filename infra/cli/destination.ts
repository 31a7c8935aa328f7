// `watchkeeper destination secret`: what a destination's messages are signed with. A secret is printed once, when it is made.
import type { Command } from 'commander'
import { formatDuration, parseDuration } from '#shared/durations.ts'
import { idLength, randomId } from '#shared/ids.ts'
import { isId } from '#shared/is-id.ts'
import { limits } from '#shared/limits.ts'
import { usageError } from '../embedded/start-error.ts'
import { printJson } from './printing.ts'
import { askInstallation } from './running-installation.ts'

interface SecretOptions {
  json?: boolean
  rotate?: boolean
  remove?: boolean
  grace?: string
}

const defaultGrace = '24h'

export function addDestinationCommands(program: Command): void {
  const destination = program.command('destination').description('notification destinations of the running installation')
  destination
    .command('secret')
    .description('make the secret that signs the messages of a destination; it is shown once')
    .argument('<workspace>', 'id of the workspace')
    .argument('<number>', 'id of the destination, as the API shows it')
    .option('--rotate', 'make another one; the one before signs along for the grace')
    .option('--grace <duration>', `how long the one before signs along (default: ${defaultGrace})`)
    .option('--remove', 'sign no more')
    .option('--json', 'answer JSON, for machines')
    .action(secret)
}

async function secret(workspaceId: string, written: string, options: SecretOptions): Promise<void> {
  const number = parseNumber(written)
  if (!isId(workspaceId)) throw usageError(`"${workspaceId}" is no id of a workspace.`)
  if (options.remove && (options.rotate || options.grace !== undefined))
    throw usageError('--remove goes with no other option but --json.')
  if (options.grace !== undefined && !options.rotate) throw usageError('--grace goes with --rotate.')
  if (options.remove) return removeSecret(workspaceId, number, options)
  const graceMs = parseGrace(options.grace ?? defaultGrace)
  const request = { workspaceId, number, id: randomId(idLength.key), graceMs, first: !options.rotate }
  const made = await askInstallation('rotate-destination-secret', request)
  if (options.json) return printJson({ destination_id: number, workspace_id: workspaceId, secret: made.secret })
  // The secret alone on standard output, so that it can be piped; the rest is for the person.
  const along = typeof made.alongUntil === 'number' ? ` The one before signs along for ${formatDuration(graceMs)}.` : ''
  console.error(`Messages to "${made.destinationName}" are signed.${along} Its secret is shown only now:`)
  console.log(made.secret)
}

async function removeSecret(workspaceId: string, number: number, options: SecretOptions): Promise<void> {
  const { destinationName, removed } = await askInstallation('delete-destination-secret', { workspaceId, number })
  if (options.json) return printJson({ destination_id: number, workspace_id: workspaceId, removed })
  console.log(`Messages to "${destinationName}" ${removed ? 'are signed no more' : 'were not signed'}.`)
}

function parseNumber(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw usageError(`"${text}" is no id of a destination: it is a whole number, as the API shows it.`)
}

function parseGrace(text: string): number {
  const ms = parseDuration(text)
  if (ms !== null && ms <= limits.destination.secretGraceMs) return ms
  throw usageError(`--grace must be a duration such as 24h, at most ${formatDuration(limits.destination.secretGraceMs)}.`)
}
