// OpenAPI 3.1 document of the session API, made from the records of its routes. The session API uses HTTP statuses.

import { Type } from 'typebox'
import { Strict } from '#shared/contracts/common.ts'
import { Answered } from '../body/result-schema.ts'
import type { Route } from '../http/route.ts'
import { type SessionErrorWord, sessionErrors } from '../session/caller/session-error.ts'
import { sessionRoutes } from '../session/routes.ts'
import {
  descriptionFor,
  documentOf,
  inBraces,
  jsonContent,
  operationId,
  parameterNames,
  pathParameter,
  pathsOf,
  queryOf,
} from './parts.ts'
import { type Components, type JsonSchema, plainSchema } from './plain-schema.ts'
import { sampleOf } from './sample.ts'

/** Route records by method and path, such as `GET /session/workspaces`. Path parameters stand in braces. */
export const sessionDescriptions: Readonly<Record<string, Route>> = Object.fromEntries(
  sessionRoutes.map(route => [`${route.method} /session${inBraces(route.path.replace(/^[/]$/, ''))}`, route]),
)

/** Permitted callers of a route, as the document names them. */
const roleNames: Readonly<Record<Route['needs']['role'], string>> = {
  nobody: 'open',
  anybody: 'signed in',
  viewer: 'member',
  editor: 'editor',
  owner: 'owner',
  admin: 'admin',
}

const Refused = Answered('SessionRefusal', {
  error: Strict({
    code: Type.Enum(Object.keys(sessionErrors) as SessionErrorWord[], { description: 'Stable; what a client branches on.' }),
    message: Type.String({ examples: ['Forbidden'] }),
    details: Type.String({ examples: ['Needs the role owner; yours is viewer.'] }),
    field: Type.Optional(
      Type.String({ description: 'The field that it is about, as the request names it.', examples: ['name'] }),
    ),
  }),
})

const introduction =
  'The API of the dashboard: plain JSON with HTTP statuses. A browser that has signed in sends the cookie, and `Origin` by itself; others ' +
  'send `Origin` with the address of the installation. Programs use an API key and the other documents instead.'

export function sessionDocument(version: string): JsonSchema {
  const schemas: Components = {}
  plainSchema(Refused, schemas)
  const byPath = Object.entries(sessionDescriptions).map(([name, route]) => [name.split(' ')[1] ?? '', route] as const)
  const paths = pathsOf(byPath, pathParameters, (path, route) => operation(path, route, schemas))
  const cookie = { type: 'apiKey', in: 'cookie', name: 'watchkeeper-session', description: 'Set by signing in.' }
  const facts = { title: 'Watchkeeper session API', version, description: introduction, server: '/' }
  return documentOf({ ...facts, paths, schemas, security: { cookie } })
}

/** Returns all refusals of a route: its own refusals, and refusals that result from the route's method, body and required rights. */
const sessionRefusalsOf = ({ method, needs: { role }, body, refusals }: Route): SessionErrorWord[] => {
  const words = new Set(refusals as SessionErrorWord[])
  if (role !== 'nobody') words.add('unauthenticated')
  if (role === 'viewer' || role === 'owner' || role === 'editor') words.add('not_found')
  if (role === 'admin' || role === 'owner' || role === 'editor') words.add('forbidden')
  if (method !== 'GET') words.add('cross_origin')
  if (body) for (const word of ['malformed', 'too_large', 'unsupported_media_type', 'invalid'] as const) words.add(word)
  for (const word of ['not_local', 'internal', 'unavailable'] as const) words.add(word)
  return [...words]
}

function operation(path: string, described: Route, schemas: Components): JsonSchema {
  const { summary, needs, body, examples = [], status = 200 } = described
  const content = () => jsonContent({ schema: plainSchema(body, schemas), example: examples[0] })
  return {
    operationId: operationId(described, path),
    tags: [path.split('/')[2] ?? 'session'],
    summary,
    description: descriptionFor(roleNames[needs.role], described),
    ...(needs.role === 'nobody' ? { security: [] } : {}),
    ...queryOf(described, schemas),
    ...(body === undefined ? {} : { requestBody: { required: true, ...content() } }),
    responses: { [status]: answer(described, schemas), ...refused(sessionRefusalsOf(described)) },
  }
}

function answer({ status, result }: Route, schemas: Components): JsonSchema {
  if (result === undefined) return { description: status === 303 ? 'Leads elsewhere by `Location`.' : 'Done.' }
  const schema = plainSchema(result, schemas)
  return { description: 'Done.', ...jsonContent({ schema, example: sampleOf(schema, schemas, '') }) }
}

/** Returns one response for each HTTP status of a refusal. A response lists the error words that have its status. */
function refused(words: readonly SessionErrorWord[]): JsonSchema {
  const byStatus = Object.groupBy(words, word => sessionErrors[word])
  const schema = { $ref: '#/components/schemas/SessionRefusal' }
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, those = []]) => [
      status,
      { description: those.map(word => `\`${word}\``).join(', '), ...jsonContent({ schema }) },
    ]),
  )
}

/** Returns the path parameters. The example of `{userId}` is `USER_ID`, which stands for an id from an earlier response. */
const pathParameters = (path: string): JsonSchema[] =>
  parameterNames(path).map(name => {
    const noun = name.replace(/Id$/, '')
    if (noun !== name) return pathParameter(name, `The id of the ${noun}.`, `${noun.toUpperCase()}_ID`)
    const word = words[name]
    if (word === undefined) throw new Error(`Invariant broken: the parameter ${name} of ${path} has no example`)
    return pathParameter(name, ...word)
  })

/** Meaning and example of path parameters that are words. */
const words: Readonly<Record<string, [meaning: string, example: string]>> = {
  machine: ['`incident`, `maintenance` or `delivery`.', 'incident'],
  form: ['`source`, `json` or `mermaid`.', 'mermaid'],
}
