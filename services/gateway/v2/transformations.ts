// /v2/notifications/transformations (reference/messages 3): payload templates, their samples and their preview.

import { type Static, Type } from 'typebox'
import { allPages } from '#shared/async/pages.ts'
import type { TransformationView } from '#shared/contracts/ask/ask-notifications.ts'
import { Strict } from '#shared/contracts/common.ts'
import { limits } from '#shared/limits/limits.ts'
import { requireTemplateSize } from '#shared/template/accept.ts'
import { judgeTemplate, samples } from '#shared/template/samples.ts'
import { contentTypeOf } from '#shared/template/template.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { Answered, Instant, Kind, writerOf } from '../body/result-schema.ts'
import type { Route } from '../http/route.ts'
import { anybody, type ClassicRefusal, route } from './classic-route.ts'
import { AlertKind, messageAbout, WorkspaceId } from './notification-fields.ts'
import { routeByBody, routeByQuery, routesOfOne } from './notification-workspace.ts'
import { invalid, invalidName } from './refusals.ts'

const template = Type.String({
  minLength: 1,
  description: `Literal text with {{ field }}, at most ${limits.template.bytes} bytes.`,
})

const TransformationBody = Strict({
  workspace_id: WorkspaceId,
  name: Type.String({ minLength: 1, maxLength: limits.template.nameCharacters }),
  template,
})
const PreviewBody = Strict({ workspace_id: WorkspaceId, template })

const Transformation = Answered('NotificationTransformation', {
  id: Type.Integer(),
  name: Type.String(),
  template: Type.String(),
  content_type: Type.Enum(['application/json', 'text/plain']),
  workspace_id: Type.String(),
  created_at: Instant,
  updated_at: Instant,
  kind: Kind('notification_transformation'),
})
const write = writerOf(Transformation)

const fieldNames = Object.keys(samples[0]?.fields ?? {})
const Sample = Answered('NotificationSample', {
  alert_kind: AlertKind,
  label: Type.String(),
  fields: Strict(Object.fromEntries(fieldNames.map(name => [name, Type.String()]))),
})

const sampled = { alert_kind: AlertKind, label: Type.String() }
const Preview = Answered('NotificationTransformationPreview', {
  passed: Type.Boolean(),
  results: Type.Array(
    Type.Union([
      Strict({ ...sampled, ok: Type.Literal(true), output: Type.String() }),
      Strict({ ...sampled, ok: Type.Literal(false), error: Type.String() }),
    ]),
  ),
  kind: Kind('notification_transformation_preview'),
})

const all = '/notifications/transformations'
const one = `${all}/:id`
const noTransformation: ClassicRefusal = '2002 Transformation not found'
const ofFields: readonly ClassicRefusal[] = [
  ...([invalid, invalidName, '2001 Transformation name taken'] as const),
  ...(['2001 Invalid template', '2001 Template does not render every message'] as const),
]
const example = { name: 'Pager', template: '{"text": "{{ summary }}", "link": "{{ link }}"}' }

const { routeOfOneByQuery, routeOfOneByBody } = routesOfOne('Transformation', ({ directory }, wanted, traceId) =>
  directory.ask('get-transformation', wanted, traceId),
)

const list = routeByQuery('GET', all, {
  summary: 'The payload templates of a workspace, by name.',
  result: Type.Array(Transformation),
  handler: async ({ directory }, { found: { workspaceId }, traceId }) => {
    const found = await allPages(after => directory.ask('list-transformations', { workspaceId, after }, traceId))
    return found.sort((a, b) => (a.nameKey < b.nameKey ? -1 : 1)).map(transformationObject)
  },
})

const create = routeByBody('POST', all, {
  makes: 'transformation',
  summary: 'Stores a payload template that renders all samples.',
  body: TransformationBody,
  result: Transformation,
  refusals: ['2004 Too many transformations', ...ofFields],
  examples: [example],
  handler: async ({ directory }, { found: { workspaceId }, body, traceId }) => {
    const asked = { id: randomId(idLength.destination), workspaceId, ...fieldsOf(body) }
    return transformationObject(await directory.ask('create-transformation', asked, traceId))
  },
})

/** Every key gets the same samples. */
const listSamples = route('GET', `${all}/samples`, {
  summary: 'The three messages that a template is judged against.',
  needs: anybody,
  result: Type.Array(Sample),
  handler: async () => samples.map(({ alertKind, label, fields }) => ({ alert_kind: alertKind, label, fields })),
})

/** Checks the transformation as a save would, and stores nothing. */
const preview = routeByBody('POST', `${all}/preview`, {
  summary: 'Renders a template against the samples and stores nothing.',
  isDry: true,
  body: PreviewBody,
  result: Preview,
  refusals: [invalid, '2001 Invalid template'],
  examples: [{ template: example.template }],
  handler: async (_context, { body: { template } }) => {
    requireTemplateSize(template)
    const results = judgeTemplate(template).map(({ alertKind, label, rendered }) => ({
      alert_kind: alertKind,
      label,
      ...rendered,
    }))
    return { passed: results.every(({ ok }) => ok), results, kind: 'notification_transformation_preview' }
  },
})

const get = routeOfOneByQuery('GET', one, {
  summary: 'A payload template.',
  result: Transformation,
  refusals: [noTransformation],
  handler: async (_context, { found }) => transformationObject(found),
})

const update = routeOfOneByBody('POST', one, {
  summary: 'Replaces name and template.',
  body: TransformationBody,
  result: Transformation,
  refusals: [noTransformation, ...ofFields],
  examples: [{ ...example, name: 'Pager, short' }],
  handler: async ({ directory }, { found: { workspaceId, id }, body, traceId }) => {
    const asked = { workspaceId, id, ...fieldsOf(body) }
    return transformationObject(await directory.ask('update-transformation', asked, traceId))
  },
})

const remove = routeOfOneByQuery('DELETE', one, {
  summary: 'Removes a payload template; destinations that used it send the built-in body.',
  result: messageAbout('transformation_id'),
  refusals: [noTransformation],
  handler: async ({ directory }, { found: { workspaceId, id, number }, traceId }) => {
    await directory.ask('delete-transformation', { workspaceId, id }, traceId)
    return { message: 'Transformation deleted successfully', transformation_id: number, workspace_id: workspaceId }
  },
})

export const transformationRoutes: readonly Route[] = [list, create, listSamples, preview, get, update, remove]

/** Returns the fields of the body. The directory, not this function, refuses an empty field. */
const fieldsOf = ({ name, template }: Static<typeof TransformationBody>) => ({ name, template })

const transformationObject = (view: TransformationView) =>
  write({ ...view, id: view.number, contentType: contentTypeOf(view.template) })
