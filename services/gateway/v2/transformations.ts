// /v2/notifications/transformations (spec D 2): payload templates, their samples and their preview.
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { allPages } from '#shared/all-pages.ts'
import type { TransformationView } from '#shared/contracts/ask-notifications.ts'
import { AppError } from '#shared/errors.ts'
import { idLength, randomId } from '#shared/ids.ts'
import { limits } from '#shared/limits.ts'
import { requireTemplateSize } from '#shared/template/accept.ts'
import { judgeTemplate, samples } from '#shared/template/samples.ts'
import { contentTypeOf } from '#shared/template/template.ts'
import { requireEditor, requireMember } from '../access.ts'
import { answering, type Call, pathPart } from '../answer.ts'
import type { GatewayContext } from '../context.ts'
import { Needed, required, shapeReader } from '../fields.ts'
import { timestamp } from '../instants.ts'
import { publicNumber, WorkspaceId } from './notification-fields.ts'
import { notificationWorkspace, workspaceOfBody } from './notification-workspace.ts'

const template = Needed(
  Type.String({ minLength: 1, description: `Literal text with {{ field }}, at most ${limits.template.bytes} bytes.` }),
)

export const TransformationBody = Type.Object(
  {
    workspace_id: WorkspaceId,
    name: Needed(Type.String({ minLength: 1, maxLength: limits.template.nameCharacters })),
    template,
  },
  { additionalProperties: false },
)
export const PreviewBody = Type.Object({ workspace_id: WorkspaceId, template }, { additionalProperties: false })

const readTransformation = shapeReader(TransformationBody)
const readPreview = shapeReader(PreviewBody)

type Handler = (context: GatewayContext, call: Call) => Promise<unknown>

export function transformationRoutes(fastify: FastifyInstance, context: GatewayContext): void {
  const handled = (handler: Handler) => answering(context.clock, call => handler(context, call))
  const all = '/notifications/transformations'
  fastify.get(all, handled(listTransformations))
  fastify.post(all, handled(createTransformation))
  fastify.get(`${all}/samples`, handled(listSamples))
  fastify.post(`${all}/preview`, handled(preview))
  fastify.get(`${all}/:id`, handled(getTransformation))
  fastify.post(`${all}/:id`, handled(updateTransformation))
  fastify.delete(`${all}/:id`, handled(deleteTransformation))
}

async function listTransformations({ directory }: GatewayContext, { request, traceId }: Call) {
  const workspaceId = notificationWorkspace(request)
  requireEditor(request.identity, workspaceId)
  const all = await allPages(after => directory.ask('list-transformations', { workspaceId, after }, traceId))
  return all.sort((a, b) => (a.nameKey < b.nameKey ? -1 : 1)).map(transformationObject)
}

async function createTransformation({ directory }: GatewayContext, call: Call) {
  const { workspaceId, body } = await workspaceOfBody(call)
  requireEditor(call.request.identity, workspaceId)
  const request = { id: randomId(idLength.destination), workspaceId, ...fieldsOf(readTransformation(await body())) }
  return transformationObject(await directory.ask('create-transformation', request, call.traceId))
}

/** The same for everybody with a key. */
const listSamples: Handler = async () => samples.map(({ alertKind, label, fields }) => ({ alert_kind: alertKind, label, fields }))

/** Judged as a save would be, storing nothing. */
async function preview(_context: GatewayContext, call: Call) {
  const { workspaceId, body } = await workspaceOfBody(call)
  requireEditor(call.request.identity, workspaceId)
  const sent = templateOf(readPreview(await body()))
  requireTemplateSize(sent)
  const results = judgeTemplate(sent).map(({ alertKind, label, rendered }) => ({ alert_kind: alertKind, label, ...rendered }))
  return { passed: results.every(({ ok }) => ok), results, kind: 'notification_transformation_preview' }
}

async function getTransformation(context: GatewayContext, call: Call) {
  return transformationObject(await findTransformation(context, call, notificationWorkspace(call.request)))
}

async function updateTransformation(context: GatewayContext, call: Call) {
  const { workspaceId, body } = await workspaceOfBody(call)
  const { id } = await findTransformation(context, call, workspaceId)
  const request = { workspaceId, id, ...fieldsOf(readTransformation(await body())) }
  return transformationObject(await context.directory.ask('update-transformation', request, call.traceId))
}

async function deleteTransformation(context: GatewayContext, call: Call) {
  const workspaceId = notificationWorkspace(call.request)
  const { id, number } = await findTransformation(context, call, workspaceId)
  await context.directory.ask('delete-transformation', { workspaceId, id }, call.traceId)
  return { message: 'Transformation deleted successfully', transformation_id: number, workspace_id: workspaceId }
}

/** The transformation of the path, for whoever may read and change it: workspace, object, role, in this order. */
async function findTransformation({ directory }: GatewayContext, call: Call, workspaceId: string): Promise<TransformationView> {
  requireMember(call.request.identity, workspaceId)
  const number = publicNumber(pathPart(call, 'id'))
  const found = number === null ? null : await directory.ask('get-transformation', { workspaceId, number }, call.traceId)
  if (found === null) {
    throw new AppError('not_found', 'Transformation not found', { details: 'The workspace has no such transformation' })
  }
  requireEditor(call.request.identity, workspaceId)
  return found
}

/** Empty is there, and wrong: the directory says how. */
function fieldsOf(sent: Static<typeof TransformationBody>) {
  return { name: sent.name === '' ? '' : required(sent.name, 'name'), template: templateOf(sent) }
}

const templateOf = (sent: { template?: string | null }): string =>
  sent.template === '' ? '' : required(sent.template, 'template')

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
