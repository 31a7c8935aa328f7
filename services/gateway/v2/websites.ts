// /v2/monitoring/websites: website monitors in the words of generation 2.
import type { FastifyInstance } from 'fastify'
import { requireMember } from '../access.ts'
import type { GatewayContext } from '../context.ts'
import type { WebsiteFamily } from '../website/family.ts'
import { websiteFamilyRoutes } from '../website/routes.ts'
import { readWebsite } from './website-body.ts'
import { websiteObject } from './website-object.ts'

export const websiteMonitors: WebsiteFamily = {
  path: '/monitoring/websites',
  placeField: 'locations',
  placeWord: 'location',
  notFound: { message: 'Website monitor not found', details: 'Website monitor does not exist or access denied' },
  read: readWebsite,
  object: websiteObject,
  deleted: id => ({ message: 'Website monitor deleted successfully', monitor_id: id }),
  requireListable: (_context, { request }, workspaceId) => requireMember(request.identity, workspaceId),
}

export const websiteRoutes = (fastify: FastifyInstance, context: GatewayContext): void =>
  websiteFamilyRoutes(fastify, context, websiteMonitors)
