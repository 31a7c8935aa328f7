// `watchkeeper key create|list|delete`: API keys of the running installation. A token is printed once, when its key is made, and
// is known to nobody else: the installation gets its hash.
import type { Command } from 'commander'
import { hashToken, makeToken, tokenPrefix } from '#shared/api-token.ts'
import type { KeyView } from '#shared/contracts/ask-people.ts'
import { idLength, randomId } from '#shared/ids.ts'
import { isId } from '#shared/is-id.ts'
import { limits } from '#shared/limits.ts'
import { ownerUsername } from '#shared/owner-username.ts'
import { usageError } from '../embedded/start-error.ts'
import { userOf } from './look-up.ts'
import { day, instant, printJson, printTable } from './printing.ts'
import { askInstallation, withInstallation } from './running-installation.ts'

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
    .option('--user <name>', 'only the keys of this user')
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
  if ([...description].length > limits.key.descriptionCharacters) {
    throw usageError(`--description may have ${limits.key.descriptionCharacters} characters.`)
  }
  const token = makeToken()
  const made = await withInstallation(async ask => {
    const { id: userId } = await userOf(ask, options.user ?? ownerUsername)
    const id = randomId(idLength.key)
    return ask('create-key', { id, userId, description, tokenHash: hashToken(token), prefix: tokenPrefix(token) })
  })
  if (options.json) return printJson({ ...readable(made), token })
  // The token alone on standard output, so that it can be piped; the rest is for the person.
  console.error(`Key ${made.id} of ${made.username}, valid until ${day(made.expiresAt)}. Its token is shown only now:`)
  console.log(token)
}

async function listKeys(options: KeyOptions): Promise<void> {
  const keys = await withInstallation(async ask => {
    const userId = options.user === undefined ? null : (await userOf(ask, options.user)).id
    return ask('list-keys', { userId })
  })
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
  if (!isId(id)) throw usageError(`"${id}" is no key id: watchkeeper key list shows them.`)
  const deleted = await askInstallation('delete-key', { keyId: id, userId: null })
  if (options.json) return printJson(deleted)
  console.log(`Key ${deleted.id} is deleted.`)
}

const readable = (key: KeyView) => ({
  id: key.id,
  prefix: key.prefix,
  description: key.description,
  username: key.username,
  created_at: instant(key.createdAt),
  expires_at: instant(key.expiresAt),
  last_used_at: key.lastUsedAt === null ? null : instant(key.lastUsedAt),
})
