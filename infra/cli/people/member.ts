// `./watchkeeper member …`: accounts of the running installation, and their roles in workspaces.
import { Argument, type Command, Option } from 'commander'
import { allPages } from '#shared/async/pages.ts'
import { type Role, roles } from '#shared/contracts/account.ts'
import type { MemberView, UserView } from '#shared/contracts/ask/ask-people.ts'
import { counted } from '#shared/text/counted.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { exitCodes, StartError, usageError } from '../../runtime/start-error.ts'
import { userOf, workspaceOf } from '../installation/look-up.ts'
import { withInstallation } from '../installation/running-installation.ts'
import { addNoun, inWorkspace, type JsonOption } from '../noun.ts'
import { day, instant, printJson, printTable, say } from '../terminal/printing.ts'
import { readPassword } from './read-password.ts'

interface MemberOptions extends JsonOption {
  workspace?: string
  displayName?: string
  role?: Role
  admin?: boolean
  force?: boolean
}

const user = ['<user>', 'the username or the id'] as const
const lastAdministrator = ['--force', 'also where no administrator is left'] as const

export function addMemberCommands(program: Command): void {
  const verb = addNoun(program, 'member', 'people, their passwords, and their roles in workspaces')
  verb('create', 'make an account where there is none of this name; with --workspace or --role also a member')
    .argument('<username>')
    .option('--display-name <text>', 'how the person is called; for a new account only')
    .option('--admin', 'may manage locations, probers and people; for a new account only')
    .option(...inWorkspace)
    .addOption(new Option('--role <role>', 'what a member may do (default: editor)').choices(roles.toReversed()))
    .action(createMember)
  verb('list', 'all accounts, or the members of a workspace')
    .option('--workspace <workspace>', 'only its members, with their roles')
    .action(listMembers)
  verb('delete', 'delete an account with its keys, sessions and memberships; with --workspace that membership alone')
    .argument(...user)
    .option('--workspace <workspace>', 'take the person out of this workspace; the account stays')
    .option('--force', 'also an account that has keys or memberships, or is the last administrator')
    .action(deleteMember)
  verb('role', 'change the role of a member')
    .argument(...user)
    .addArgument(new Argument('<role>').choices(roles.toReversed()))
    .option(...inWorkspace)
    .action(changeRole)
  verb('password', 'set a password, typed or from standard input; ends all sessions of the person')
    .argument(...user)
    .action(setPassword)
  verb('disable', 'refuse sign-ins, sessions and keys of a person')
    .argument(...user)
    .option(...lastAdministrator)
    .action(switchUser({ disabled: true }))
  verb('enable', 'let a disabled person in again')
    .argument(...user)
    .action(switchUser({ disabled: false }))
  verb('admin', 'give or take the right to manage locations, probers and people')
    .argument(...user)
    .addArgument(new Argument('<right>').choices(['yes', 'no']))
    .option(...lastAdministrator)
    .action((named, right, options) => switchUser({ admin: right === 'yes' })(named, options))
}

async function createMember(username: string, options: MemberOptions): Promise<void> {
  const { user, member } = await withInstallation(async ask => {
    const present = await ask('find-user', { username })
    const wantsMember = options.workspace !== undefined || options.role !== undefined
    if (present && !wantsMember) throw new StartError(`There is a user "${present.username}" already.`, exitCodes.refused)
    if (present) requireNoAccountOptions(present, options)
    // Finds the workspace before the account is created, so that an unknown workspace leaves no account behind.
    const workspace = wantsMember ? await workspaceOf(ask, options.workspace) : null
    const { displayName = '', admin = false } = options
    const user =
      present ?? (await ask('create-user', { id: randomId(idLength.user), username, displayName, password: null, admin }))
    if (!workspace) return { user, member: null }
    const member = await ask('add-member', { workspaceId: workspace.id, username, role: options.role ?? 'editor' })
    return { user, member: { ...member, workspace: workspace.name } }
  })
  if (options.json) return printJson(member ? { ...readableUser(user), role: member.role } : readableUser(user))
  const where = member ? ` and is ${member.role} in "${member.workspace}"` : ''
  const next = user.hasPassword ? '' : ` A password comes by: ./watchkeeper member password ${user.username}`
  say(`${user.username} has an account${where}.${next}`)
}

