// Members of a workspace and their roles. Every member reads the list and may leave; owners change it. Only an administrator of the
// installation adds people or makes them owners without asking them; all others invite (invitations.ts). The directory refuses a change that
// would leave no owner. Reference: docs/reference/v3.md, 2.7 and section 14.
import { Type } from 'typebox'
import { AnyRole, type MemberView } from '#shared/contracts/ask/ask-people.ts'
import { Strict } from '#shared/contracts/common.ts'
import { Answered, writerOf } from '../../body/result-schema.ts'
import { pathId } from '../../http/answer.ts'
import { Deleted, noSuch, route, SentText } from '../common.ts'

export const MemberObject = Answered('Member', {
  id: Type.String(),
  name: Type.String(),
  username: Type.String(),
  role: AnyRole,
})

const all = '/workspaces/:workspace/members'
const one = `${all}/:user`
const owning = { role: 'owner', scope: 'full' } as const
const inviteInstead = 'Only an administrator of the installation adds people without asking them: invite the person instead'

const listMembers = route('GET', all, {
  summary: 'People of the workspace, by username.',
  needs: { role: 'viewer', scope: 'full' },
  isAudited: false,
  query: { disabled: { schema: Type.Boolean(), meaning: 'Only people whose account is disabled, or only others.' } },
  result: Type.Array(MemberObject),
  refusals: ['422 disabled'],
  handler: async ({ directory }, { workspaceId, query: { disabled }, traceId }) => {
    const found = await directory.ask('list-members', { workspaceId }, traceId)
    return found.filter(member => disabled === undefined || member.disabled === disabled).map(memberObject)
  },
})

const addMember = route('POST', all, {
  summary: 'Adds a member by username, without asking.',
  more: 'All other owners invite people.',
  // Does not depend on the name in the request, so that it shows nothing about other accounts.
  needs: { ...owning, alsoAdmin: inviteInstead },
  body: Strict({ username: SentText, role: AnyRole }),
  status: 201,
  makes: 'member',
  result: MemberObject,
  refusals: ['404 username', '409', '422 role'],
  examples: [{ username: 'ada', role: 'viewer' }],
  handler: async ({ directory }, { workspaceId, body, traceId }) =>
    memberObject(await directory.ask('add-member', { workspaceId, ...body }, traceId)),
})

const changeRole = route('PATCH', one, {
  summary: 'Changes the role of a member; an owner stays.',
  needs: owning,
  body: Strict({ role: AnyRole }),
  result: MemberObject,
  refusals: ['409 role', '422 role'],
  examples: [{ role: 'editor' }],
  handler: async ({ directory }, call) => {
    const { request, workspaceId, body, traceId } = call
    const asked = { workspaceId, userId: pathId(call, 'user'), role: body.role, byAdministrator: request.identity.admin }
    return memberObject(await directory.ask('change-role', asked, traceId))
  },
})

const removeMember = route('DELETE', one, {
  summary: 'Removes a member, or leaves; an owner stays.',
  needs: { ...owning, orOneself: true },
  result: Deleted,
  refusals: ['409 role'],
  handler: async ({ directory }, call) => {
    const { workspaceId, traceId } = call
    const userId = pathId(call, 'user')
    const { removed } = await directory.ask('remove-member', { workspaceId, userId }, traceId)
    if (!removed) throw noSuch('Member')
    return { id: userId, deleted: true }
  },
})

export const memberRoutes = [listMembers, addMember, changeRole, removeMember]

const write = writerOf(MemberObject)
const memberObject = (member: MemberView) => write({ ...member, id: member.userId, name: member.displayName || member.username })
