// `watchkeeper prober credentials|list|revoke`: what a prober on another machine needs to join. A secret is given once.
import { rm, writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import type { ProberCredentialView } from '#shared/contracts/ask-probers.ts'
import { idLength, randomId } from '#shared/ids.ts'
import { isId } from '#shared/is-id.ts'
import { limits } from '#shared/limits.ts'
import { usageError } from '../embedded/start-error.ts'
import { locationOf } from './look-up.ts'
import { day, instant, printJson, printTable } from './printing.ts'
import { askInstallation, withInstallation } from './running-installation.ts'

interface CredentialOptions {
  json?: boolean
  out?: string
  description: string
}

export function addProberCommands(program: Command): void {
  const prober = program.command('prober').description('probers on other machines')
  const json = ['--json', 'answer JSON, for machines'] as const
  prober
    .command('credentials')
    .description('make a credentials file that permits a prober of one location, and nothing else, on the bus')
    .argument('<location>', 'its name or its id')
    .option('--out <file>', 'a new file to write it to, readable by you alone (default: standard output)')
    .option('--description <text>', 'whose it is', '')
    .option(...json)
    .action(makeCredentials)
  prober
    .command('list')
    .description('all credentials, without their secrets')
    .option(...json)
    .action(listCredentials)
  prober
    .command('revoke')
    .description('revoke credentials; whoever is connected with them is cut off at once')
    .argument('<id>', 'as `prober list` shows it')
    .option(...json)
    .action(revokeCredentials)
}

async function makeCredentials(named: string, options: CredentialOptions): Promise<void> {
  const { description, out } = options
  if ([...description].length > limits.prober.descriptionCharacters) {
    throw usageError(`--description may have ${limits.prober.descriptionCharacters} characters.`)
  }
  // Before anything is made: a secret that can't be kept would have to be revoked.
  if (out !== undefined) await write(out, '')
  const id = randomId(idLength.key)
  const made = await withInstallation(async ask =>
    ask('create-prober-credential', { id, locationName: (await locationOf(ask, named)).name, description }),
  ).catch(async error => {
    if (out !== undefined) await rm(out, { force: true })
    throw error
  })
  if (out !== undefined) await write(out, made.credentials, 'r+')
  const { credentials, ...shown } = made
  if (options.json) return printJson({ ...readable(shown), ...(out === undefined ? { credentials } : { file: out }) })
  if (out === undefined) {
    // The file alone on standard output, so that it can be piped; the rest is for the person.
    console.error(`Credentials ${made.id} for a prober of ${made.locationName}. They are shown only now:`)
    console.log(credentials.trimEnd())
  } else console.log(`Credentials ${made.id} for a prober of ${made.locationName} are in ${out}.`)
}

async function listCredentials(options: { json?: boolean }): Promise<void> {
  const all = await askInstallation('list-prober-credentials', {})
  if (options.json) return printJson(all.map(readable))
  const rows = all.map(credential => [
    credential.id,
    credential.locationName ?? `${credential.locationId} (removed)`,
    day(credential.createdAt),
    credential.revokedAt === null ? 'no' : day(credential.revokedAt),
    credential.description,
  ])
  printTable(['id', 'location', 'made', 'revoked', 'description'], rows)
}

async function revokeCredentials(id: string, options: { json?: boolean }): Promise<void> {
  if (!isId(id)) throw usageError(`"${id}" is no id of credentials: watchkeeper prober list shows them.`)
  const revoked = await askInstallation('delete-prober-credential', { credentialId: id })
  if (options.json) return printJson(readable(revoked))
  console.log(`Credentials ${revoked.id} are revoked.`)
}

/** `wx` refuses a file that is there: it may be the only copy of other credentials. */
async function write(file: string, content: string, flag: 'wx' | 'r+' = 'wx'): Promise<void> {
  try {
    await writeFile(file, content, { mode: 0o600, flag })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = code === 'EEXIST' ? 'exists' : `can't be written (${code})`
    throw usageError(`The file ${file} ${why}: name another one.`)
  }
}

const readable = (credential: ProberCredentialView) => ({
  id: credential.id,
  location_id: credential.locationId,
  location: credential.locationName,
  description: credential.description,
  public_key: credential.publicKey,
  created_at: instant(credential.createdAt),
  revoked_at: credential.revokedAt === null ? null : instant(credential.revokedAt),
})