/** Throws a StartError if options would change an existing account. */
function requireNoAccountOptions({ username }: UserView, { admin, displayName }: MemberOptions): void {
  const given: string[] = []
  const instead: string[] = []
  if (admin) {
    given.push('--admin')
    instead.push(`./watchkeeper member admin ${username} yes gives the right`)
  }
  if (displayName !== undefined) {
    given.push('--display-name')
    instead.push(`./watchkeeper user change ${username} --display-name changes the name`)
  }
  if (given.length === 0) return
  const what = `${given.join(' and ')} ${given.length > 1 ? 'are' : 'is'} for a new account`
  throw new StartError(`There is a user "${username}" already, and ${what}: ${instead.join('; ')}.`, exitCodes.refused)
}

async function listMembers(options: MemberOptions): Promise<void> {
  const { json, workspace } = options
  if (workspace !== undefined) {
    const members = await withInstallation(async ask =>
      ask('list-members', { workspaceId: (await workspaceOf(ask, workspace)).id }),
    )
    if (json) return printJson(members.map(readableMember))
    const rows = members.map(member => [member.username, member.role, member.disabled ? 'disabled' : '', member.displayName])
    return printTable(['username', 'role', 'state', 'name'], rows)
  }
  const users = await withInstallation(ask => allPages(after => ask('list-users', { after })))
  if (json) return printJson(users.map(readableUser))
  const rows = users.map(user => [
    user.id,
    user.username,
    user.admin ? 'admin' : '',
    user.disabled ? 'disabled' : '',
    user.hasPassword ? 'yes' : 'no',
    day(user.createdAt),
    user.displayName,
  ])
  printTable(['id', 'username', 'rights', 'state', 'password', 'made', 'name'], rows)
}

async function deleteMember(named: string, options: MemberOptions): Promise<void> {
  if (options.workspace !== undefined) return takeOut(named, options)
  const { username, workspaces, keys } = await withInstallation(async ask => {
    const { id: userId } = await userOf(ask, named)
    return ask('delete-user', { userId, force: options.force ?? false })
  })
  if (options.json) return printJson({ username, workspaces, keys })
  say(`${username} is deleted, with ${counted(keys, 'key')} and ${counted(workspaces, 'membership')}.`)
}

async function takeOut(named: string, options: MemberOptions): Promise<void> {
  if (options.force) throw usageError('--force goes without --workspace: a workspace always keeps an owner.')
  const { workspace, user, removed } = await withInstallation(async ask => {
    const workspace = await workspaceOf(ask, options.workspace)
    const user = await userOf(ask, named)
    return { workspace, user, ...(await ask('remove-member', { workspaceId: workspace.id, userId: user.id })) }
  })
  if (!removed) throw new StartError(`${user.username} is no member of "${workspace.name}".`, exitCodes.notFound)
  if (options.json) return printJson({ username: user.username, workspace_id: workspace.id })
  say(`${user.username} is out of "${workspace.name}".`)
}

async function changeRole(named: string, role: Role, options: MemberOptions): Promise<void> {
  const { workspace, member } = await withInstallation(async ask => {
    const workspace = await workspaceOf(ask, options.workspace)
    const { id: userId } = await userOf(ask, named)
    return { workspace, member: await ask('change-role', { workspaceId: workspace.id, userId, role, byAdministrator: true }) }
  })
  if (options.json) return printJson(readableMember(member))
  say(`${member.username} is ${member.role} in "${workspace.name}" now.`)
}

async function setPassword(named: string, options: MemberOptions): Promise<void> {
  const user = await withInstallation(ask => userOf(ask, named))
  const password = await readPassword()
  await withInstallation(ask => ask('set-password', { userId: user.id, password }))
  if (options.json) return printJson({ username: user.username })
  say(`The password of ${user.username} is set.`)
}

const switchUser = (change: { disabled?: boolean; admin?: boolean }) => async (named: string, options: MemberOptions) => {
  const user = await withInstallation(async ask => {
    const { id: userId } = await userOf(ask, named)
    return ask('update-user', { userId, ...change, force: options.force ?? false })
  })
  if (options.json) return printJson(readableUser(user))
  say(
    `${user.username} is ${user.disabled ? 'disabled' : 'enabled'} and ${user.admin ? 'an administrator' : 'no administrator'}.`,
  )
}

const readableUser = (user: UserView) => ({
  id: user.id,
  username: user.username,
  display_name: user.displayName,
  admin: user.admin,
  disabled: user.disabled,
  has_password: user.hasPassword,
  created_at: instant(user.createdAt),
  signed_in_at: user.signedInAt === null ? null : instant(user.signedInAt),
})

const readableMember = (member: MemberView) => ({
  user_id: member.userId,
  username: member.username,
  display_name: member.displayName,
  disabled: member.disabled,
  role: member.role,
})
