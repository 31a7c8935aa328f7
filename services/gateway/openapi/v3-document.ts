// OpenAPI 3.1 document of generation 3, made from the records of its routes. Reference: docs/reference/v3.md, section 1.
import { limits } from '#shared/limits/limits.ts'
import type { Route } from '../http/route.ts'
import { errorTypes } from '../v3/dialect.ts'
import { reportRoute } from '../v3/observations/take-report.ts'
import { v3Routes } from '../v3/routes.ts'
import { workspaceStandIn } from '../website/example.ts'
import {
  descriptionFor,
  documentOf,
  inBraces,
  jsonContent,
  keySecurity,
  operationId,
  parameterNames,
  pathParameter,
  pathsOf,
  queryOf,
} from './parts.ts'
import { type Components, type JsonSchema, plainSchema, schemaAddress, withNulls } from './plain-schema.ts'
import { sampleOf } from './sample.ts'

export function v3Document(version: string, routes: readonly Route[] = v3Routes): JsonSchema {
  const schemas: Components = { Refused }
  const byPath = routes.map(route => [`${prefix}${inBraces(route.path)}`, route] as const)
  const paths = pathsOf(byPath, pathParameters, (path, route) => operation(path, route, schemas))
  paths[addressPath] = addressItem(schemas)
  const facts = { title: 'Watchkeeper API, generation 3', version, description: introduction, server: '/' }
  return documentOf({ ...facts, paths: inStoryOrder(paths), schemas, security: { ...keySecurity(keyMeaning), session } })
}

/** All paths begin at the root, because many generated clients know only the server of the whole document. */
const prefix = '/api/v3'

/** Path at which Observation addresses accept reports. */
const addressPath = '/in/{token}'

const addressItem = (schemas: Components): JsonSchema => ({
  parameters: [
    {
      name: 'token',
      in: 'path',
      required: true,
      description: 'Of the address, as its creation showed it once.',
      schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' },
      example: sampleToken,
    },
    {
      name: 'X-Observation-Key',
      in: 'header',
      required: false,
      description: 'Of an address with a second factor: a full key of an editor or owner of the workspace.',
      schema: { type: 'string' },
    },
  ],
  post: operation(addressPath, reportRoute, schemas),
})

/** Has the form of a token and belongs to no address. */
export const sampleToken = 'the-token-that-creating-the-address-returned'.slice(0, 43)

const introduction =
  'Templates, Resources, Observations and Incidents. Every response is `{ result, error, meta }`, and its HTTP status carries meaning. ' +
  'Branch on `error.code`, which is the status behind a 1; `error.details.field` names the field at fault.'

const keyMeaning =
  'An API key, as `./watchkeeper key create` or the dashboard shows it once. A scoped key belongs to one workspace, and has the actions it was made with.'

const session = {
  type: 'apiKey',
  in: 'cookie',
  name: 'watchkeeper-session',
  description:
    'For pages of the installation: the session of a signed-in person. A change must prove its origin (docs/session-api.md).',
}

function operation(path: string, route: Route, components: Components): JsonSchema {
  const { summary, needs, body, bodyBytes = limits.v3.bodyBytes, examples, status = 200 } = route
  return {
    operationId: operationId(route, path.replace(/^[/]api/, '')),
    tags: [tagOf(path)],
    summary,
    description: descriptionFor(whoMay(needs), route),
    ...(needs.role === 'nobody' ? { security: [] } : {}),
    ...queryOf(route, components),
    ...(body === undefined ? {} : { requestBody: jsonBody(withNulls(plainSchema(body, components)), bodyBytes, examples) }),
    responses: { [status]: success(route, components), ...refused(route) },
  }
}

const callers: Readonly<Record<string, string>> = {
  anybody: 'anybody with a key',
  viewer: 'members',
  editor: 'editors and owners',
  admin: 'administrators of the installation',
}

