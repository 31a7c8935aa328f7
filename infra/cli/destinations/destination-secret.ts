// `./watchkeeper destination secret`: creates, replaces or removes the secret that signs the messages of a destination. The command uses
// the bus, because no response of the API may contain the secret (ADR 0028). The secret is printed once, at its creation.

import { limits } from '#shared/limits/limits.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { formatDuration, parseDuration } from '#shared/time/durations.ts'
import { usageError } from '../../runtime/start-error.ts'
import { destinationOf, workspaceOf } from '../installation/look-up.ts'
import { withInstallation } from '../installation/running-installation.ts'
import type { JsonOption } from '../noun.ts'
import { printJson, printMade, say } from '../terminal/printing.ts'

interface SecretOptions extends JsonOption {
  workspace?: string
  rotate?: boolean
  remove?: boolean
  grace?: string
}

const defaultGrace = '24h'

export async function secret(named: string, options: SecretOptions): Promise<void> {
  if (options.remove && (options.rotate || options.grace !== undefined))
    throw usageError('--remove goes without --rotate and --grace.')
  if (options.grace !== undefined && !options.rotate) throw usageError('--grace goes with --rotate.')
  if (options.remove) return removeSecret(named, options)
  const graceMs = parseGrace(options.grace ?? defaultGrace)
  const { workspaceId, id, name, made } = await withInstallation(async ask => {
    const { id: workspaceId } = await workspaceOf(ask, options.workspace)
    const { id, number, name } = await destinationOf(ask, workspaceId, named)
    const request = { workspaceId, number, id: randomId(idLength.key), graceMs, first: !options.rotate }
    return { workspaceId, id, name, made: await ask('rotate-destination-secret', request) }
  })
  if (options.json) return printJson({ id, workspace: workspaceId, secret: made.secret })
  const along = typeof made.alongUntil === 'number' ? ` The previous secret signs too for ${formatDuration(graceMs)}.` : ''
  printMade(made.secret, `Messages to "${name}" are signed.${along} Its secret is shown only now:`)
}

async function removeSecret(named: string, options: SecretOptions): Promise<void> {
  const { workspaceId, id, name, removed } = await withInstallation(async ask => {
    const { id: workspaceId } = await workspaceOf(ask, options.workspace)
    const { id, number, name } = await destinationOf(ask, workspaceId, named)
    return { workspaceId, id, name, ...(await ask('delete-destination-secret', { workspaceId, number })) }
  })
  if (options.json) return printJson({ id, workspace: workspaceId, removed })
  say(`Messages to "${name}" ${removed ? 'are no longer signed' : 'were not signed'}.`)
}

function parseGrace(text: string): number {
  const ms = parseDuration(text)
  if (ms !== null && ms <= limits.destination.secretGraceMs) return ms
  throw usageError(`--grace must be a duration such as 24h, at most ${formatDuration(limits.destination.secretGraceMs)}.`)
}
