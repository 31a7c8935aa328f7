// Invitations to workspaces: those that a workspace has sent, for its owners, and one's own. Nothing that an owner reads here depends on
// whether the invited name has an account. Reference: docs/reference/v3.md, section 14.
import { Type } from 'typebox'
import { AnyRole, type InvitationView, type OwnInvitationView } from '#shared/contracts/ask/ask-people.ts'
import { Strict } from '#shared/contracts/common.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { Answered, Instant, writerOf } from '../../body/result-schema.ts'
import { pathId } from '../../http/answer.ts'
import { Deleted, noSuch, route, SentText } from '../common.ts'
import { Workspace } from './workspaces.ts'

const Invitation = Answered('Invitation', {
  id: Type.String(),
  username: Type.String({ description: 'The name as it was typed; perhaps nobody has it.' }),
  role: AnyRole,
  invited_by: Type.String({ description: 'Username of the owner who invited.' }),
  created_at: Instant,
  expires_at: Instant,
})

export const InvitationToMe = Answered('InvitationToMe', {
  id: Type.String(),
  workspace: Type.String({ description: 'Name of the workspace.' }),
  role: AnyRole,
  invited_by: Strict({ username: Type.String(), display_name: Type.String() }),
  created_at: Instant,
  expires_at: Instant,
})

const sent = '/workspaces/:workspace/invitations'
const received = '/invitations'
const owning = { role: 'owner', scope: 'full' } as const
const oneself = { role: 'anybody', scope: 'full' } as const

const listSent = route('GET', sent, {
  summary: 'Pending invitations of the workspace, oldest first.',
  needs: owning,
  isAudited: false,
  result: Type.Array(Invitation),
  handler: async ({ directory }, { workspaceId, traceId }) =>
    (await directory.ask('list-workspace-invitations', { workspaceId }, traceId)).map(invitationObject),
})

const invite = route('POST', sent, {
  summary: 'Invites a name; the person becomes a member by accepting.',
  more: 'The response is the same whether or not somebody has the name. A second invitation of the same name replaces the first.',
  needs: owning,
  body: Strict({ username: SentText, role: AnyRole }),
  status: 201,
  makes: 'invitation',
  result: Invitation,
  refusals: ['409', '422 username', '422 role'],
  examples: [{ username: 'grace', role: 'viewer' }],
  handler: async ({ directory }, { request: { identity }, workspaceId, body, traceId }) => {
    const id = `${workspaceId}.${randomId(idLength.invitation)}`
    return invitationObject(await directory.ask('invite', { id, workspaceId, inviterId: identity.userId, ...body }, traceId))
  },
})

const withdraw = route('DELETE', `${sent}/:invitation`, {
  summary: 'Withdraws an invitation.',
  needs: owning,
  result: Deleted,
  handler: async ({ directory }, call) => {
    const { workspaceId, traceId } = call
    const invitationId = pathId(call, 'invitation')
    const { withdrawn } = await directory.ask('withdraw-invitation', { workspaceId, invitationId }, traceId)
    if (!withdrawn) throw noSuch('Invitation')
    return { id: invitationId, deleted: true }
  },
})

const listReceived = route('GET', received, {
  summary: "One's own pending invitations, newest first, at most 20.",
  needs: oneself,
  isAudited: false,
  result: Type.Array(InvitationToMe),
  handler: async ({ directory }, { request: { identity }, traceId }) =>
    (await directory.ask('list-invitations', { userId: identity.userId }, traceId)).map(invitationToMe),
})

const accept = route('POST', `${received}/:invitation/accept`, {
  summary: 'Accepts an invitation: one is a member then.',
  needs: oneself,
  result: Workspace,
  refusals: ['404', '409'],
  handler: async ({ directory }, call) => {
    const { request, traceId } = call
    const asked = { userId: request.identity.userId, invitationId: pathId(call, 'invitation') }
    const workspace = await directory.ask('accept-invitation', asked, traceId)
    // The audit of the workspace says who joined, although the path does not name the workspace.
    if (request.letIn !== null) request.letIn.workspaceId = workspace.id
    return workspace
  },
})

const decline = route('DELETE', `${received}/:invitation`, {
  summary: 'Declines an invitation; the owners of the workspace are not told.',
  needs: oneself,
  result: Deleted,
  refusals: ['404'],
  handler: async ({ directory }, call) => {
    const { request, traceId } = call
    const asked = { userId: request.identity.userId, invitationId: pathId(call, 'invitation') }
    const { id } = await directory.ask('decline-invitation', asked, traceId)
    return { id, deleted: true }
  },
})

export const invitationRoutes = [listSent, invite, withdraw, listReceived, accept, decline]

const write = writerOf(Invitation)
const invitationObject = (view: InvitationView) => write(view)

const writeToMe = writerOf(InvitationToMe)

/** Returns an invitation as the invited person sees it. */
export const invitationToMe = ({ invitedBy, ...view }: OwnInvitationView) =>
  writeToMe({ ...view, invitedBy: { username: invitedBy.username, display_name: invitedBy.displayName } })
