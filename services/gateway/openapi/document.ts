// OpenAPI 3.1 document of a generation, made from the records of its routes. Generations 1 and 2 always use HTTP 200. Each operation
// therefore has one response: the envelope, with a result or a refusal.

import { type TSchema, Type } from 'typebox'
import { Strict } from '#shared/contracts/common.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Route } from '../http/route.ts'
import { ofEveryBody, ofEveryRoute } from '../v2/refusals.ts'
import { workspaceStandIn } from '../website/example.ts'
import { documentOf, jsonContent, keySecurity, operationId, parameterNames, pathParameter, pathsOf, queryOf } from './parts.ts'
import { type Components, type JsonSchema, plainSchema, schemaAddress } from './plain-schema.ts'
import { sampleOf } from './sample.ts'

export interface Generation {
  title: string
  description: string
  routes: Readonly<Record<string, Route>>
  /** Schemas of the messages that the installation sends to destinations. */
  webhooks?: (components: Components) => JsonSchema
}

export function openApiDocument({ title, description, routes, webhooks }: Generation, version: string): JsonSchema {
  const schemas: Components = { Refused: plainSchema(Refused, {}) }
  const byPath = Object.entries(routes).map(([name, route]) => [name.split(' ')[1] ?? '', route] as const)
  const paths = pathsOf(byPath, pathParameters, (path, route) => operation(path, route, schemas))
  const messages = webhooks === undefined ? {} : { webhooks: webhooks(schemas) }
  return documentOf({
    title,
    version,
    description,
    server: '/api',
    paths,
    ...messages,
    schemas,
    security: keySecurity(keyMeaning),
  })
}

/** Returns all refusals of a route, including the shared refusals. */
export const refusalsOf = ({ body, refusals }: Pick<Route, 'body' | 'refusals'>): readonly string[] => [
  ...refusals,
  ...(body ? ofEveryBody : []),
  ...ofEveryRoute,
]

const keyMeaning = 'An API key, as `./watchkeeper key create` or the dashboard shows it once. It is valid for 180 days.'

const Refused = Strict({
  code: Type.Integer({ description: 'Stable; what a client branches on.' }),
  error_type: Type.String({ enum: ['access_denied', 'validation_error', 'not_found', 'forbidden', 'internal_error'] }),
  message: Type.String({ description: 'Short and stable.' }),
  details: Type.String({ description: 'A sentence for people: what was wrong, and what to do.' }),
})

function operation(path: string, described: Route, components: Components): JsonSchema {
  const { summary, more, body, result = Type.Null(), examples = [] } = described
  return {
    operationId: operationId(described, path),
    tags: [tagOf(path)],
    summary,
    ...(more === undefined ? {} : { description: more }),
    ...queryOf(described, components, queryExample),
    ...(body === undefined ? {} : { requestBody: jsonBody(body, examples[0], components) }),
    responses: { 200: answer(plainSchema(result, components), refusalsOf(described), components) },
  }
}

/**
 * Returns the tag of a path: its first two segments after the generation, without parameters. Below /v2/subjects the tag is the first
 * segment.
 */
const tagOf = (path: string): string => {
  const [first = '', second = ''] = path.split('/').filter(part => !/^$|^v[12]$|^[{]/.test(part))
  return path.startsWith('/v2/subjects') || second === '' ? first : `${first} ${second}`
}

const pathParameters = (path: string): JsonSchema[] =>
  parameterNames(path).map(name => {
    const meaning = `${parameterMeanings[name] ?? 'An id.'} Percent-encoded: an encoded slash is data.`
    return pathParameter(name, meaning, pathExample(path, name))
  })

const parameterMeanings: Record<string, string> = {
  id: 'The id.',
  uid: 'The id of the rule, which is that of its monitor.',
  subject: 'The slug of the subject.',
  signal: 'The slug of the signal.',
  rule: 'The slug of the rule.',
  incident: 'The opaque id of the incident.',
}

/**
 * Examples of path parameters. The example requests form a sequence in the order of the document: a request succeeds if all requests before
 * it were sent. WORKSPACE_ID, MONITOR_ID and INCIDENT_ID stand for ids that differ in each installation.
 */
const inPath: Readonly<Record<string, string>> = {
  uid: 'MONITOR_ID',
  subject: 'queue-api',
  signal: 'depth',
  rule: 'too-deep',
  incident: 'INCIDENT_ID',
}

function pathExample(path: string, name: string): string {
  if (name === 'id') return path.includes('/notifications/') ? '1' : 'MONITOR_ID'
  const example = inPath[name]
  if (example === undefined) throw new Error(`Invariant broken: the parameter ${name} of ${path} has no example`)
  return example
}

/** Returns the example of a query parameter; undefined: the parameter may be omitted. */
const queryExample = (name: string, isRequired: boolean): string | undefined =>
  isRequired && name === 'workspace_id' ? workspaceStandIn : undefined

/** Returns the member `requestBody` of an operation. The body is required if one of its fields is required. */
function jsonBody(body: TSchema, example: unknown, components: Components): JsonSchema {
  const schema = plainSchema(body, components)
  const name = String(schema['$ref'] ?? '').replace(schemaAddress, '')
  const meant = components[name] ?? schema
  return {
    required: Array.isArray(meant['required']),
    description: `At most ${limits.http.bodyBytes} bytes. An optional field sent as null is as if it were absent.`,
    ...jsonContent({ schema, ...(example === undefined ? {} : { example }) }),
  }
}

function answer(result: JsonSchema, refusals: readonly string[], components: Components): JsonSchema {
  const nothing = { type: 'null' }
  const envelope = (properties: JsonSchema) => ({
    type: 'object',
    properties: { ...properties, meta: nothing },
    required: ['result', 'error', 'meta'],
    additionalProperties: false,
  })
  const refused = envelope({ result: nothing, error: { $ref: '#/components/schemas/Refused' } })
  const listed = refusals.map(refusal => refusal.replace(/^(\d+) (.*)$/, '- `$1` $2'))
  return {
    description: ['The envelope: `error` is null on success, else `result` is. Refusals:', '', ...listed].join('\n'),
    ...jsonContent({
      schema: { oneOf: [envelope({ result, error: nothing }), refused] },
      example: { result: sampleOf(result, components, ''), error: null, meta: null },
    }),
    'x-refusals': refusals.map(refusal => ({ code: Number.parseInt(refusal, 10), message: refusal.replace(/^\d+ /, '') })),
  }
}
