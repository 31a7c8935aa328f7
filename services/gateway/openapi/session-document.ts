// OpenAPI 3.1 document of the session API, made from the records of its routes. The session API uses HTTP statuses.
import { Type } from 'typebox'
import { Answered } from '../body/result-schema.ts'
import type { QueryParameter, Route } from '../http/route.ts'
import { type SessionErrorWord, sessionErrors } from '../session/caller/session-error.ts'
import { sessionRoutes } from '../session/routes.ts'
import { type Components, type JsonSchema, plainSchema } from './plain-schema.ts'
import { sampleOf } from './sample.ts'

/** Records by method and path, with parameters in braces: `GET /session/workspaces`. */
export const sessionDescriptions: Readonly<Record<string, Route>> = Object.fromEntries(
  sessionRoutes.map(route => [`${route.method} /session${route.path.replace(/^[/]$/, '').replaceAll(/:(\w+)/g, '{$1}')}`, route]),
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
  error: Type.Object(
    {
      code: Type.Enum(Object.keys(sessionErrors) as SessionErrorWord[], { description: 'Stable; what a client branches on.' }),
      message: Type.String({ examples: ['Forbidden'] }),
      details: Type.String({ examples: ['Needs the role owner; yours is viewer.'] }),
      field: Type.Optional(
        Type.String({ description: 'The field that it is about, as the request names it.', examples: ['name'] }),
      ),
    },
    { additionalProperties: false },
  ),
})

const introduction =
  'The API of the dashboard: plain JSON with HTTP statuses. A browser that has signed in sends the cookie, and `Origin` by itself; others ' +
  'send `Origin` with the address of the installation. Programs use an API key and the other documents instead.'

/** Returns a plain object, ready to be written as JSON. */
export function sessionDocument(version: string): JsonSchema {
  const schemas: Components = {}
  plainSchema(Refused, schemas)
  const paths: Record<string, JsonSchema> = {}
  for (const [route, described] of Object.entries(sessionDescriptions)) {
    const [method = '', path = ''] = route.split(' ')
    paths[path] = {
      ...(paths[path] ?? pathParameters(path)),
      [method.toLowerCase()]: operation(method, path, described, schemas),
    }
  }
  const cookie = { type: 'apiKey', in: 'cookie', name: 'watchkeeper-session', description: 'Set by signing in.' }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Watchkeeper session API',
      version,
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ cookie: [] }],
    paths,
    components: { schemas, securitySchemes: { cookie } },
  }
}

/** Returns all refusals of a route, including those caused by its method, its body and its required rights. */
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

function operation(method: string, path: string, described: Route, schemas: Components): JsonSchema {
  const { summary, more, needs, query = {}, body, examples = [], status = 200 } = described
  const parameters = Object.entries<QueryParameter>(query).map(([name, parameter]) => queryParameter(name, parameter, schemas))
  const content = () => ({ 'application/json': { schema: plainSchema(body, schemas), example: examples[0] } })
  return {
    operationId: [method.toLowerCase(), ...path.replaceAll(/[{}-]/g, '').split('/')].filter(part => part !== '').join('_'),
    tags: [path.split('/')[2] ?? 'session'],
    summary,
    description: [`For: ${roleNames[needs.role]}.`, ...(more === undefined ? [] : [more])].join(' '),
    ...(needs.role === 'nobody' ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: content() } }),
    responses: { [status]: answer(described, schemas), ...refused(sessionRefusalsOf(described)) },
  }
}

function answer({ status, result }: Route, schemas: Components): JsonSchema {
  if (result === undefined) return { description: status === 303 ? 'Leads elsewhere by `Location`.' : 'Done.' }
  const schema = plainSchema(result, schemas)
  return { description: 'Done.', content: { 'application/json': { schema, example: sampleOf(schema, schemas, '') } } }
}

/** Returns the refusals by status, each with its words. */
function refused(words: readonly SessionErrorWord[]): JsonSchema {
  const byStatus = Object.groupBy(words, word => sessionErrors[word])
  const schema = { $ref: '#/components/schemas/SessionRefusal' }
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, those = []]) => [
      status,
      { description: those.map(word => `\`${word}\``).join(', '), content: { 'application/json': { schema } } },
    ]),
  )
}

const queryParameter = (
  name: string,
  { required = false, schema, meaning }: QueryParameter,
  schemas: Components,
): JsonSchema => ({
  name,
  in: 'query',
  required,
  description: meaning,
  schema: plainSchema(schema, schemas),
})

/** Returns the path parameters. The example of `{userId}` is `USER_ID`, which stands for an id from an earlier response. */
function pathParameters(path: string): JsonSchema {
  const parameters = [...path.matchAll(/[{](\w+)Id[}]/g)].map(([, noun = '']) => ({
    name: `${noun}Id`,
    in: 'path',
    required: true,
    description: `The id of the ${noun}.`,
    schema: { type: 'string', minLength: 1 },
    example: `${noun.toUpperCase()}_ID`,
  }))
  return parameters.length === 0 ? {} : { parameters }
}
