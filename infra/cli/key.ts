// `watchkeeper key create|list|delete`: API keys of the running installation. A token is printed once, when its key is made.
import type { Command } from 'commander'
import type { KeyView } from '#shared/contracts/ask.ts'
import { limits } from '#shared/limits.ts'
import { exitCodes, StartError } from '../embedded/start-error.ts'
import { askInstallation } from './running-installation.ts'

interface KeyOptions {
  json?: boolean
  description?: string
  user?: string
}

export function addKeyCommands(program: Command): void {
  const key = program.command('key').description('API keys of the running installation')
  const json = ['--json', 'answer JSON, for machines'] as const
  key
    .command('create')
    .description('make a key, valid for 180 days; its token is shown once')
    .option('--description <text>', 'what it is for', '')
    .option('--user <name>', 'whose key it is (default: the owner)')
    .option(...json)
    .action(createKey)
  key
    .command('list')
    .description('all keys, without their tokens')
    .option(...json)
    .action(listKeys)
  key
    .command('delete')
    .description('delete a key; it stops working at once')
    .argument('<id>', 'as `key list` shows it')
    .option(...json)
    .action(deleteKey)
}

async function createKey(options: KeyOptions): Promise<void> {
  const description = options.description ?? ''
  if (description.length > limits.key.descriptionCharacters) {
    throw new StartError(`--description may have ${limits.key.descriptionCharacters} characters.`, exitCodes.usage)
  }
  const made = await askInstallation('create-key', {
    description,
    ...(options.user === undefined ? {} : { username: options.user }),
  })
  if (options.json) return printJson({ ...readable(made), token: made.token })
  // The token alone on standard output, so that it can be piped; the rest is for the person.
  console.error(`Key ${made.id} of ${made.username}, valid until ${day(made.expiresAt)}. Its token is shown only now:`)
  console.log(made.token)
}

async function listKeys(options: KeyOptions): Promise<void> {
  const keys = await askInstallation('list-keys', {})
  if (options.json) return printJson(keys.map(readable))
  const rows = keys.map(key => [
    key.id,
    `${key.prefix}…`,
    key.username,
    day(key.createdAt),
    day(key.expiresAt),
    key.lastUsedAt === null ? 'never' : day(key.lastUsedAt),
    key.description,
  ])
  printTable(['id', 'token', 'user', 'made', 'expires', 'used', 'description'], rows)
}

async function deleteKey(id: string, options: KeyOptions): Promise<void> {
  if (!/^[0-9A-Za-z_.-]{1,64}$/.test(id))
    throw new StartError(`"${id}" is no key id: watchkeeper key list shows them.`, exitCodes.usage)
  const deleted = await askInstallation('delete-key', { keyId: id })
  if (options.json) return printJson(deleted)
  console.log(`Key ${deleted.id} is deleted.`)
}

const printJson = (value: unknown) => console.log(JSON.stringify(value))

const readable = (key: KeyView) => ({
  id: key.id,
  prefix: key.prefix,
  description: key.description,
  username: key.username,
  created_at: new Date(key.createdAt).toISOString(),
  expires_at: new Date(key.expiresAt).toISOString(),
  last_used_at: key.lastUsedAt === null ? null : new Date(key.lastUsedAt).toISOString(),
})

const day = (at: number) => new Date(at).toISOString().slice(0, 10)

/** Columns as wide as they need; the heading is bold on a terminal. */
function printTable(heading: string[], rows: string[][]): void {
  const widths = heading.map((title, column) => Math.max(title.length, ...rows.map(row => (row[column] ?? '').length)))
  const line = (row: string[]) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  const coloured = process.stdout.isTTY && process.env['NO_COLOR'] === undefined
  console.log(coloured ? `\u001b[1m${line(heading)}\u001b[22m` : line(heading))
  for (const row of rows) console.log(line(row))
}
