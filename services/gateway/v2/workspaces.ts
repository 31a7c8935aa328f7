// GET /v2/workspaces (spec A, Workspace).
import type { FastifyInstance } from 'fastify'
import type { AskResults } from '#shared/contracts/ask.ts'
import { answering } from '../answer.ts'
import type { GatewayContext } from '../context.ts'

export function workspaceRoutes(fastify: FastifyInstance, { clock, directory }: GatewayContext): void {
  fastify.get(
    '/workspaces',
    answering(clock, async ({ request, traceId }) => {
      const workspaces = await directory.ask('list-workspaces', { userId: request.identity.userId }, traceId)
      return workspaces.map(workspaceObject)
    }),
  )
}

const workspaceObject = ({ id, name, role }: AskResults['list-workspaces'][number]) => ({ id, name, role, kind: 'workspace' })
