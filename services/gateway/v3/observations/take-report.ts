// Route that accepts a report at an Observation address. The first report about a Resource also creates the Resource. Reference:
// docs/reference/v3.md, 8.4.

import { type Static, Type } from 'typebox'
import type { AddressIdentity } from '#shared/contracts/ask/ask-addresses.ts'
import type { ResolvedResource } from '#shared/contracts/ask/ask-resources.ts'
import { Strict } from '#shared/contracts/common.ts'
import type { SentObservation } from '#shared/contracts/resources/resource-commands.ts'
import type { ObservedResult } from '#shared/contracts/resources/resource-views.ts'
import { checkKind, type Template } from '#shared/contracts/resources/template.ts'
import { AppError } from '#shared/errors.ts'
import { day, limits } from '#shared/limits/limits.ts'
import { isBuiltIn } from '#shared/manifest/system-templates.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { firstCharacters } from '#shared/text/plain-text.ts'
import type { GatewayContext } from '../../context.ts'
import type { Call } from '../../http/answer.ts'
import type { Route } from '../../http/route.ts'
import { commandId } from '../../subjects/command-id.ts'
import { invalid } from '../common.ts'
import { requireTemplateBounds } from '../resources/check-bounds.ts'
import { answersFor } from '../resources/template-answers.ts'
import { findTemplate } from '../templates/find-template.ts'
import { Accepted, accepted, archived, observation, refusalOf, sentObservation } from './observations.ts'

const Report = Strict({
  resource: Type.String({ minLength: 1, maxLength: 128, description: 'The key or the id of a Resource.' }),
  ...observation,
  template_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'A published Template; needed by a first report alone.' }),
  ),
  meta: Type.Optional(Type.Object({}, { additionalProperties: true, description: 'Answers of a new Resource.' })),
})
type Report = Static<typeof Report>

interface AddressReport {
  address: AddressIdentity
  body: Report
  observation: SentObservation
  traceId: string
}

const record: Route<AddressIdentity, typeof Report, GatewayContext, Call> = {
  method: 'POST',
  path: '/:token',
  summary: 'Reports an Observation of a Resource, which the first report of it makes.',
  more: 'The token in the path is all that a report needs, unless the address has a second factor. An unknown token is 404.',
  needs: { role: 'nobody', scope: null },
  body: Report,
  status: 202,
  result: Accepted,
  refusals: [
    ...['401', '404'],
    ...['resource', 'template_id', 'signal', 'kind', 'at', 'labels', 'body'].map(field => `422 ${field}`),
  ],
  takesObservations: true,
  examples: [{ resource: 'backup-1', signal: 'beat', state: 'ok' }],
  handler: (context, { found, body, traceId }) => takeReport(context, { address: found, body, traceId }),
}

/**
 * Route of an Observation address, outside `/api/v3`. The token in the path takes the place of a key, and `found` is the address of that
 * token.
 */
export const reportRoute: Route = record

async function takeReport(
  context: GatewayContext,
  { address, body, traceId }: Omit<AddressReport, 'observation'>,
): Promise<unknown> {
  const sent: AddressReport = { address, body, observation: sentObservation(body), traceId }
  const asked = { workspaceId: address.workspaceId, references: [body.resource] }
  const [resource = null] = await context.directory.ask('resolve-resources', asked, traceId)
  return resource === null ? firstReport(context, sent) : report(context, sent, resource)
}

async function report({ keeper }: GatewayContext, sent: AddressReport, { id, key, template, archivedAt }: ResolvedResource) {
  const { address, observation: observed, traceId } = sent
  if (address.template !== null && keyOf(template) !== address.template) {
    throw invalid('resource', `This address reports on Resources of the Template ${address.template} alone`)
  }
  if (archivedAt !== null) throw archived(key)
  const observations = [observed]
  const command = { kind: 'observe' as const, id: commandId(), source: 'address' as const, observations }
  return taken(id, await keeper.send(id, command, traceId))
}

/**
 * Creates the Resource with its first report. The keeper first tries the report without storing it, so that a refused report reserves no
 * key. If two first reports name the same key, both reports go to the Resource of the earlier reservation.
 */
async function firstReport(context: GatewayContext, sent: AddressReport) {
  const { directory, keeper } = context
  const { address, body, observation: observed, traceId } = sent
  const { id: addressId, workspaceId } = address
  const template = await templateOf(context, sent)
  const key = body.resource
  const subjectId = randomId(idLength.subject)
  const meta = (body.meta ?? {}) as Record<string, unknown>
  const command = {
    kind: 'first-report' as const,
    workspaceId,
    slug: key,
    name: firstCharacters(key, nameCharacters),
    template: `${template.key}@${template.version}`,
    answers: await answersFor(context, template, meta, traceId),
    boundTo: address.template,
    observation: observed,
  }
  await requireTemplateBounds(context, { workspaceId, template, sent: meta, before: null }, traceId)
  taken(subjectId, await keeper.send(subjectId, { ...command, id: commandId(), isTrial: true }, traceId))
  const reserved = await directory.ask('reserve-reported', { addressId, workspaceId, key, subjectId }, traceId)
  if (reserved === null) throw tooManyToday(context)
  const made = await keeper.send(reserved.subjectId, { ...command, id: commandId(), isTrial: false }, traceId)
  return taken(reserved.subjectId, made)
}

/** Longest name of a Resource, characters. A key may be longer. */
const nameCharacters = 100
const keyForm = /^[A-Za-z0-9][A-Za-z0-9._:@-]*$/

async function templateOf(context: GatewayContext, { address, body, traceId }: AddressReport): Promise<Template> {
  const { resource, template_id: reference } = body
  if (reference == null) {
    throw invalid('resource', `There is no Resource '${resource}'; a first report names its Template as template_id`)
  }
  if (!keyForm.test(resource)) throw invalid('resource', "A new Resource's key has letters, digits and . _ : @ - alone")
  const key = keyOf(reference)
  if (address.template !== null && key !== address.template) {
    throw invalid('template_id', `This address makes Resources of the Template ${address.template} alone`)
  }
  const asked = { workspaceId: address.workspaceId, reference, field: 'template_id' }
  const found = await findTemplate(context, asked, traceId)
  if (found === null || found.isSystem || isBuiltIn(found))
    throw invalid('template_id', `The workspace has published no Template '${reference}'`)
  // Whoever finds an address must not be able to aim checks.
  if (address.template === null && found.signals.some(({ kind }) => kind === checkKind)) {
    throw invalid('template_id', 'A Template with checks needs an address that is bound to it')
  }
  return found
}

const keyOf = (template: string | null): string => template?.split('@', 1)[0] ?? ''

function taken(resourceId: string, { results }: { results: ObservedResult[] }) {
  const [result] = results
  if (result?.ok) return accepted(resourceId, result)
  throw refusalOf(result)
}

function tooManyToday({ clock }: GatewayContext): AppError {
  const untilTomorrow = day - (clock.now() % day)
  return new AppError('busy', 'Too many Resources', {
    details: `The reports to one address make at most ${limits.address.resourcesPerDay} Resources a day (UTC)`,
    retryAfterS: Math.ceil(untilTomorrow / 1_000),
  })
}
