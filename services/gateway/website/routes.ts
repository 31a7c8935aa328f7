// The five methods of website monitors, in the words of the family that is asked (spec A, Endpoints and Rules per route; D 1). Checks
// come in the spec's order: key and route before these handlers, then workspace, object, role, JSON, fields, state.
import { type Static, Type } from 'typebox'
import { allPages } from '#shared/all-pages.ts'
import type { Command, CommandResults } from '#shared/contracts/command.ts'
import type { WebsiteView } from '#shared/contracts/subject-views.ts'
import { AppError } from '#shared/errors.ts'
import { idLength, randomId } from '#shared/ids.ts'
import { limits } from '#shared/limits.ts'
import { firstCharacters } from '#shared/plain-text.ts'
import { isOfGenerations1And2 } from '#shared/subject-view.ts'
import { roleIn } from '../access.ts'
import { type Call, pathPart } from '../answer.ts'
import { commandId } from '../command-id.ts'
import type { GatewayContext } from '../context.ts'
import type { Route } from '../route.ts'
import { isSubjectId } from '../subject-id.ts'
import { editor, member, route, workspaceQuery } from '../v2/classic-route.ts'
import { requireBodyWorkspaceId, requireWorkspaceId } from '../workspace-id.ts'
import type { WebsiteFamily } from './family.ts'
import { seenWebsite } from './seen-website.ts'
import type { SettingsBody } from './settings.ts'

const slugFallback = 'website'

/** The arguments of finders and handlers. */
interface Work {
  context: GatewayContext
  family: WebsiteFamily
  call: Call
}

export function websiteRoutes(family: WebsiteFamily): Route[] {
  const { path, idPart, words } = family
  const one = `${path}/:${idPart}`
  const deleted = { message: Type.String(), [family.idField]: Type.String() }
  return [
    route({
      method: 'GET',
      path,
      ...words.list,
      needs: member,
      query: workspaceQuery,
      result: Type.Array(family.result),
      find: async (context, call) => {
        const workspaceId = requireWorkspaceId(call.request)
        await family.requireListable(context, call, workspaceId)
        return { workspaceId }
      },
      handler: (context, call) => listWebsites({ context, family, call }, call.found.workspaceId),
    }),
    route({
      method: 'POST',
      path,
      ...words.create,
      needs: editor,
      body: family.bodies.create,
      result: family.result,
      find: async (_context, call) => ({ workspaceId: requireBodyWorkspaceId((await call.json()).body) }),
      handler: (context, call) => createWebsite({ context, family, call }, call.found.workspaceId, call.body),
    }),
    route({
      method: 'GET',
      path: one,
      ...words.get,
      needs: member,
      result: family.result,
      find: (context, call) => findWebsite({ context, family, call }),
      handler: (context, call) => answerWebsite({ context, family, call }, call.found),
    }),
    route({
      method: 'POST',
      path: one,
      ...words.update,
      needs: editor,
      body: family.bodies.update,
      result: family.result,
      find: (context, call) => findWebsite({ context, family, call }),
      handler: (context, call) => updateWebsite({ context, family, call }, call.found, call.body),
    }),
    route({
      method: 'DELETE',
      path: one,
      ...words.delete,
      needs: editor,
      result: Type.Object(deleted, { additionalProperties: false }),
      find: (context, call) => findWebsite({ context, family, call }),
      handler: (context, call) => deleteWebsite({ context, family, call }, call.found),
    }),
  ]
}

async function listWebsites({ context, family, call }: Work, workspaceId: string) {
  const websites = await allPages(after => context.directory.ask('list-websites', { workspaceId, after }, call.traceId))
  const namesOf = await context.locationNames.namer(new Set(websites.flatMap(website => website.check.locations)), call.traceId)
  return websites.map(website => family.object(seenWebsite(website, call.request.identity), namesOf))
}

async function createWebsite(work: Work, workspaceId: string, body: Static<typeof SettingsBody>) {
  const { context, family, call } = work
  const { name, check, places, failureMode } = family.read(body)
  const locations = await knownLocations(work, places)
  const subjectId = randomId(idLength.subject)
  const reservation = { workspaceId, name, subjectId, fallback: slugFallback }
  const { slug } = await context.directory.ask('reserve-name', reservation, call.traceId)
  const stored = await send(work, subjectId, {
    kind: 'create-website',
    id: commandId(),
    workspaceId,
    slug,
    name,
    check: { ...check, locations, failure_mode: failureMode ?? 'majority', confirm_after: null, recover_after: null },
  })
  return answerWebsite(work, stored)
}

/** A full replacement; only an agreement that is left out is kept. */
async function updateWebsite(work: Work, website: WebsiteView, body: Static<typeof SettingsBody>) {
  const { name, check, places, failureMode } = work.family.read(body)
  const locations = await knownLocations(work, places)
  const stored = await send(work, website.id, {
    kind: 'update-website',
    id: commandId(),
    name,
    check: { ...check, locations, failure_mode: failureMode },
  })
  return answerWebsite(work, stored)
}

async function deleteWebsite(work: Work, website: WebsiteView) {
  await send(work, website.id, { kind: 'delete-subject', id: commandId(), subjectKind: 'website' })
  return { message: work.family.deletedMessage, [work.family.idField]: website.id }
}

/**
 * The website of the path. One that does not exist and one in an unreachable workspace are the same to the caller (spec A, rule 5);
 * one that became custom is refused (rule 6).
 */
export async function findWebsite({ context, family, call }: Work): Promise<WebsiteView> {
  const subjectId = pathPart(call, family.idPart)
  const subject = isSubjectId(subjectId) ? await context.directory.ask('get-subject', { subjectId }, call.traceId) : null
  if (!subject || roleIn(call.request.identity, subject.workspaceId) === null) throw notFound(family)
  const { kind, check, slug } = subject
  if (kind === 'website' && check !== null) return { ...subject, check }
  // A resource of another template is no custom subject of this generation either (spec D 3).
  if (!isOfGenerations1And2(subject)) throw notFound(family)
  const details = `This subject is maintained by hand; use /v2/subjects/${encodeURIComponent(slug)}`
  throw new AppError('invalid_state', 'Custom subjects are managed elsewhere', { details })
}

type WebsiteCommand = Extract<Command, { kind: 'create-website' | 'update-website' | 'delete-subject' }>

/** One command id for all tries of this request: a repeated one gets the first answer. */
async function send<C extends WebsiteCommand>(work: Work, subjectId: string, command: C): Promise<CommandResults[C['kind']]> {
  try {
    return await work.context.keeper.send(subjectId, command, work.call.traceId)
  } catch (error) {
    // Deleted between our look and its turn.
    throw error instanceof AppError && error.code === 'not_found' ? notFound(work.family) : error
  }
}

async function answerWebsite({ context, family, call }: Work, website: WebsiteView) {
  const namesOf = await context.locationNames.namer(website.check.locations, call.traceId)
  return family.object(seenWebsite(website, call.request.identity), namesOf)
}

async function knownLocations({ context, family, call }: Work, names: string[]): Promise<string[]> {
  const found = await context.locationNames.toIds(names, call.traceId)
  if ('ids' in found) return [...new Set(found.ids.values())]
  const details = `Unknown ${family.placeWord}: ${shortened(found.unknown)}`
  throw new AppError('validation', `invalid ${family.placeField}`, { details })
}

/** A name may be as long as a body: an answer quotes its beginning. */
const shortened = (name: string): string => firstCharacters(name.slice(0, 2_000), limits.website.nameCharacters)

const notFound = ({ notFound: { message, details } }: WebsiteFamily): AppError => new AppError('not_found', message, { details })
