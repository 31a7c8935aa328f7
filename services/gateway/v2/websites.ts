// /v2/monitoring/websites: the five methods (spec A, Endpoints and Rules per route; D 1). Checks come in the spec's order: key and
// route before these handlers, then workspace, object, role, JSON, fields, state.
import type { FastifyInstance } from 'fastify'
import type { Command, SubjectView } from '#shared/contracts/command.ts'
import { AppError } from '#shared/errors.ts'
import { idLength, randomId } from '#shared/ids.ts'
import { limits } from '#shared/limits.ts'
import { requireEditor, requireMember, roleIn } from '../access.ts'
import { answering, type Call, pathId } from '../answer.ts'
import type { GatewayContext } from '../context.ts'
import { required } from '../fields.ts'
import { invalidJson, readObject } from '../json-body.ts'
import { allPages } from '../pages.ts'
import { requireWorkspaceId } from '../query.ts'
import { isSubjectId } from '../subject-id.ts'
import { readWebsite } from './website-body.ts'
import { websiteObject } from './website-object.ts'

const commandIdLength = 20
const slugFallback = 'website'

export function websiteRoutes(fastify: FastifyInstance, context: GatewayContext): void {
  const { clock } = context
  fastify.get(
    '/monitoring/websites',
    answering(clock, call => listWebsites(context, call)),
  )
  fastify.post(
    '/monitoring/websites',
    answering(clock, call => createWebsite(context, call)),
  )
  fastify.get(
    '/monitoring/websites/:id',
    answering(clock, call => getWebsite(context, call)),
  )
  fastify.post(
    '/monitoring/websites/:id',
    answering(clock, call => updateWebsite(context, call)),
  )
  fastify.delete(
    '/monitoring/websites/:id',
    answering(clock, call => deleteWebsite(context, call)),
  )
}

async function listWebsites(context: GatewayContext, { request, traceId }: Call) {
  const workspaceId = requireWorkspaceId(request)
  requireMember(request.identity, workspaceId)
  const websites = await allPages(after => context.directory.ask('list-websites', { workspaceId, after }, traceId))
  const namesOf = await context.locationNames.namer(new Set(websites.flatMap(website => website.meta.locations)), traceId)
  return websites.map(website => websiteObject(website, namesOf))
}

async function createWebsite(context: GatewayContext, { request, reply, traceId }: Call) {
  const body = await readObject(request, reply)
  const workspaceId = bodyWorkspaceId(body)
  requireEditor(request.identity, workspaceId)
  const { name, meta, locations, failureMode } = readWebsite(body)
  const locationIds = await knownLocations(context, locations, traceId)
  const subjectId = randomId(idLength.subject)
  const reservation = { workspaceId, name, subjectId, fallback: slugFallback }
  const { slug } = await context.directory.ask('reserve-name', reservation, traceId)
  const stored = await send(context, subjectId, traceId, {
    kind: 'create-website',
    id: randomId(commandIdLength),
    workspaceId,
    slug,
    name,
    meta: { ...meta, locations: locationIds, failure_mode: failureMode ?? 'majority', confirm_after: null, recover_after: null },
  })
  return answerWebsite(context, stored as SubjectView, traceId)
}

async function getWebsite(context: GatewayContext, call: Call) {
  return answerWebsite(context, await findWebsite(context, call), call.traceId)
}

/** A full replacement; only an agreement that is left out is kept. */
async function updateWebsite(context: GatewayContext, call: Call) {
  const website = await findWebsite(context, call)
  requireEditor(call.request.identity, website.workspaceId)
  const { name, meta, locations, failureMode } = readWebsite(await readObject(call.request, call.reply))
  const locationIds = await knownLocations(context, locations, call.traceId)
  const stored = await send(context, website.id, call.traceId, {
    kind: 'update-website',
    id: randomId(commandIdLength),
    name,
    meta: { ...meta, locations: locationIds, failure_mode: failureMode },
  })
  return answerWebsite(context, stored as SubjectView, call.traceId)
}

async function deleteWebsite(context: GatewayContext, call: Call) {
  const website = await findWebsite(context, call)
  requireEditor(call.request.identity, website.workspaceId)
  await send(context, website.id, call.traceId, { kind: 'delete-subject', id: randomId(commandIdLength) })
  return { message: 'Website monitor deleted successfully', monitor_id: website.id }
}

/** The website of the path. One that does not exist and one in an unreachable workspace are the same to the caller (spec A, rule 5). */
async function findWebsite(context: GatewayContext, call: Call): Promise<SubjectView> {
  const subjectId = pathId(call)
  const subject = isSubjectId(subjectId) ? await context.directory.ask('get-subject', { subjectId }, call.traceId) : null
  if (!subject || roleIn(call.request.identity, subject.workspaceId) === null) throw notFound()
  if (subject.kind === 'website') return subject
  // A resource of another template is no custom subject of this generation either (spec D 3).
  if (subject.template !== null) throw notFound()
  const details = `This subject is maintained by hand; use /v2/subjects/${encodeURIComponent(subject.slug)}`
  throw new AppError('invalid_state', 'Custom subjects are managed elsewhere', { details })
}

/** One command id for all tries of this request: a repeated one gets the first answer. */
async function send(context: GatewayContext, subjectId: string, traceId: string, command: Command): Promise<unknown> {
  try {
    return await context.keeper.send(subjectId, command, traceId)
  } catch (error) {
    // Deleted between our look and its turn.
    throw error instanceof AppError && error.code === 'not_found' ? notFound() : error
  }
}

async function answerWebsite(context: GatewayContext, website: SubjectView, traceId: string) {
  return websiteObject(website, await context.locationNames.namer(website.meta.locations, traceId))
}

async function knownLocations(context: GatewayContext, names: string[], traceId: string): Promise<string[]> {
  const found = await context.locationNames.toIds(names, traceId)
  if ('ids' in found) return found.ids
  throw new AppError('validation', 'invalid locations', { details: `Unknown location: "${shortened(found.unknown)}"` })
}

function bodyWorkspaceId(body: Record<string, unknown>): string {
  const sent = required(Object.hasOwn(body, 'workspace_id') ? body['workspace_id'] : undefined, 'workspace_id')
  if (typeof sent === 'string') return sent
  throw invalidJson("Field 'workspace_id' has the wrong type")
}

/** A name may be as long as a body: an answer quotes its beginning. */
const shortened = (name: string): string => [...name.slice(0, 2_000)].slice(0, limits.website.nameCharacters).join('')

const notFound = (): AppError =>
  new AppError('not_found', 'Website monitor not found', { details: 'Website monitor does not exist or access denied' })
