// `./watchkeeper key create|list|delete`: API keys of the running installation. A token is printed once, when its key is created. The
// installation gets only the hash of the token.
import type { Command } from 'commander'
import { accessOf, type KeyAction, keyActions } from '#shared/contracts/account.ts'
import type { KeyView } from '#shared/contracts/ask/ask-people.ts'
import { limits } from '#shared/limits/limits.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { hashToken, makeToken, tokenPrefix } from '#shared/tokens/api-token.ts'
import { ownerUsername } from '#shared/tokens/owner-username.ts'
import { usageError } from '../../runtime/start-error.ts'
import { keyIdOf, userOf, workspaceOf } from '../installation/look-up.ts'
import { withInstallation } from '../installation/running-installation.ts'
import { addNoun, type JsonOption } from '../noun.ts'
import { day, instant, printJson, printMade, printTable, say, warn } from '../terminal/printing.ts'

const { listed } = limits.directory

interface KeyOptions extends JsonOption {
  description?: string
  user?: string
  workspace?: string
  actions?: string
}

export function addKeyCommands(program: Command): void {
  const verb = addNoun(program, 'key', 'API keys of people')
  verb('create', 'make a key, valid for 180 days; its token is alone on standard output, and never shown again')
    .option('--description <text>', 'what it is for')
    .option('--user <user>', 'whose key it is, by username or id (default: the owner of the installation)')
    .option('--workspace <workspace>', 'of a scoped key: the one workspace that it reaches, by id or name')
    .option('--actions <actions>', `of a scoped key: ${keyActions.join(', ')}, with commas between; empty: it only reads`)
    .action(createKey)
  verb('list', 'all keys, without their tokens').option('--user <user>', 'only the keys of this user').action(listKeys)
  verb('delete', 'delete a key; it stops working at once').argument('<key>', 'its id or its description').action(deleteKey)
}

async function createKey(options: KeyOptions): Promise<void> {
  const description = options.description ?? ''
  if ([...description].length > limits.key.descriptionCharacters) {
    throw usageError(`--description may have ${limits.key.descriptionCharacters} characters.`)
  }
  const actions = readActions(options)
  const token = makeToken()
  const made = await withInstallation(async ask => {
    const { id: userId } = await userOf(ask, options.user ?? ownerUsername)
    const id = randomId(idLength.key)
    const key = { id, userId, description, tokenHash: hashToken(token), prefix: tokenPrefix(token) }
    if (actions === null) return ask('create-key', key)
    const { id: workspaceId } = await workspaceOf(ask, options.workspace)
    return ask('create-key', { ...key, scope: { workspaceId, actions } })
  })
  if (options.json) return printJson({ ...readable(made), token })
  printMade(token, `Key ${made.id} of ${made.username}, valid until ${day(made.expiresAt)}. Its token is shown only now:`)
}

/** Returns the actions of a scoped key; null: a full key. */
function readActions({ workspace, actions }: KeyOptions): KeyAction[] | null {
  if (actions === undefined) {
    if (workspace === undefined) return null
    throw usageError('--workspace makes a scoped key: say what it may do with --actions (empty: it only reads).')
  }
  const named = actions.split(',').map(action => action.trim())
  const wanted = named.filter(action => action !== '')
  const strange = wanted.find(action => !keyActions.some(known => known === action))
  if (strange !== undefined) throw usageError(`"${strange}" is no action of a key: ${keyActions.join(', ')} are.`)
  return keyActions.filter(action => wanted.includes(action))
}

async function listKeys(options: KeyOptions): Promise<void> {
  const keys = await withInstallation(async ask => {
    const userId = options.user === undefined ? null : (await userOf(ask, options.user)).id
    return ask('list-keys', { userId })
  })
  if (options.user === undefined && keys.length >= listed)
    warn(`Only the newest ${listed} keys are listed. Name a user with --user to see all keys of this user.`)
  if (options.json) return printJson(keys.map(readable))
  const rows = keys.map(key => [
    key.id,
    `${key.prefix}…`,
    key.username,
    day(key.createdAt),
    day(key.expiresAt),
    key.lastUsedAt === null ? 'never' : day(key.lastUsedAt),
    accessOf(key.scope).join(' '),
    key.scope?.workspaceId ?? '',
    key.description,
  ])
  printTable(['id', 'token', 'user', 'made', 'expires', 'used', 'access', 'workspace', 'description'], rows)
}

async function deleteKey(named: string, options: KeyOptions): Promise<void> {
  const deleted = await withInstallation(async ask => ask('delete-key', { keyId: await keyIdOf(ask, named), userId: null }))
  if (options.json) return printJson(deleted)
  say(`Key ${deleted.id} is deleted.`)
}

const readable = (key: KeyView) => ({
  id: key.id,
  prefix: key.prefix,
  description: key.description,
  username: key.username,
  created_at: instant(key.createdAt),
  expires_at: instant(key.expiresAt),
  last_used_at: key.lastUsedAt === null ? null : instant(key.lastUsedAt),
  access: accessOf(key.scope),
  workspace: key.scope?.workspaceId ?? null,
})
