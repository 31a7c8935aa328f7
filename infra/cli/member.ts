// `watchkeeper member …`: the people of the running installation, and who is in which workspace as what.
import { type Command, Option } from 'commander'
import { allPages } from '#shared/all-pages.ts'
import type { Role } from '#shared/contracts/account.ts'
import type { MemberView, UserView } from '#shared/contracts/ask-people.ts'
import { idLength, randomId } from '#shared/ids.ts'
import { exitCodes, StartError, usageError } from '../embedded/start-error.ts'
import { userOf, workspaceOf } from './look-up.ts'
import { day, instant, printJson, printTable } from './printing.ts'
import { readPassword } from './read-password.ts'
import { withInstallation } from './running-installation.ts'

interface MemberOptions {
  json?: boolean
  workspace?: string
  displayName?: string
  role?: Role
  admin?: boolean
}

const roles = ['owner', 'editor', 'viewer'] as const

export function addMemberCommands(program: Command): void {
  const member = program.command('member').description('people, their passwords, and their roles in workspaces')
  const command = (name: string, description: string) =>
    member.command(name).description(description).option('--json', 'answer JSON, for machines')
  const inWorkspace = ['--workspace <id or name>', 'which workspace (default: the only one there is)'] as const
  command('add', 'make an account where there is none of this name; with --workspace or --role also a member')
    .argument('<username>')
    .option('--display-name <text>', 'how the person is called; for a new account only')
    .option('--admin', 'may manage locations, probers and people; for a new account only')
    .option(...inWorkspace)
    .addOption(new Option('--role <role>', 'what a member may do (default: editor)').choices(roles))
    .action(addMember)
  command('list', 'all accounts, or the members of a workspace')
    .option('--workspace <id or name>', 'only its members, with their roles')
    .action(listMembers)
  command('role', 'change the role of a member')
    .argument('<username>')
    .argument('<role>', roles.join(', '))
    .option(...inWorkspace)
    .action(changeRole)
  command('remove', 'take a member out of a workspace; the account stays')
    .argument('<username>')
    .option(...inWorkspace)
    .action(removeMember)
  command('password', 'set a password, typed or from standard input; ends all sessions of the person')
    .argument('<username>')
    .action(setPassword)
  command('disable', 'refuse sign-ins, sessions and keys of a person')
    .argument('<username>')
    .action(switchUser({ disabled: true }))
  command('enable', 'let a disabled person in again')
    .argument('<username>')
    .action(switchUser({ disabled: false }))
  command('admin', 'give or take the right to manage locations, probers and people')
    .argument('<username>')
    .argument('<yes|no>')
    .action(setAdmin)
}

async function addMember(username: string, options: MemberOptions): Promise<void> {
  const { user, member } = await withInstallation(async ask => {
    const present = await ask('find-user', { username })
    const wantsMember = options.workspace !== undefined || options.role !== undefined
    if (present && !wantsMember) throw new StartError(`There is a user "${present.username}" already.`, exitCodes.refused)
    if (present) demandNoAccountOptions(present, options)
    // Before the account is made: a workspace that can't be found leaves nothing behind.
    const workspace = wantsMember ? await workspaceOf(ask, options.workspace) : null
    const { displayName = '', admin = false } = options
    const user =
      present ?? (await ask('create-user', { id: randomId(idLength.user), username, displayName, password: null, admin }))
    if (!workspace) return { user, member: null }
    const member = await ask('add-member', { workspaceId: workspace.id, username, role: options.role ?? 'editor' })
    return { user, member: { ...member, workspace: workspace.name } }
  })
  if (options.json) return printJson(member ? { ...readableUser(user), role: member.role } : readableUser(user))
  const where = member ? ` and is ${member.role} in ${member.workspace}` : ''
  const next = user.hasPassword ? '' : ` A password comes by: watchkeeper member password ${user.username}`
  console.log(`${user.username} has an account${where}.${next}`)
}

/** Throws a StartError: an account that is there is not changed by the way. */
function demandNoAccountOptions({ id, username }: UserView, { admin, displayName }: MemberOptions): void {
  const given: string[] = []
  const instead: string[] = []
  if (admin) {
    given.push('--admin')
    instead.push(`watchkeeper member admin ${username} yes gives the right`)
  }
  if (displayName !== undefined) {
    given.push('--display-name')
    instead.push(`PATCH /session/users/${id} changes the name`)
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
    user.username,
    user.admin ? 'admin' : '',
    user.disabled ? 'disabled' : '',
    user.hasPassword ? 'yes' : 'no',
    day(user.createdAt),
    user.displayName,
  ])
  printTable(['username', 'rights', 'state', 'password', 'made', 'name'], rows)
}

async function changeRole(username: string, role: string, options: MemberOptions): Promise<void> {
  if (!roles.includes(role as Role)) throw usageError(`"${role}" is no role: ${roles.join(', ')}.`)
  const member = await withInstallation(async ask => {
    const { id: workspaceId } = await workspaceOf(ask, options.workspace)
    const { id: userId } = await userOf(ask, username)
    return ask('change-role', { workspaceId, userId, role: role as Role })
  })
  if (options.json) return printJson(readableMember(member))
  console.log(`${member.username} is ${member.role} now.`)
}

async function removeMember(username: string, options: MemberOptions): Promise<void> {
  const { workspace, user, removed } = await withInstallation(async ask => {
    const workspace = await workspaceOf(ask, options.workspace)
    const user = await userOf(ask, username)
    return { workspace, user, ...(await ask('remove-member', { workspaceId: workspace.id, userId: user.id })) }
  })
  if (options.json) return printJson({ username: user.username, removed })
  console.log(removed ? `${user.username} is out of ${workspace.name}.` : `${user.username} was no member of ${workspace.name}.`)
}

async function setPassword(username: string, options: MemberOptions): Promise<void> {
  const user = await withInstallation(ask => userOf(ask, username))
  const password = await readPassword()
  await withInstallation(ask => ask('set-password', { userId: user.id, password }))
  if (options.json) return printJson({ username: user.username })
  console.log(`The password of ${user.username} is set.`)
}

async function setAdmin(username: string, given: string, options: MemberOptions): Promise<void> {
  if (given !== 'yes' && given !== 'no') throw usageError(`Say yes or no, not "${given}".`)
  await switchUser({ admin: given === 'yes' })(username, options)
}

const switchUser = (change: { disabled?: boolean; admin?: boolean }) => async (username: string, options: MemberOptions) => {
  const user = await withInstallation(async ask => {
    const { id: userId } = await userOf(ask, username)
    return ask('update-user', { userId, ...change })
  })
  if (options.json) return printJson(readableUser(user))
  console.log(`${user.username} is ${user.disabled ? 'disabled' : 'enabled'} and ${user.admin ? 'an admin' : 'no admin'}.`)
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
  username: member.username,
  display_name: member.displayName,
  disabled: member.disabled,
  role: member.role,
})
