// `./watchkeeper user create|list|change|delete`: accounts of the installation, over generation 3 of the API, for its administrators. On the
// machine of the installation, `member` also sets passwords, and gives the rights back that nobody has any more.
import type { Command } from 'commander'
import { apiPath } from '#shared/api-v3/api-path.ts'
import { usageError } from '../../runtime/start-error.ts'
import { type User, userOf } from '../api/look-up-api.ts'
import { withApi } from '../api/with-api.ts'
import { type ApiOptions, addInstallationNoun, yesOrNo } from '../noun.ts'
import { printJson, printMade, printTable, say } from '../terminal/printing.ts'
import { readPassword } from './read-password.ts'

interface CreateOptions extends ApiOptions {
  displayName?: string
  admin?: boolean
  password?: boolean
}

interface ChangeOptions extends ApiOptions {
  displayName?: string
  admin?: 'yes' | 'no'
  disabled?: 'yes' | 'no'
}

const named = ['<user>', 'the username or the id'] as const
const displayName = ['--display-name <text>', 'how the person is called; an empty text: by the username'] as const

export function addUserCommands(program: Command): void {
  const verb = addInstallationNoun(program, 'user', 'accounts of the installation, for its administrators')
  verb('create', 'make an account; its id alone is on standard output')
    .argument('<username>')
    .option(...displayName)
    .option('--admin', 'may manage locations, probers and people')
    .option('--password', 'also read its first password, typed or from standard input')
    .action(createUser)
  verb('list', 'all accounts').action(listUsers)
  verb('change', 'change what is named and leave the rest')
    .argument(...named)
    .option(...displayName)
    .addOption(yesOrNo('--admin <right>', 'may manage locations, probers and people'))
    .addOption(yesOrNo('--disabled <state>', 'refuse sign-ins, sessions and keys of the person'))
    .action(changeUser)
  verb('delete', 'delete an account with its keys, sessions and memberships')
    .argument(...named)
    .option('--force', 'also an account that has keys or memberships')
    .action(deleteUser)
}

async function createUser(username: string, options: CreateOptions): Promise<void> {
  const password = options.password ? await readPassword() : undefined
  const sent = { username, display_name: options.displayName, password, admin: options.admin }
  const made = await withApi(options, api => api.send<User>('POST', '/users', sent))
  if (options.json) return printJson(made)
  printMade(made.id, `${made.username} has an account, ${made.has_password ? 'with' : 'without'} a password. Its id:`)
}

async function listUsers(options: ApiOptions): Promise<void> {
  const all = await withApi(options, api => api.list<User>('/users', { limit: 200 }, 'users'))
  if (options.json) return printJson(all)
  printTable(
    ['id', 'username', 'rights', 'state', 'password', 'made', 'name'],
    all.map(user => [
      user.id,
      user.username,
      user.admin ? 'admin' : '',
      user.disabled ? 'disabled' : '',
      user.has_password ? 'yes' : 'no',
      user.created_at.slice(0, 10),
      user.display_name,
    ]),
  )
}

async function changeUser(wanted: string, options: ChangeOptions): Promise<void> {
  const { admin, disabled } = options
  const sent = {
    ...(options.displayName !== undefined && { display_name: options.displayName }),
    ...(admin !== undefined && { admin: admin === 'yes' }),
    ...(disabled !== undefined && { disabled: disabled === 'yes' }),
  }
  if (Object.keys(sent).length === 0) throw usageError('Say what to change: --display-name, --admin or --disabled.')
  const changed = await withApi(options, async api => {
    const { id } = await userOf(api, wanted)
    return api.send<User>('PATCH', apiPath`/users/${id}`, sent)
  })
  if (options.json) return printJson(changed)
  say(`User ${changed.username} is changed.`)
}

async function deleteUser(wanted: string, options: ApiOptions & { force?: boolean }): Promise<void> {
  const { username, deleted } = await withApi(options, async api => {
    const { id, username } = await userOf(api, wanted)
    const query = { force: options.force }
    return { username, deleted: await api.call({ method: 'DELETE', path: apiPath`/users/${id}`, query }) }
  })
  if (options.json) return printJson(deleted)
  say(`User ${username} is deleted.`)
}
