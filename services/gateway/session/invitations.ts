// Invitations. GET, POST /session/workspaces/{id}/invitations and DELETE …/{invitationId}: for the owners of a workspace. GET
// /session/invitations, POST /session/invitations/{id}/accept and DELETE /session/invitations/{id}: for the invited person. Nothing that an
// owner reads here depends on whether the invited name has an account.
import { Type } from 'typebox'
import type { InvitationView, OwnInvitationView } from '#shared/contracts/ask/ask-people.ts'
import { Strict } from '#shared/contracts/common.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { timestamp } from '../body/instants.ts'
import { Answered, Instant } from '../body/result-schema.ts'
import { pathPart } from '../http/answer.ts'
import type { Route } from '../http/route.ts'
import { noSuch } from './caller/rights.ts'
import { AnyRole, FilledText } from './caller/session-fields.ts'
import { owner, route, signedIn } from './caller/session-route.ts'
import { WorkspaceOfMine, workspaceObject } from './workspaces.ts'

const NewInvitation = Type.Object({ username: FilledText, role: AnyRole })

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

const sent = '/workspaces/:workspaceId/invitations'
const received = '/invitations'

const listSent = route('GET', sent, {
  summary: 'The pending invitations of a workspace.',
  needs: owner,
  result: Strict({ invitations: Type.Array(Invitation) }),
  handler: async ({ directory }, call) => {
    const workspaceId = pathPart(call, 'workspaceId')
    const found = await directory.ask('list-workspace-invitations', { workspaceId }, call.traceId)
    return { invitations: found.map(invitationObject) }
  },
})

const invite = route('POST', sent, {
  summary: 'Invites a name; the person becomes a member by accepting.',
  more: 'The answer is the same whether or not somebody has the name. A second invitation of the same name replaces the first.',
  needs: owner,
  body: NewInvitation,
  status: 201,
  makes: 'invitation',
  result: Invitation,
  refusals: ['conflict'],
  examples: [{ username: 'grace', role: 'viewer' }],
  handler: async ({ directory }, call) => {
    const workspaceId = pathPart(call, 'workspaceId')
    const id = `${workspaceId}.${randomId(idLength.invitation)}`
    const asked = { id, workspaceId, inviterId: call.visitor.userId, ...call.body }
    return invitationObject(await directory.ask('invite', asked, call.traceId))
  },
})

const withdraw = route('DELETE', `${sent}/:invitationId`, {
  summary: 'Withdraws an invitation.',
  needs: owner,
  status: 204,
  handler: async ({ directory }, call) => {
    const named = { workspaceId: pathPart(call, 'workspaceId'), invitationId: pathPart(call, 'invitationId') }
    const { withdrawn } = await directory.ask('withdraw-invitation', named, call.traceId)
    if (!withdrawn) throw noSuch('Invitation')
  },
})

const listReceived = route('GET', received, {
  summary: "One's own pending invitations, newest first.",
  needs: signedIn,
  result: Strict({ invitations: Type.Array(InvitationToMe) }),
  handler: async ({ directory }, { visitor, traceId }) => {
    const found = await directory.ask('list-invitations', { userId: visitor.userId }, traceId)
    return { invitations: found.map(invitationToMe) }
  },
})

const accept = route('POST', `${received}/:invitationId/accept`, {
  summary: 'Accepts an invitation: one is a member then.',
  needs: signedIn,
  body: Type.Object({}),
  result: WorkspaceOfMine,
  refusals: ['not_found', 'conflict'],
  examples: [{}],
  handler: async ({ directory }, call) => {
    const asked = { userId: call.visitor.userId, invitationId: pathPart(call, 'invitationId') }
    const workspace = await directory.ask('accept-invitation', asked, call.traceId)
    // The audit of the workspace says who joined, although the path does not name the workspace.
    if (call.request.letIn !== null) call.request.letIn.workspaceId = workspace.id
    return workspaceObject(workspace)
  },
})

const decline = route('DELETE', `${received}/:invitationId`, {
  summary: 'Declines an invitation; the owners of the workspace are not told.',
  needs: signedIn,
  status: 204,
  refusals: ['not_found'],
  handler: async ({ directory }, call) => {
    const asked = { userId: call.visitor.userId, invitationId: pathPart(call, 'invitationId') }
    await directory.ask('decline-invitation', asked, call.traceId)
  },
})

export const invitationRoutes: readonly Route[] = [listSent, invite, withdraw, listReceived, accept, decline]

const invitationObject = ({ id, username, role, invitedBy, createdAt, expiresAt }: InvitationView) => ({
  id,
  username,
  role,
  invited_by: invitedBy,
  created_at: timestamp(createdAt),
  expires_at: timestamp(expiresAt),
})

/** Returns an invitation as the invited person sees it. */
export const invitationToMe = ({ id, workspace, role, invitedBy, createdAt, expiresAt }: OwnInvitationView) => ({
  id,
  workspace,
  role,
  invited_by: { username: invitedBy.username, display_name: invitedBy.displayName },
  created_at: timestamp(createdAt),
  expires_at: timestamp(expiresAt),
})
