// Parts that the documents of all generations and of the session API share.
import type { QueryParameter, Route } from '../http/route.ts'
import { type Components, type JsonSchema, plainSchema } from './plain-schema.ts'

/** Members that differ between the documents of the APIs. `server`: path to which all other paths of a document are relative. */
interface DocumentFacts extends Record<'title' | 'version' | 'description' | 'server', string> {
  paths: Record<string, JsonSchema>
  webhooks?: JsonSchema
  schemas: Components
  /** Security scheme of all operations. The key of the only member is the scheme's name in the document. */
  security: Record<string, JsonSchema>
}

export const documentOf = ({ title, version, description, server, paths, webhooks, schemas, security }: DocumentFacts) => ({
  openapi: '3.1.1',
  info: { title, version, description, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
  servers: [{ url: server }],
  security: Object.keys(security).map(name => ({ [name]: [] })),
  paths,
  ...(webhooks === undefined ? {} : { webhooks }),
  components: { schemas, securitySchemes: security },
})

export const keySecurity = (description: string) => ({ key: { type: 'http', scheme: 'bearer', description } })

export const inBraces = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}')

/** Returns the member `paths` of a document. `routes`: routes by method and path, with path parameters in braces. */
export function pathsOf(
  routes: Iterable<readonly [path: string, route: Route]>,
  parametersOf: (path: string) => JsonSchema[],
  operation: (path: string, route: Route) => JsonSchema,
): Record<string, JsonSchema> {
  const paths: Record<string, JsonSchema> = {}
  for (const [path, route] of routes) {
    const parameters = parametersOf(path)
    paths[path] ??= parameters.length === 0 ? {} : { parameters }
    paths[path][route.method.toLowerCase()] = operation(path, route)
  }
  return paths
}

export const parameterNames = (path: string): string[] => [...path.matchAll(/[{](\w+)[}]/g)].map(([, name = '']) => name)

export const pathParameter = (name: string, description: string, example: string): JsonSchema => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string', minLength: 1 },
  example,
})

export const operationId = ({ method }: Route, path: string): string =>
  [method.toLowerCase(), ...path.replaceAll(/[{}-]/g, '').split('/')].filter(part => part !== '').join('_')

/**
 * Returns an operation's member `parameters`, or an empty object if the route has no query. `exampleOf` returns undefined if a parameter
 * has no example.
 */
export function queryOf(
  { query = {} }: Route,
  components: Components,
  exampleOf: (name: string, required: boolean) => unknown = () => undefined,
): JsonSchema {
  const parameters = Object.entries<QueryParameter>(query).map(([name, { required = false, schema, meaning, most }]) => {
    if (most !== undefined) return openParameter(name, meaning, most)
    const example = exampleOf(name, required)
    return {
      name,
      in: 'query',
      required,
      description: meaning,
      schema: plainSchema(schema, components),
      ...(example === undefined ? {} : { example }),
    }
  })
  return parameters.length === 0 ? {} : { parameters }
}

/**
 * Returns one parameter for all names that begin with `prefix`: an object whose members a client sends each as a parameter of its own.
 * The example is empty, so a page that sends examples sends no filter.
 */
const openParameter = (prefix: string, meaning: string, most: number): JsonSchema => ({
  name: prefix.replace(/[.]$/, ''),
  in: 'query',
  required: false,
  description: meaning,
  style: 'form',
  explode: true,
  schema: {
    type: 'object',
    propertyNames: { pattern: `^${prefix.replace('.', '[.]')}.` },
    additionalProperties: { type: 'string' },
    maxProperties: most,
  },
  example: {},
})

/** Returns the description of an operation. The description begins with the permitted callers. */
export const descriptionFor = (callers: string, { more }: Route): string =>
  [`For: ${callers}.`, ...(more === undefined ? [] : [more])].join(' ')

export const jsonContent = (content: JsonSchema): JsonSchema => ({ content: { 'application/json': content } })
