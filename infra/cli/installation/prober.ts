// `./watchkeeper prober create|list|delete`: commands for the credentials by which probers on other machines join. The
// secret of a credential is printed only when the credential is created.
import { rm, writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import type { ProberCredentialView } from '#shared/contracts/ask/ask-probers.ts'
import { limits } from '#shared/limits/limits.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { usageError } from '../../runtime/start-error.ts'
import { addNoun, type JsonOption } from '../noun.ts'
import { day, instant, printJson, printMade, printTable, say } from '../terminal/printing.ts'
import { credentialsOf, locationOf } from './look-up.ts'
import { askInstallation, withInstallation } from './running-installation.ts'

interface CredentialOptions extends JsonOption {
  out?: string
  description?: string
}

export function addProberCommands(program: Command): void {
  const verb = addNoun(program, 'prober', 'credentials of probers on other machines')
  verb('create', 'make a credentials file that permits a prober of one location, and nothing else, on the bus')
    .argument('<location>', 'its id or its name')
    .option('--out <file>', 'a new file to write it to, readable by you alone (default: standard output)')
    .option('--description <text>', 'whose it is')
    .action(createCredentials)
  verb('list', 'all credentials, without their secrets').action(listCredentials)
  verb('delete', 'revoke credentials; probers that are connected with them are cut off at once')
    .argument('<credentials>', 'their id or their description')
    .action(deleteCredentials)
}

async function createCredentials(named: string, options: CredentialOptions): Promise<void> {
  const { description = '', out } = options
  if ([...description].length > limits.prober.descriptionCharacters) {
    throw usageError(`--description may have ${limits.prober.descriptionCharacters} characters.`)
  }
  // Creates the file first, because credentials that cannot be written to a file would have to be revoked.
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
    printMade(credentials.trimEnd(), `Credentials ${made.id} for a prober of ${made.locationName}. They are shown only now:`)
  } else say(`Credentials ${made.id} for a prober of ${made.locationName} are in ${out}.`)
}

async function listCredentials(options: JsonOption): Promise<void> {
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

async function deleteCredentials(named: string, options: JsonOption): Promise<void> {
  const revoked = await withInstallation(async ask =>
    ask('delete-prober-credential', { credentialId: (await credentialsOf(ask, named)).id }),
  )
  if (options.json) return printJson(readable(revoked))
  say(`Credentials ${revoked.id} are revoked.`)
}

/** Writes the file. `wx` refuses to overwrite a file, because the file may be the only copy of other credentials. */
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