function whoMay({ role, scope, orOneself, alsoAdmin }: Route['needs']): string {
  if (role === 'nobody') return 'everybody, without a key'
  const also = `${orOneself === true ? ', and members with their own id' : ''}${alsoAdmin === undefined ? '' : ' who administer the installation'}`
  const whose = `${callers[role] ?? 'owners'}${also}`
  if (scope === null) return whose
  return scope === 'full' ? `${whose}, by a full key` : `${whose}, by a full key or one with the action \`${scope}\``
}

function jsonBody(schema: JsonSchema, maxBytes: number, examples: readonly unknown[] = []): JsonSchema {
  const shown = Object.fromEntries(examples.map((value, i) => [`example ${i + 1}`, { value }]))
  return {
    required: Array.isArray(schema['required']),
    description: `At most ${maxBytes} bytes. An optional member sent as null is as if it were absent.`,
    ...jsonContent({ schema, ...(examples.length === 1 ? { example: examples[0] } : { examples: shown }) }),
  }
}

const RefusalError: JsonSchema = {
  type: 'object',
  properties: {
    code: { type: 'integer', description: 'The HTTP status behind a 1. What a client branches on.' },
    error_type: { enum: errorTypes },
    message: { type: 'string', description: 'A sentence for people.' },
    details: {
      type: 'object',
      properties: {
        field: { type: 'string', description: 'The field at fault, a dotted place inside a Template, or the parameter.' },
        scope: { type: 'string', description: 'The action that the key lacks; `full`: any scoped key does.' },
        role: { type: 'string', description: 'The role that is needed.' },
        used_by: { type: 'string', description: 'Rules and destinations that name the destination which is not deleted.' },
      },
    },
  },
  required: ['code', 'error_type', 'message', 'details'],
  additionalProperties: false,
}

const nothing = { type: 'null' }

const envelope = (properties: JsonSchema): JsonSchema => ({
  type: 'object',
  properties: { meta: nothing, ...properties },
  required: ['result', 'error', 'meta'],
  additionalProperties: false,
})

const Refused = envelope({ result: nothing, error: RefusalError })

const nextCursor: JsonSchema = { type: ['string', 'null'], description: '`cursor` of the next page; null: this is the last.' }

/** Returns the schema of `meta` of a list with pages, and an example. */
function pageMeta({ meta = {} }: Route, components: Components): { schema: JsonSchema; example: JsonSchema } {
  const more = Object.entries(meta).map(([name, member]) => [name, plainSchema(member, components)] as const)
  const properties = { next_cursor: nextCursor, ...Object.fromEntries(more) }
  const example = Object.fromEntries(more.map(([name, member]) => [name, sampleOf(member, components, '')]))
  return {
    schema: { type: 'object', properties, required: Object.keys(properties), additionalProperties: false },
    example: { next_cursor: null, ...example },
  }
}

/** Returns the response to a successful request. A list with a `cursor` parameter is returned in pages. */
function success(route: Route, components: Components): JsonSchema {
  const { result: schema = nothing, query = {}, streams } = route
  const result = plainSchema(schema, components)
  const page = Object.hasOwn(query, 'cursor') ? pageMeta(route, components) : null
  const example = { result: sampleOf(result, components, ''), error: null, meta: page?.example ?? null }
  const allowed = envelope({ result, error: nothing, ...(page === null ? {} : { meta: page.schema }) })
  const json = jsonContent({ schema: allowed, example })
  if (streams !== true) return { description: 'Done.', ...json }
  return {
    description: 'Done.',
    content: { ...(json['content'] as JsonSchema), 'text/event-stream': { schema: { type: 'string' } } },
  }
}

/**
 * Returns one response for each HTTP status of a refusal. The responses cover refusals that every route has, refusals that result from the
 * route's rights and path, and the route's own refusals.
 */
function refused(route: Route): JsonSchema {
  const schema = { $ref: `${schemaAddress}Refused` }
  return Object.fromEntries(
    v3StatusesOf(route).map(status => {
      const own = route.refusals.filter(refusal => refusal.startsWith(`${status} `)).map(refusal => refusal.slice(4))
      const fields = own.length === 0 ? '' : ` \`details.field\`: ${own.join('; ')}.`
      return [status, { description: `${meanings[status] ?? ''}${fields}`, ...jsonContent({ schema }) }]
    }),
  )
}

