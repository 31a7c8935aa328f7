// POST /v2/subjects/{subject}/incidents/{incident}/acknowledge (spec B, Route rules 3): as a website monitor's, in this family's fields.
import { acknowledgeIncident, acknowledgementObject } from '../../acknowledge.ts'
import { type Call, pathPart } from '../../answer.ts'
import type { GatewayContext } from '../../context.ts'
import { findCustomSubject } from './find-subject.ts'

export async function acknowledge(context: GatewayContext, call: Call) {
  const subject = await findCustomSubject(context, call)
  const publicIncidentId = pathPart(call, 'incident')
  const view = await acknowledgeIncident(context, call, { subjectId: subject.id, publicIncidentId })
  return acknowledgementObject(view, context.incidentIds, { subject_id: subject.slug, rule_id: view.ruleSlug })
}
