// GET, POST /session/workspaces/{id}/members; PATCH, DELETE …/{userId}. Every member may read the list and may leave. Only owners change
// members. Only an administrator adds people or makes them owners without asking them; all others invite (invitations.ts). The directory
// refuses a change that would leave no owner.
import { Type } from 'typebox'
import { Strict } from '#shared/contracts/common.ts'
import { AppError } from '#shared/errors.ts'
import { Answered, writerOf } from '../body/result-schema.ts'
import { pathPart } from '../http/answer.ts'
import type { Route } from '../http/route.ts'
import { noSuch } from './caller/rights.ts'
import { AnyRole, FilledText, pathId } from './caller/session-fields.ts'
import { member, owner, route } from './caller/session-route.ts'

const NewMember = Type.Object({ username: FilledText, role: AnyRole })
const MemberRole = Type.Object({ role: AnyRole })

const Member = Answered('Member', {
  user_id: Type.String(),
  username: Type.String(),
  display_name: Type.String(),
  role: AnyRole,
  disabled: Type.Boolean(),
})
const memberObject = writerOf(Member)

const all = '/workspaces/:workspaceId/members'
const one = `${all}/:userId`

const listMembers = route('GET', all, {
  summary: 'The members of a workspace.',
  needs: member,
  result: Strict({ members: Type.Array(Member) }),
  handler: async ({ directory }, call) => {
    const found = await directory.ask('list-members', { workspaceId: pathPart(call, 'workspaceId') }, call.traceId)
    return { members: found.map(memberObject) }
  },
})

const addMember = route('POST', all, {
  summary: 'Adds a member by username, without asking; also needs an administrator.',
  more: 'All other owners invite people.',
  needs: owner,
  body: NewMember,
  status: 201,
  makes: 'member',
  result: Member,
  refusals: ['conflict'],
  examples: [{ username: 'ada', role: 'viewer' }],
  handler: async ({ directory }, call) => {
    const workspaceId = pathPart(call, 'workspaceId')
    if (!call.visitor.admin) throw inviteInstead()
    return memberObject(await directory.ask('add-member', { workspaceId, ...call.body }, call.traceId))
  },
})

const changeRole = route('PATCH', one, {
  summary: 'Changes the role of a member; an owner stays.',
  needs: owner,
  body: MemberRole,
  result: Member,
  refusals: ['conflict'],
  examples: [{ role: 'editor' }],
  handler: async ({ directory }, call) => {
    const named = { workspaceId: pathPart(call, 'workspaceId'), userId: pathPart(call, 'userId') }
    const asked = { ...named, role: call.body.role, byAdministrator: call.visitor.admin }
    return memberObject(await directory.ask('change-role', asked, call.traceId))
  },
})

const removeMember = route('DELETE', one, {
  summary: 'Removes a member, or leaves; an owner stays.',
  needs: { ...owner, orOneself: true },
  find: async (_context, { request }) => ({ userId: pathId(request, 'userId') }),
  status: 204,
  refusals: ['conflict'],
  handler: async ({ directory }, call) => {
    const named = { workspaceId: pathPart(call, 'workspaceId'), userId: call.found.userId }
    const { removed } = await directory.ask('remove-member', named, call.traceId)
    if (!removed) throw noSuch('Member')
  },
})

export const memberRoutes: readonly Route[] = [listMembers, addMember, changeRole, removeMember]

/** Does not depend on the name in the request, so that it shows nothing about other accounts. */
const inviteInstead = (): AppError =>
  new AppError('forbidden', 'Forbidden', {
    details: 'Only an administrator of the installation adds people without asking them: invite the person instead.',
  })
