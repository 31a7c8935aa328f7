// GET, POST /session/workspaces; PATCH /session/workspaces/{id}. Whoever makes a workspace owns it.
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { AskResults } from '#shared/contracts/ask.ts'
import { idLength, randomId } from '#shared/ids.ts'
import { workspaceOf } from './rights.ts'
import { type SessionContext, signedIn } from './session-call.ts'
import { bodyReader, FilledText } from './session-fields.ts'

export const WorkspaceName = Type.Object({ name: FilledText })

export function workspaceRoutes(fastify: FastifyInstance, context: SessionContext): void {
  const { directory } = context
  const readName = bodyReader(WorkspaceName)
  fastify.get(
    '/workspaces',
    signedIn(context, async ({ visitor, traceId }) => {
      const workspaces = await directory.ask('list-workspaces', { userId: visitor.userId }, traceId)
      return { workspaces: workspaces.map(workspaceObject) }
    }),
  )
  fastify.post(
    '/workspaces',
    signedIn(context, async call => {
      const { name } = await readName(call)
      const id = randomId(idLength.workspace)
      const made = await directory.ask('create-workspace', { id, name, userId: call.visitor.userId }, call.traceId)
      void call.reply.code(201)
      return workspaceObject(made)
    }),
  )
  fastify.patch(
    '/workspaces/:workspaceId',
    signedIn(context, async call => {
      const workspaceId = workspaceOf(call, 'owner')
      const { name } = await readName(call)
      const renamed = await directory.ask('rename-workspace', { workspaceId, name }, call.traceId)
      return workspaceObject({ ...renamed, role: 'owner' })
    }),
  )
}

/** A workspace as its members see it; `role` is the caller's. */
export const workspaceObject = ({ id, name, role }: AskResults['list-workspaces'][number]) => ({ id, name, role })
