// GET /v2/locations (spec A, Location): instance-wide, the same for everybody with a key.
import type { FastifyInstance } from 'fastify'
import type { LocationView } from '#shared/contracts/ask-people.ts'
import { answering } from '../answer.ts'
import type { GatewayContext } from '../context.ts'

export function locationRoutes(fastify: FastifyInstance, { clock, directory }: GatewayContext): void {
  fastify.get(
    '/locations',
    answering(clock, async ({ traceId }) => (await directory.ask('list-locations', {}, traceId)).map(locationObject)),
  )
}

const locationObject = ({ id, name, activeWorkers }: LocationView) => ({
  id,
  name,
  active_workers_count: activeWorkers,
  kind: 'location',
})
