// GET /v1/regions: the locations in the words of generation 1 (spec A, Location and region).
import type { FastifyInstance } from 'fastify'
import type { LocationView } from '#shared/contracts/ask-people.ts'
import { answering } from '../answer.ts'
import type { GatewayContext } from '../context.ts'

export function regionRoutes(fastify: FastifyInstance, { clock, directory }: GatewayContext): void {
  fastify.get(
    '/regions',
    answering(clock, async ({ traceId }) => (await directory.ask('list-locations', {}, traceId)).map(regionObject)),
  )
}

/** `display_name` only where it is set (spec D 1, Validation). */
const regionObject = ({ id, name, displayName, activeWorkers }: LocationView) => ({
  id,
  name,
  ...(displayName ? { display_name: displayName } : {}),
  active_workers_count: activeWorkers,
  kind: 'region',
})
