// `./watchkeeper prober create|list|delete`: credentials by which probers on other machines join, over generation 3 of the API. The secret of
// credentials is printed only when they are created.
import { rm, writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import type { Static } from 'typebox'
import { apiPath } from '#shared/api-v3/api-path.ts'
import type { MadeCredentialObject } from '../../../services/gateway/v3/administration/prober-credentials.ts'
import { usageError } from '../../runtime/start-error.ts'
import { type Credentials, credentialsOf, locationOf } from '../api/look-up-api.ts'
import { withApi } from '../api/with-api.ts'
import { type ApiOptions, addInstallationNoun } from '../noun.ts'
import { printJson, printMade, printTable, say } from '../terminal/printing.ts'

interface CredentialOptions extends ApiOptions {
  out?: string
  description?: string
}

export function addProberCommands(program: Command): void {
  const verb = addInstallationNoun(program, 'prober', 'credentials of probers on other machines')
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
  const { description, out } = options
  // Creates the file first, because credentials that cannot be written to a file would have to be revoked.
  if (out !== undefined) await write(out, '')
  const made = await withApi(options, async api => {
    const sent = { location: (await locationOf(api, named)).id, description }
    return api.send<Static<typeof MadeCredentialObject>>('POST', '/prober-credentials', sent)
  }).catch(async error => {
    if (out !== undefined) await rm(out, { force: true })
    throw error
  })
  if (out !== undefined) await write(out, made.credentials, 'r+')
  const { credentials, ...shown } = made
  if (options.json) return printJson({ ...shown, ...(out === undefined ? { credentials } : { file: out }) })
  if (out === undefined) {
    printMade(credentials.trimEnd(), `Credentials ${made.id} for a prober of ${made.location}. They are shown only now:`)
  } else say(`Credentials ${made.id} for a prober of ${made.location} are in ${out}.`)
}

async function listCredentials(options: ApiOptions): Promise<void> {
  const all = await withApi(options, api => api.all<Credentials>('/prober-credentials'))
  if (options.json) return printJson(all)
  const rows = all.map(one => [
    one.id,
    one.location ?? `${one.location_id} (removed)`,
    one.created_at.slice(0, 10),
    one.revoked_at?.slice(0, 10) ?? 'no',
    one.description,
  ])
  printTable(['id', 'location', 'made', 'revoked', 'description'], rows)
}

async function deleteCredentials(named: string, options: ApiOptions): Promise<void> {
  const revoked = await withApi(options, async api => {
    const { id } = await credentialsOf(api, named)
    return api.send<Credentials>('DELETE', apiPath`/prober-credentials/${id}`)
  })
  if (options.json) return printJson(revoked)
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
