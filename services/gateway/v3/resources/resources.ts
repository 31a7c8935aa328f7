// Resources: create, list, detail, change. Reference: docs/reference/v3.md, section 6.

import { Type } from 'typebox'
import { faultOf } from '#shared/checks/field-values.ts'
import { kindOf } from '#shared/checks/registry.ts'
import { locations } from '#shared/checks/watch-fields.ts'
import { Strict } from '#shared/contracts/common.ts'
import type { ResourceView } from '#shared/contracts/resources/resource-views.ts'
import type { Answers } from '#shared/contracts/resources/template.ts'
import { AppError, refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { readAnswers } from '#shared/manifest/answers.ts'
import { isBuiltIn, kindOfTemplate } from '#shared/manifest/system-templates.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { isRedactedIn } from '../../callers/redacted-readers.ts'
import type { GatewayContext } from '../../context.ts'
import { pathPart } from '../../http/answer.ts'
import { Paged } from '../../http/route.ts'
import { commandId } from '../../subjects/command-id.ts'
import { invalid, Meta, NameText, route, TemplateReference, type V3Call } from '../common.ts'
import { filterQuery, filterRefusals, readFilters } from '../filters.ts'
import { formatCursor, limitOf, pageQuery, readCursor } from '../paging.ts'
import { importedAddress, importedFields, withAddress } from '../pings/imported-address.ts'
import { findTemplate } from '../templates/find-template.ts'
import { checkOf, readable, requireLocations, sealed } from './check-answers.ts'
import { requireChangeBounds, requireCheckBounds, requireTemplateBounds } from './check-bounds.ts'
import { warnOfChecks } from './check-warnings.ts'
import { isLabelKey, isLabelValue } from './labels.ts'
import { locationNames } from './location-names.ts'
import { resourceNotFound } from './reported-resources.ts'
import { ResourceItem, ResourceObject, resourceItem, resourceObject } from './resource-object.ts'
import { answersFor, changedAnswers } from './template-answers.ts'

const all = '/workspaces/:workspace/resources'
const one = `${all}/:resource`

const Labels = Type.Object({}, { additionalProperties: true, description: 'At most 16 texts of 1 to 128 characters.' })

const NewResource = Strict({
  template: TemplateReference,
  key: Type.Optional(
    Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$', description: 'A slug of the name unless sent.' }),
  ),
  name: NameText(100),
  meta: Type.Optional(Meta),
  labels: Type.Optional(Labels),
  ...importedFields,
})

const ResourceChange = Strict({ name: Type.Optional(NameText(100)), meta: Type.Optional(Meta), labels: Type.Optional(Labels) })

const warned =
  'The header `X-Watchkeeper-Warnings` has a JSON list of `{field, text}` if a Location cannot make its checks, has no prober, or is nearly full.'

/** Query parameter that leaves out the delays of a website monitor which follow the installation's settings. */
const answersQuery = {
  answers: {
    schema: Type.Enum(['in_force', 'named']),
    meaning: '`named`: `meta` of a website monitor has only the delays that were named. `in_force` unless sent.',
  },
}

const isNamed = (query: Readonly<Record<string, unknown>>): boolean => query['answers'] === 'named'

/** Returns the Resource with the id in the path, or else with the key in the path. */
export async function findResource({ directory }: GatewayContext, call: V3Call): Promise<ResourceView> {
  const { workspaceId, traceId } = call
  const reference = pathPart(call, 'resource')
  const found = await directory.ask('get-resource', { workspaceId, reference }, traceId)
  if (found !== null) return found
  throw resourceNotFound()
}

const list = route('GET', all, {
  summary: 'Resources of the workspace by id.',
  needs: { role: 'viewer', scope: null },
  isAudited: false,
  query: {
    ...pageQuery,
    ...filterQuery,
    state: { schema: Type.Enum(['active', 'archived', 'all']), meaning: '`active` unless sent.' },
    ...answersQuery,
  },
  result: Type.Array(ResourceItem),
  refusals: ['422 limit', '422 cursor', '422 state', '422 answers', ...filterRefusals],
  handler: async ({ directory, incidentIds }, call) => {
    const { request, workspaceId, query, traceId } = call
    const { identity } = request
    const state = (query['state'] ?? 'active') as 'active' | 'archived' | 'all'
    const asked = {
      workspaceId,
      state,
      ...readFilters(query, isRedactedIn(workspaceId, identity)),
      after: readCursor(call),
      limit: limitOf(call),
    }
    const { items, next } = await directory.ask('list-resources', asked, traceId)
    return new Paged(
      items.map(resource => resourceItem(resource, { incidentIds, identity, isNamed: isNamed(query) })),
      formatCursor(call, next),
    )
  },
})

const create = route('POST', all, {
  summary: 'Creates a Resource of a Template.',
  more: warned,
  needs: { role: 'editor', scope: 'resources' },
  body: NewResource,
  status: 201,
  makes: 'resource',
  result: ResourceObject,
  refusals: [
    '409 key',
    '409 ping_id',
    '409 push_token',
    '422 ping_id',
    '422 push_token',
    '422 template',
    '422 key',
    '422 name',
    '422 labels',
    '422 a field of meta',
  ],
  examples: [
    { template: 'heartbeat@1', key: 'backup-1', name: 'Nightly backup', labels: { env: 'production' } },
    { template: 'heartbeat-check', key: 'nightly-report', name: 'Nightly report' },
    { template: 'heartbeat@1', key: 'backup-2', name: 'Backup of the laptop' },
  ],
  handler: async (context, { request: { identity }, reply, workspaceId, body: sent, traceId }) => {
    const labels = readLabels((sent.labels ?? {}) as Record<string, unknown>, false) as Record<string, string>
    const template = await findTemplate(context, { workspaceId, reference: sent.template, field: 'template' }, traceId)
    if (template === null) throw invalid('template', `There is no Template ${sent.template}`)
    const reference = `${template.key}@${template.version}`
    const meta = (sent.meta ?? {}) as Record<string, unknown>
    const kind = isBuiltIn(template) ? kindOfTemplate(reference) : null
    const check = kind && (await checkOf(context, { kind, meta, present: null }, traceId))
    // The answers are checked before the key is reserved, so that a refused request reserves no key.
    if (!isBuiltIn(template)) readable(() => readAnswers(template, meta))
    const answers = check === null ? await answersFor(context, template, meta, traceId) : meta
    if (check !== null) await requireCheckBounds(context, { workspaceId, check, sent: meta }, traceId)
    else if (!isBuiltIn(template))
      await requireTemplateBounds(context, { workspaceId, template, sent: meta, before: null }, traceId)
    const address = importedAddress(sent, template)
    const subjectId = randomId(idLength.subject)
    const name = sent.name.trim()
    const { keeper, incidentIds } = context
    const make = async () => {
      const slug = await reserve(context, { workspaceId, subjectId, key: sent.key ?? null, name }, traceId)
      const made = { id: commandId(), workspaceId, slug, name, labels }
      return (
        check === null
          ? keeper.send(
              subjectId,
              { kind: 'create-resource', ...made, template: reference, answers: answers as Answers },
              traceId,
            )
          : keeper
              .send(subjectId, { kind: 'create-website', ...made, check, template: reference }, traceId)
              .then(() => keeper.send(subjectId, { kind: 'read-resource', id: commandId() }, traceId))
      ).catch(takenMeanwhile(slug))
    }
    const now = await withAddress(context, { workspaceId, subjectId, address }, make, traceId)
    await warnOfChecks(context, { reply, traceId }, now, null)
    return resourceObject(now, { incidentIds, identity, ...(await locationNames(context, now, traceId)) })
  },
})

const detail = route('GET', one, {
  summary: 'One Resource with its signals and rules, as they read now.',
  needs: { role: 'viewer', scope: null },
  isAudited: false,
  query: answersQuery,
  find: findResource,
  result: ResourceObject,
  refusals: ['422 answers'],
  handler: async (context, { request: { identity }, found, query, traceId }) => {
    const { incidentIds } = context
    const now = await context.keeper
      .send(found.id, { kind: 'read-resource', id: commandId() }, traceId)
      .catch(orAsRecorded(found))
    const places = await locationNames(context, now, traceId)
    return resourceObject(now, { incidentIds, identity, ...places, isNamed: isNamed(query) })
  },
})

const change = route('PATCH', one, {
  summary: 'Changes what is sent and leaves the rest. Key and Template never change.',
  more: `While it is archived: 409. ${warned}`,
  needs: { role: 'editor', scope: 'full' },
  find: findResource,
  body: ResourceChange,
  result: ResourceObject,
  refusals: ['409', '422 name', '422 labels', '422 a field of meta'],
  examples: [{ name: 'Backup of the shop', labels: { env: null, team: 'core' } }],
  handler: async (context, { request: { identity }, reply, found, body, traceId }) => {
    const { name, meta, labels } = body
    const sent = (meta ?? null) as Record<string, unknown> | null
    const answers = sent && (await commandAnswers(context, found, sent, traceId))
    const command = {
      kind: 'update-resource' as const,
      id: commandId(),
      name: name?.trim() ?? null,
      answers,
      labels: labels == null ? null : readLabels(labels as Record<string, unknown>, true),
    }
    const changed = await context.keeper.send(found.id, command, traceId)
    if (answers !== null) await warnOfChecks(context, { reply, traceId }, changed, found)
    const places = await locationNames(context, changed, traceId)
    return resourceObject(changed, { incidentIds: context.incidentIds, identity, ...places })
  },
})

/** Returns the answers of a PATCH as its command carries them. */
async function commandAnswers(context: GatewayContext, found: ResourceView, sent: Record<string, unknown>, traceId: string) {
  if (found.check === null) return changedAnswers(context, found, sent, traceId)
  const answers = sealed(context, kindOf(found.check).fields, sent, faultOf)
  if (answers[locations.key] != null) await requireLocations(context, answers[locations.key], traceId)
  await requireChangeBounds(context, { found: { ...found, check: found.check }, sent }, traceId)
  return answers
}

/**
 * Returns a function for `catch`. If the keeper does not respond, the function returns the Resource as stored; it throws every other error.
 */
const orAsRecorded =
  (found: ResourceView) =>
  (error: unknown): ResourceView => {
    if (error instanceof AppError && error.code === 'unavailable') return found
    throw error
  }

/**
 * Returns a function for `catch`. The function throws `taken` if a first report created a Resource with this key after the key was reserved
 * (v3 8.4).
 */
const takenMeanwhile =
  (key: string) =>
  (error: unknown): never => {
    if (!(error instanceof AppError) || error.code !== 'invalid_state') throw error
    const details = `The key ${key} is taken: choose another one`
    throw refusal('taken', 'Key taken', details, 'key')
  }

type ReservedResource = Record<'workspaceId' | 'subjectId' | 'name', string> & { key: string | null }

/**
 * Reserves a key and returns it (v3 6.1). If no key was sent, the key is a slug of the name's ASCII letters and digits. If the name has
 * none, the key is the id.
 */
async function reserve({ directory }: GatewayContext, { workspaceId, subjectId, key, name }: ReservedResource, traceId: string) {
  await directory.ask('require-resource-room', { workspaceId }, traceId)
  if (key === null) {
    const plain = name.replace(/[^A-Za-z0-9]+/g, ' ')
    return (await directory.ask('reserve-name', { workspaceId, subjectId, name: plain, fallback: subjectId }, traceId)).slug
  }
  await directory.ask('reserve-key', { workspaceId, subjectId, key }, traceId)
  return key
}

/** Returns the labels. Throws `validation` of `labels` for any fault. With `mayRemove`, a label may be null, which removes the label. */
function readLabels(sent: Record<string, unknown>, mayRemove: boolean): Record<string, string | null> {
  const fits = ([key, value]: [string, unknown]) => isLabelKey(key) && ((value === null && mayRemove) || isLabelValue(value))
  const entries = Object.entries(sent)
  if (entries.length <= limits.v3.resourceLabels * (mayRemove ? 2 : 1) && entries.every(fits))
    return Object.fromEntries(entries) as Record<string, string | null>
  throw invalid(
    'labels',
    `Labels are at most ${limits.v3.resourceLabels} texts of 1 to 128 characters under keys of a-z, 0-9, '.', '_' and '-'`,
  )
}

export const resourceRoutes = [list, create, detail, change]
