// Answers to a published Template, as a command carries them to the keeper: with known Locations and sealed secrets.

import type { ResourceView } from '#shared/contracts/resources/resource-views.ts'
import type { Template } from '#shared/contracts/resources/template.ts'
import { answerFault, type Bounded } from '#shared/manifest/answer-fault.ts'
import { hidden } from '#shared/secrecy/redacted-value.ts'
import type { GatewayContext } from '../../context.ts'
import { requireLocations, sealed } from './check-answers.ts'
import { requireTemplateBounds } from './check-bounds.ts'

type Meta = Readonly<Record<string, unknown>>
type Fields = Template['fields']

/** Throws `validation` of a field with an unknown Location, or with a secret that it refuses or that cannot be sealed here. */
export async function answersFor(
  context: GatewayContext,
  template: Bounded & { fields: Fields },
  meta: Meta,
  traceId: string,
): Promise<Record<string, unknown>> {
  const { fields } = template
  for (const { key, type } of fields) {
    if (type === 'location_list') await requireLocations(context, meta[key], traceId, key)
  }
  return sealed(context, fields, meta, (field, text) => answerFault(template, field, text))
}

/** Returns the answers of a PATCH. If the Template is damaged, the answers that are secrets now count as such. */
export async function changedAnswers(
  context: GatewayContext,
  resource: ResourceView,
  meta: Meta,
  traceId: string,
): Promise<Record<string, unknown>> {
  const { workspaceId, template, answers } = resource
  if (template === null || answers === null) return { ...meta }
  const found = await context.directory.ask('get-template', { workspaceId, reference: template }, traceId)
  if (found !== null && found !== 'damaged') {
    const sent = await answersFor(context, found, meta, traceId)
    await requireTemplateBounds(context, { workspaceId, template: found as Template, sent: meta, before: resource }, traceId)
    return sent
  }
  const secrets = Object.entries(answers).flatMap(([key, answer]) =>
    answer === hidden ? [{ key, type: 'secret' as const }] : [],
  )
  return sealed(context, secrets, meta, () => null)
}
