// The five routes of website monitors, for both families (reference/website-monitors 1.1 and 3). Order of checks: key and route (before
// these handlers), then workspace, object, role, JSON, fields, state (reference/envelope 4.1).

import { type Static, Type } from 'typebox'
import { pages } from '#shared/async/pages.ts'
import type { CheckField } from '#shared/checks/check-field.ts'
import { websiteFields } from '#shared/checks/website/fields.ts'
import type { Identity } from '#shared/contracts/ask/ask.ts'
import { Strict } from '#shared/contracts/common.ts'
import type { Command, CommandResults } from '#shared/contracts/subjects/command.ts'
import { checkedKind, isChecked } from '#shared/contracts/subjects/subject-kind.ts'
import type { WebsiteView } from '#shared/contracts/subjects/subject-views.ts'
import { AppError, refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { redactedUrl } from '#shared/secrecy/redacted-text.ts'
import { isOfGenerations1And2 } from '#shared/subjects/classic-kind.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { firstCharacters } from '#shared/text/plain-text.ts'
import { roleIn } from '../callers/access.ts'
import { requireBodyWorkspaceId, requireWorkspaceId } from '../callers/workspace-id.ts'
import type { GatewayContext } from '../context.ts'
import { type Call, pathPart } from '../http/answer.ts'
import type { Route } from '../http/route.ts'
import { listOf } from '../http/streamed-list.ts'
import { commandId } from '../subjects/command-id.ts'
import { isSubjectId } from '../subjects/subject-id.ts'
import { editor, member, route, workspaceQuery } from '../v2/classic-route.ts'
import type { WebsiteFamily } from './family.ts'
import type { SettingsBody } from './settings.ts'

const slugFallback = 'website'

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
    route('GET', path, {
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
    route('POST', path, {
      ...words.create,
      makes: 'resource',
      needs: editor,
      body: family.bodies.create,
      result: family.result,
      find: async (_context, call) => ({ workspaceId: requireBodyWorkspaceId((await call.json()).body) }),
      handler: (context, call) => createWebsite({ context, family, call }, call.found.workspaceId, call.body),
    }),
    route('GET', one, {
      ...words.get,
      needs: member,
      result: family.result,
      find: (context, call) => findWebsite({ context, family, call }),
      handler: (context, call) => answerWebsite({ context, family, call }, call.found),
    }),
    route('POST', one, {
      ...words.update,
      needs: editor,
      body: family.bodies.update,
      result: family.result,
      find: (context, call) => findWebsite({ context, family, call }),
      handler: (context, call) => updateWebsite({ context, family, call }, call.found, call.body),
    }),
    route('DELETE', one, {
      ...words.delete,
      needs: editor,
      result: Strict(deleted),
      find: (context, call) => findWebsite({ context, family, call }),
      handler: (context, call) => deleteWebsite({ context, family, call }, call.found),
    }),
  ]
}

const listWebsites = (work: Work, workspaceId: string) => listOf(websitePages(work, workspaceId))

async function* websitePages({ context, family, call }: Work, workspaceId: string): AsyncGenerator<object[]> {
  const read = (after: string | null) => context.directory.ask('list-websites', { workspaceId, after }, call.traceId)
  for await (const websites of pages(read)) {
    const ids = new Set(websites.flatMap(website => website.check.locations))
    const namesOf = await context.locationNames.namer(ids, call.traceId)
    yield websites.map(website => family.object(seenWebsite(website, call.request.identity), namesOf))
  }
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

/** Replaces all settings. If `agreement` is omitted, the monitor keeps its present agreement. */
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
  await send(work, website.id, { kind: 'delete-subject', id: commandId(), subjectKind: checkedKind })
  return { message: work.family.deletedMessage, [work.family.idField]: website.id }
}

/**
 * Returns the website monitor of the path. A missing monitor gets the same refusal as a monitor in a workspace of which the caller is not a
 * member (reference/envelope 4.5). A monitor that became custom is refused (reference/website-monitors 4.1).
 */
export async function findWebsite({ context, family, call }: Work): Promise<WebsiteView> {
  const subjectId = pathPart(call, family.idPart)
  const subject = isSubjectId(subjectId) ? await context.directory.ask('get-subject', { subjectId }, call.traceId) : null
  if (!subject || roleIn(call.request.identity, subject.workspaceId) === null) throw notFound(family)
  // Resources of other Templates are not visible in generations 1 and 2 (reference/website-monitors 4.2).
  if (!isOfGenerations1And2(subject)) throw notFound(family)
  const { kind, check, slug } = subject
  if (isChecked(kind) && check !== null) return { ...subject, check }
  const details = `This subject is maintained by hand; use /v2/subjects/${encodeURIComponent(slug)}`
  throw refusal('invalid_state', 'Custom subjects are managed elsewhere', details)
}

type WebsiteCommand = Extract<Command, { kind: 'create-website' | 'update-website' | 'delete-subject' }>

/** Sends a command. Retries use the same command id, so a repeated command returns the first result. */
async function send<C extends WebsiteCommand>(work: Work, subjectId: string, command: C): Promise<CommandResults[C['kind']]> {
  try {
    return await work.context.keeper.send(subjectId, command, work.call.traceId)
  } catch (error) {
    // The monitor was deleted between the lookup and the command.
    throw error instanceof AppError && error.code === 'not_found' ? notFound(work.family) : error
  }
}

/**
 * Returns a monitor as `reader` may see it: for a viewer, without credentials and without the request body (reference/website-monitors
 * 2.5).
 */
function seenWebsite(website: WebsiteView, reader: Identity): WebsiteView {
  if (roleIn(reader, website.workspaceId) !== 'viewer') return website
  return {
    ...website,
    check: { ...website.check, ...Object.fromEntries(websiteFields.map(field => [field.key, seen(field, website)])) },
  }
}

function seen({ key, secret, type }: CheckField, { check }: WebsiteView): unknown {
  if (secret) return ''
  return type === 'url' ? redactedUrl(String(check[key])) : check[key]
}

async function answerWebsite({ context, family, call }: Work, website: WebsiteView) {
  const namesOf = await context.locationNames.namer(website.check.locations, call.traceId)
  return family.object(seenWebsite(website, call.request.identity), namesOf)
}

async function knownLocations({ context, family, call }: Work, names: string[]): Promise<string[]> {
  const found = await context.locationNames.toIds(names, call.traceId)
  if ('ids' in found) return [...new Set(found.ids.values())]
  const details = `Unknown ${family.placeWord}: ${shortened(found.unknown)}`
  throw refusal('validation', `invalid ${family.placeField}`, details)
}

/** Returns the beginning of a name. A name from a client may be very long. */
const shortened = (name: string): string => firstCharacters(name.slice(0, 2_000), limits.website.nameCharacters)

const notFound = ({ notFound: { message, details } }: WebsiteFamily) => refusal('not_found', message, details)
