// GET, POST /session/workspaces/{id}/members; PATCH, DELETE …/{userId}. Every member sees them, owners change them, and everybody may
// leave; the directory sees to it that an owner stays.
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { MemberView } from '#shared/contracts/ask-people.ts'
import { noSuch, workspaceOf } from './rights.ts'
import { type SessionContext, signedIn } from './session-call.ts'
import { AnyRole, bodyReader, FilledText, pathId } from './session-fields.ts'

export const NewMember = Type.Object({ username: FilledText, role: AnyRole })
export const MemberRole = Type.Object({ role: AnyRole })

export function memberRoutes(fastify: FastifyInstance, context: SessionContext): void {
  const { directory } = context
  const readMember = bodyReader(NewMember)
  const readRole = bodyReader(MemberRole)
  const members = '/workspaces/:workspaceId/members'
  fastify.get(
    members,
    signedIn(context, async call => {
      const found = await directory.ask('list-members', { workspaceId: workspaceOf(call) }, call.traceId)
      return { members: found.map(memberObject) }
    }),
  )
  fastify.post(
    members,
    signedIn(context, async call => {
      const workspaceId = workspaceOf(call, 'owner')
      const added = await directory.ask('add-member', { workspaceId, ...(await readMember(call)) }, call.traceId)
      void call.reply.code(201)
      return memberObject(added)
    }),
  )
  fastify.patch(
    `${members}/:userId`,
    signedIn(context, async call => {
      const workspaceId = workspaceOf(call, 'owner')
      const userId = pathId(call.request, 'userId')
      const { role } = await readRole(call)
      return memberObject(await directory.ask('change-role', { workspaceId, userId, role }, call.traceId))
    }),
  )
  fastify.delete(
    `${members}/:userId`,
    signedIn(context, async call => {
      const userId = pathId(call.request, 'userId')
      const workspaceId = workspaceOf(call, userId === call.visitor.userId ? undefined : 'owner')
      const { removed } = await directory.ask('remove-member', { workspaceId, userId }, call.traceId)
      if (!removed) throw noSuch('Member')
    }),
  )
}

const memberObject = ({ userId, username, displayName, role, disabled }: MemberView) => ({
  user_id: userId,
  username,
  display_name: displayName,
  role,
  disabled,
})
