// /v2/notifications/transformations (reference/messages 3): payload templates, their samples and their preview.
import { type Static, Type } from 'typebox'
import { allPages } from '#shared/async/pages.ts'
import type { TransformationView } from '#shared/contracts/ask/ask-notifications.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { requireTemplateSize } from '#shared/template/accept.ts'
import { judgeTemplate, samples } from '#shared/template/samples.ts'
import { contentTypeOf } from '#shared/template/template.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { timestamp } from '../body/instants.ts'
import { Answered, Instant, Kind } from '../body/result-schema.ts'
import type { GatewayContext } from '../context.ts'
import { pathPart } from '../http/answer.ts'
import type { Route } from '../http/route.ts'
import { anybody, type ClassicCall, type ClassicRefusal, editor, route } from './classic-route.ts'
import { AlertKind, messageAbout, publicNumber, WorkspaceId } from './notification-fields.ts'
import { inWorkspace, notificationQuery, workspaceOfBody, workspaceOfQuery } from './notification-workspace.ts'
import { invalid, invalidName } from './refusals.ts'

const template = Type.String({
  minLength: 1,
  description: `Literal text with {{ field }}, at most ${limits.template.bytes} bytes.`,
})

const TransformationBody = Type.Object(
  {
    workspace_id: WorkspaceId,
    name: Type.String({ minLength: 1, maxLength: limits.template.nameCharacters }),
    template,
  },
  { additionalProperties: false },
)
const PreviewBody = Type.Object({ workspace_id: WorkspaceId, template }, { additionalProperties: false })

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

const fieldNames = Object.keys(samples[0]?.fields ?? {})
const Sample = Answered('NotificationSample', {
  alert_kind: AlertKind,
  label: Type.String(),
  fields: Type.Object(Object.fromEntries(fieldNames.map(name => [name, Type.String()])), { additionalProperties: false }),
})

const sampled = { alert_kind: AlertKind, label: Type.String() }
const Preview = Answered('NotificationTransformationPreview', {
  passed: Type.Boolean(),
  results: Type.Array(
    Type.Union([
      Type.Object({ ...sampled, ok: Type.Literal(true), output: Type.String() }, { additionalProperties: false }),
      Type.Object({ ...sampled, ok: Type.Literal(false), error: Type.String() }, { additionalProperties: false }),
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

/** Finds the transformation of the path in the workspace of the request. */
const findIn =
  (workspaceOf: (call: ClassicCall) => Promise<{ workspaceId: string }>) =>
  async ({ directory }: GatewayContext, call: ClassicCall): Promise<TransformationView> => {
    const { workspaceId } = await workspaceOf(call)
    const number = publicNumber(pathPart(call, 'id'))
    const found = number === null ? null : await directory.ask('get-transformation', { workspaceId, number }, call.traceId)
    if (found !== null) return found
    throw new AppError('not_found', 'Transformation not found', { details: 'The workspace has no such transformation' })
  }

const findByQuery = findIn(workspaceOfQuery)
const findByBody = findIn(workspaceOfBody)

const list = route({
  method: 'GET',
  path: all,
  summary: 'The payload templates of a workspace, by name.',
  needs: editor,
  find: (_context, call) => workspaceOfQuery(call),
  query: notificationQuery,
  result: Type.Array(Transformation),
  refusals: inWorkspace,
  handler: async ({ directory }, { found: { workspaceId }, traceId }) => {
    const found = await allPages(after => directory.ask('list-transformations', { workspaceId, after }, traceId))
    return found.sort((a, b) => (a.nameKey < b.nameKey ? -1 : 1)).map(transformationObject)
  },
})

const create = route({
  method: 'POST',
  path: all,
  summary: 'Stores a payload template that renders all samples.',
  needs: editor,
  find: (_context, call) => workspaceOfBody(call),
  query: notificationQuery,
  body: TransformationBody,
  result: Transformation,
  refusals: ['2004 Too many transformations', ...ofFields, ...inWorkspace],
  examples: [example],
  handler: async ({ directory }, { found: { workspaceId }, body, traceId }) => {
    const asked = { id: randomId(idLength.destination), workspaceId, ...fieldsOf(body) }
    return transformationObject(await directory.ask('create-transformation', asked, traceId))
  },
})

/** The samples are the same for every key. */
const listSamples = route({
  method: 'GET',
  path: `${all}/samples`,
  summary: 'The three messages that a template is judged against.',
  needs: anybody,
  result: Type.Array(Sample),
  refusals: [],
  handler: async () => samples.map(({ alertKind, label, fields }) => ({ alert_kind: alertKind, label, fields })),
})

/** Checks the transformation as a save would, and stores nothing. */
const preview = route({
  method: 'POST',
  path: `${all}/preview`,
  summary: 'Renders a template against the samples and stores nothing.',
  needs: editor,
  isDry: true,
  find: (_context, call) => workspaceOfBody(call),
  query: notificationQuery,
  body: PreviewBody,
  result: Preview,
  refusals: [invalid, '2001 Invalid template', ...inWorkspace],
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

const get = route({
  method: 'GET',
  path: one,
  summary: 'A payload template.',
  needs: editor,
  find: findByQuery,
  query: notificationQuery,
  result: Transformation,
  refusals: [noTransformation, ...inWorkspace],
  handler: async (_context, { found }) => transformationObject(found),
})

const update = route({
  method: 'POST',
  path: one,
  summary: 'Replaces name and template.',
  needs: editor,
  find: findByBody,
  query: notificationQuery,
  body: TransformationBody,
  result: Transformation,
  refusals: [noTransformation, ...ofFields, ...inWorkspace],
  examples: [{ ...example, name: 'Pager, short' }],
  handler: async ({ directory }, { found: { workspaceId, id }, body, traceId }) => {
    const asked = { workspaceId, id, ...fieldsOf(body) }
    return transformationObject(await directory.ask('update-transformation', asked, traceId))
  },
})

const remove = route({
  method: 'DELETE',
  path: one,
  summary: 'Removes a payload template; destinations that used it send the built-in body.',
  needs: editor,
  find: findByQuery,
  query: notificationQuery,
  result: messageAbout('transformation_id'),
  refusals: [noTransformation, ...inWorkspace],
  handler: async ({ directory }, { found: { workspaceId, id, number }, traceId }) => {
    await directory.ask('delete-transformation', { workspaceId, id }, traceId)
    return { message: 'Transformation deleted successfully', transformation_id: number, workspace_id: workspaceId }
  },
})

export const transformationRoutes: readonly Route[] = [list, create, listSamples, preview, get, update, remove]

/** The directory refuses an empty field. */
const fieldsOf = ({ name, template }: Static<typeof TransformationBody>) => ({ name, template })

const transformationObject = (transformation: TransformationView) => ({
  id: transformation.number,
  name: transformation.name,
  template: transformation.template,
  content_type: contentTypeOf(transformation.template),
  workspace_id: transformation.workspaceId,
  created_at: timestamp(transformation.createdAt),
  updated_at: timestamp(transformation.updatedAt),
  kind: 'notification_transformation',
})
