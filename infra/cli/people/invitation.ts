// `./watchkeeper invitation …`: invitations to workspaces of the running installation.
import { type Command, Option } from 'commander'
import { type Role, roles } from '#shared/contracts/account.ts'
import type { InvitationView, OwnInvitationView } from '#shared/contracts/ask/ask-people.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { ownerUsername } from '#shared/tokens/owner-username.ts'
import { exitCodes, StartError, usageError } from '../../runtime/start-error.ts'
import { userOf, workspaceOf } from '../installation/look-up.ts'
import { withInstallation } from '../installation/running-installation.ts'
import { addNoun, inWorkspace, type JsonOption } from '../noun.ts'
import { day, instant, printJson, printTable, say } from '../terminal/printing.ts'

interface InvitationOptions extends JsonOption {
  workspace?: string
  user: string
  role: Role
  by: string
}

const invitation = ['<invitation>', 'its id, as `invitation list` shows it'] as const
const invitedPerson = ['--user <user>', 'the invited person, by username or id'] as const

export function addInvitationCommands(program: Command): void {
  const verb = addNoun(program, 'invitation', 'invitations to workspaces, which people accept or decline')
  verb('create', 'invite a name to a workspace; nothing tells whether somebody has the name')
    .argument('<username>')
    .option(...inWorkspace)
    .addOption(new Option('--role <role>', 'what the member may do').choices(roles.toReversed()).default('editor'))
    .option('--by <user>', 'the owner of the workspace who invites', ownerUsername)
    .action(createInvitation)
  verb('list', 'the pending invitations of a person, or of a workspace')
    .option('--user <user>', 'those that this person may accept')
    .option('--workspace <workspace>', 'those of this workspace, by its id or its name')
    .action(listInvitations)
  verb('accept', 'accept an invitation: the person is a member then')
    .argument(...invitation)
    .requiredOption(...invitedPerson)
    .action(acceptInvitation)
  verb('decline', 'decline an invitation; the owners of the workspace are not told')
    .argument(...invitation)
    .requiredOption(...invitedPerson)
    .action(declineInvitation)
  verb('delete', 'withdraw an invitation')
    .argument(...invitation)
    .option(...inWorkspace)
    .action(withdrawInvitation)
}

async function createInvitation(username: string, options: InvitationOptions): Promise<void> {
  const { workspace, invited } = await withInstallation(async ask => {
    const workspace = await workspaceOf(ask, options.workspace)
    const { id: inviterId } = await userOf(ask, options.by)
    const id = `${workspace.id}.${randomId(idLength.invitation)}`
    const invited = await ask('invite', { id, workspaceId: workspace.id, inviterId, username, role: options.role })
    return { workspace, invited }
  })
  if (options.json) return printJson(readableSent(invited))
  say(`${invited.username} is invited to "${workspace.name}" as ${invited.role}, until ${day(invited.expiresAt)}.`)
}

async function listInvitations(options: Partial<InvitationOptions>): Promise<void> {
  const { json, user, workspace } = options
  if ((user === undefined) === (workspace === undefined)) throw usageError('Say whose invitations: --user or --workspace.')
  if (user !== undefined) {
    const own = await withInstallation(async ask => ask('list-invitations', { userId: (await userOf(ask, user)).id }))
    if (json) return printJson(own.map(readableOwn))
    const rows = own.map(one => [one.id, one.role, one.invitedBy.username, day(one.createdAt), day(one.expiresAt), one.workspace])
    return printTable(['id', 'role', 'by', 'made', 'ends', 'workspace'], rows)
  }
  const sent = await withInstallation(async ask =>
    ask('list-workspace-invitations', { workspaceId: (await workspaceOf(ask, workspace)).id }),
  )
  if (json) return printJson(sent.map(readableSent))
  const rows = sent.map(one => [one.id, one.username, one.role, one.invitedBy, day(one.createdAt), day(one.expiresAt)])
  printTable(['id', 'username', 'role', 'by', 'made', 'ends'], rows)
}

async function acceptInvitation(invitationId: string, options: InvitationOptions): Promise<void> {
  const { user, joined } = await withInstallation(async ask => {
    const user = await userOf(ask, options.user)
    return { user, joined: await ask('accept-invitation', { userId: user.id, invitationId }) }
  })
  if (options.json) return printJson({ username: user.username, workspace_id: joined.id, role: joined.role })
  say(`${user.username} is ${joined.role} in "${joined.name}" now.`)
}

async function declineInvitation(invitationId: string, options: InvitationOptions): Promise<void> {
  const { id } = await withInstallation(async ask =>
    ask('decline-invitation', { userId: (await userOf(ask, options.user)).id, invitationId }),
  )
  if (options.json) return printJson({ id })
  say(`Invitation ${id} is declined.`)
}

async function withdrawInvitation(invitationId: string, options: InvitationOptions): Promise<void> {
  const { workspace, withdrawn } = await withInstallation(async ask => {
    const workspace = await workspaceOf(ask, options.workspace)
    return { workspace, ...(await ask('withdraw-invitation', { workspaceId: workspace.id, invitationId })) }
  })
  if (!withdrawn) throw new StartError(`"${workspace.name}" has no invitation ${invitationId}.`, exitCodes.notFound)
  if (options.json) return printJson({ id: invitationId })
  say(`Invitation ${invitationId} is withdrawn.`)
}

const readableSent = ({ id, username, role, invitedBy, createdAt, expiresAt }: InvitationView) => ({
  id,
  username,
  role,
  invited_by: invitedBy,
  created_at: instant(createdAt),
  expires_at: instant(expiresAt),
})

const readableOwn = ({ id, workspace, role, invitedBy, createdAt, expiresAt }: OwnInvitationView) => ({
  id,
  workspace,
  role,
  invited_by: invitedBy.username,
  created_at: instant(createdAt),
  expires_at: instant(expiresAt),
})