/** Returns every status with which a route may refuse a request. */
export function v3StatusesOf({ path, needs: { role, scope }, find, refusals }: Route): string[] {
  const isLimited = scope !== null || role === 'editor' || role === 'owner' || role === 'admin'
  return [
    '400',
    ...(role === 'nobody' ? [] : ['401']),
    ...(isLimited ? ['403'] : []),
    ...(path.includes(':workspace') || find !== undefined ? ['404'] : []),
    ...['413', '422', '429', '500'],
    ...refusals.map(refusal => refusal.slice(0, 3)),
  ].filter((status, i, all) => all.indexOf(status) === i)
}

const meanings: Readonly<Record<string, string>> = {
  400: 'No JSON, an unknown field, or a field of another JSON type.',
  401: 'No key, or one that is not valid.',
  403: 'The key lacks `details.scope`, or its owner the role `details.role`.',
  404: 'No such workspace or object, or it is not yours to see.',
  409: 'Its state does not allow it.',
  410: 'It is gone for good.',
  413: 'The body is too large.',
  422: 'A field or a parameter has a value that is not allowed.',
  429: 'The installation sheds load: wait as `Retry-After` says.',
  500: 'The request was not completed; it may be sent again.',
}

const pathParameters = (path: string): JsonSchema[] =>
  parameterNames(path).map(name => {
    const noun = name !== 'id' ? name : (Object.entries(nouns).find(([part]) => path.includes(part))?.[1] ?? 'address')
    const { meaning = `The id of the ${noun}.`, example = `${noun.toUpperCase().replace(' ', '_')}_ID` } = inPath[name] ?? {}
    const ofResource = name === 'resource' ? Object.entries(otherResources).find(([part]) => path.includes(part))?.[1] : undefined
    return pathParameter(name, meaning, ofResource ?? example)
  })

/** What an id in a path is of, by a part of the path before it. */
const nouns: Readonly<Record<string, string>> = { '/destinations/': 'destination', '/ping-keys/': 'ping key' }

/** Path parameters that accept a key, and the workspace, whose example the page replaces. Examples name what earlier examples create. */
const inPath: Readonly<Record<string, { meaning?: string; example: string }>> = {
  workspace: { example: workspaceStandIn },
  resource: { meaning: 'The id or the key of the Resource.', example: 'backup-1' },
  signal: { meaning: 'The key of a scheduled signal.', example: 'run' },
  template: { meaning: 'A key, which means its highest version, or key@version.', example: 'heartbeat' },
}

/**
 * Resources of examples other than the usual one, by a part of their path. The example that ends a Resource for good has one of its own,
 * because later examples use the usual one, which has no ping address.
 */
const otherResources: Readonly<Record<string, string>> = { '/archive': 'backup-2', '/ping-addresses': 'nightly-report' }

/** Returns the paths with those that remove an object behind the others of their tag, so that examples succeed from top to bottom. */
function inStoryOrder(paths: Record<string, JsonSchema>): Record<string, JsonSchema> {
  const tagged = Object.groupBy(Object.entries(paths), ([path]) => tagOf(path))
  const ordered = Object.values(tagged).flatMap((entries = []) => [
    ...entries.filter(([, item]) => !removes(item)),
    ...entries.filter(([, item]) => removes(item)),
  ])
  return Object.fromEntries(ordered)
}

/** Returns whether the path has the object itself and removes it. Maintenance, which has a PUT, begins and ends at one path. */
const removes = (item: JsonSchema): boolean => 'delete' in item && !('put' in item)

const tagOf = (path: string): string =>
  path === addressPath
    ? 'addresses'
    : (path.slice(`${prefix}/`.length).replace('workspaces/{workspace}/', '').split('/')[0] ?? '')
