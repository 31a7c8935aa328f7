// /v1/rules: website monitors in the words of generation 1, which is frozen (spec A, Rule), and the acknowledgement of their incidents.
import type { FastifyInstance } from 'fastify'
import { AppError } from '#shared/errors.ts'
import { isId } from '#shared/is-id.ts'
import { requireMember, roleIn } from '../access.ts'
import { acknowledgeIncident, acknowledgementObject } from '../acknowledge.ts'
import { answering, type Call, pathPart } from '../answer.ts'
import type { GatewayContext } from '../context.ts'
import type { WebsiteFamily } from '../website/family.ts'
import { findWebsite, websiteFamilyRoutes } from '../website/routes.ts'
import { readRule } from './rule-body.ts'
import { ruleObject } from './rule-object.ts'

const rules: WebsiteFamily = {
  path: '/rules',
  placeField: 'regions',
  placeWord: 'region',
  notFound: { message: 'Rule not found', details: 'Rule does not exist or access denied' },
  read: readRule,
  object: ruleObject,
  deleted: id => ({ message: 'Rule deleted successfully', rule_id: id }),
  requireListable,
}

export function ruleRoutes(fastify: FastifyInstance, context: GatewayContext): void {
  websiteFamilyRoutes(fastify, context, rules)
  fastify.post(
    '/rules/:id/incidents/:incident/acknowledge',
    answering(context.clock, call => acknowledge(context, call)),
  )
}

/** Here alone an unknown workspace is told from one that is out of reach (spec A, Errors, 2002). */
async function requireListable({ directory }: GatewayContext, { request, traceId }: Call, workspaceId: string): Promise<void> {
  if (roleIn(request.identity, workspaceId) !== null) return
  if (isId(workspaceId) && (await directory.ask('workspace-exists', { workspaceId }, traceId))) {
    requireMember(request.identity, workspaceId)
  }
  throw new AppError('not_found', 'Workspace not found', { details: 'There is no workspace of this id' })
}

async function acknowledge(context: GatewayContext, call: Call) {
  const website = await findWebsite({ context, family: rules, call })
  const publicIncidentId = pathPart(call, 'incident')
  const acknowledged = await acknowledgeIncident(context, call, { subjectId: website.id, publicIncidentId })
  return acknowledgementObject(acknowledged, context.incidentIds, { monitor_id: website.id })
}
