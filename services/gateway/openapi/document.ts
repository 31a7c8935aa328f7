// OpenAPI 3.1 document of a generation, made from the records of its routes. Generations 1 and 2 always use HTTP 200. Each operation
// therefore has one response: the envelope, with a result or a refusal.
import { type TSchema, Type } from 'typebox'
import { limits } from '#shared/limits/limits.ts'
import type { QueryParameter, Route } from '../http/route.ts'
import { ofEveryBody, ofEveryRoute } from '../v2/refusals.ts'
import { pathExample, queryExample } from './examples.ts'
import { type Components, type JsonSchema, plainSchema, schemaAddress } from './plain-schema.ts'
import { sampleOf } from './sample.ts'

export interface Generation {
  title: string
  description: string
  routes: Readonly<Record<string, Route>>
  /** Schemas of messages that the installation sends on its own initiative. */
  webhooks?: (components: Components) => JsonSchema
}

/** Returns a plain object, ready to be written as JSON. */
export function openApiDocument({ title, description, routes, webhooks }: Generation, version: string): JsonSchema {
  const schemas: Components = { Refused: plainSchema(Refused, {}) }
  const paths: Record<string, JsonSchema> = {}
  for (const [route, description] of Object.entries(routes)) {
    const [method = '', path = ''] = route.split(' ')
    const item = paths[path] ?? { ...pathParameters(path) }
    item[method.toLowerCase()] = operation(method, path, description, schemas)
    paths[path] = item
  }
  return {
    openapi: '3.1.1',
    info: { title, version, description, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/api' }],
    security: [{ key: [] }],
    paths,
    ...(webhooks === undefined ? {} : { webhooks: webhooks(schemas) }),
    components: { schemas, securitySchemes: { key: { type: 'http', scheme: 'bearer', description: keyMeaning } } },
  }
}

/** Returns all refusals of a route, including the shared refusals. */
export const refusalsOf = ({ body, refusals }: Pick<Route, 'body' | 'refusals'>): readonly string[] => [
  ...refusals,
  ...(body ? ofEveryBody : []),
  ...ofEveryRoute,
]

const keyMeaning = 'An API key, as `./watchkeeper key create` or the dashboard shows it once. It is valid for 180 days.'

const Refused = Type.Object(
  {
    code: Type.Integer({ description: 'Stable; what a client branches on.' }),
    error_type: Type.String({ enum: ['access_denied', 'validation_error', 'not_found', 'forbidden', 'internal_error'] }),
    message: Type.String({ description: 'Short and stable.' }),
    details: Type.String({ description: 'A sentence for people: what was wrong, and what to do.' }),
  },
  { additionalProperties: false },
)

function operation(method: string, path: string, described: Route, components: Components): JsonSchema {
  const { summary, more, query = {}, body, result = Type.Null(), examples = [] } = described
  const parameters = Object.entries<QueryParameter>(query).map(([name, parameter]) => queryParameter(name, parameter, components))
  return {
    operationId: operationId(method, path),
    tags: [tagOf(path)],
    summary,
    ...(more === undefined ? {} : { description: more }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: jsonBody(body, examples[0], components) }),
    responses: { 200: answer(plainSchema(result, components), refusalsOf(described), components) },
  }
}

const operationId = (method: string, path: string): string =>
  [method.toLowerCase(), ...path.split('/').map(part => part.replaceAll(/[{}]/g, ''))].filter(part => part !== '').join('_')

/**
 * Returns the tag of a path: its first two segments after the generation, without parameters. Below /v2/subjects, only the first segment.
 */
const tagOf = (path: string): string => {
  const [first = '', second = ''] = path.split('/').filter(part => !/^$|^v[12]$|^[{]/.test(part))
  return path.startsWith('/v2/subjects') || second === '' ? first : `${first} ${second}`
}

const pathParameters = (path: string): JsonSchema => {
  const names = [...path.matchAll(/[{](\w+)[}]/g)].map(([, name = '']) => name)
  const parameter = (name: string) => ({
    name,
    in: 'path',
    required: true,
    description: `${parameterMeanings[name] ?? 'An id.'} Percent-encoded: an encoded slash is data.`,
    schema: { type: 'string', minLength: 1 },
    example: pathExample(path, name),
  })
  return names.length === 0 ? {} : { parameters: names.map(parameter) }
}

const parameterMeanings: Record<string, string> = {
  id: 'The id.',
  uid: 'The id of the rule, which is that of its monitor.',
  subject: 'The slug of the subject.',
  signal: 'The slug of the signal.',
  rule: 'The slug of the rule.',
  incident: 'The opaque id of the incident.',
}

function queryParameter(name: string, { required = false, schema, meaning }: QueryParameter, components: Components): JsonSchema {
  const example = queryExample(name, required)
  return {
    name,
    in: 'query',
    required,
    description: meaning,
    schema: plainSchema(schema, components),
    ...(example === undefined ? {} : { example }),
  }
}

/** A body with required fields is itself required. */
function jsonBody(body: TSchema, example: unknown, components: Components): JsonSchema {
  const schema = plainSchema(body, components)
  const name = String(schema['$ref'] ?? '').replace(schemaAddress, '')
  const meant = components[name] ?? schema
  return {
    required: Array.isArray(meant['required']),
    description: `At most ${limits.http.bodyBytes} bytes. An optional field sent as null is as if it were absent.`,
    content: { 'application/json': { schema, ...(example === undefined ? {} : { example }) } },
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
    content: {
      'application/json': {
        schema: { oneOf: [envelope({ result, error: nothing }), refused] },
        example: { result: sampleOf(result, components, ''), error: null, meta: null },
      },
    },
    'x-refusals': refusals.map(refusal => ({ code: Number.parseInt(refusal, 10), message: refusal.replace(/^\d+ /, '') })),
  }
}
