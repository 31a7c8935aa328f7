// Operations of the fuzz: the routes of generation 3 and the Observation address. An operation has the route's record, the schema of its
// body, and the validators of its responses by status. Schema and validators come from the served document.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Route } from '../../../services/gateway/http/route.ts'
import { v3Routes } from '../../../services/gateway/v3/routes.ts'
import type { Schema } from '../operations.ts'

export interface V3Operation {
  /** Method and path, such as `POST /v3/workspaces/{workspace}/templates`. */
  name: string
  method: string
  /** Path below `/api`; for the Observation address, below the root. */
  path: string
  /** Record of the route; null for the Observation address. */
  route: Route | null
  body: Schema | null
  /** Validators of the whole envelope by status. */
  answers: ReadonlyMap<number, ValidateFunction>
  success: number
  /** Resolves references within the document. */
  resolve(schema: Schema): Schema
}

export interface V3Document {
  paths: Record<string, Record<string, Described>>
}

interface Described {
  requestBody?: { content: { 'application/json': { schema: Schema } } }
  responses: Record<string, unknown>
}

export const addressPath = '/in/{token}'

export function readV3Operations(document: V3Document): V3Operation[] {
  const ajv = new Ajv2020({ strict: false, validateFormats: true, allErrors: false })
  addFormats.default(ajv)
  ajv.addSchema(document, 'v3')
  const resolve = (schema: Schema): Schema => {
    const reference = schema['$ref']
    return typeof reference === 'string' ? resolve(follow(document, reference)) : schema
  }
  const read = (method: string, path: string, route: Route | null, success: number): V3Operation => {
    const documented = path === addressPath ? path : `/api${path}`
    const described = document.paths[documented]?.[method.toLowerCase()]
    if (described === undefined) throw new Error(`the document does not describe ${method} ${path}`)
    const at = `v3#/paths/${pointer(documented)}/${method.toLowerCase()}/responses`
    const judges = Object.keys(described.responses).map(status => {
      const judge = ajv.compile({ $ref: `${at}/${status}/content/${pointer('application/json')}/schema` })
      return [Number(status), judge] as const
    })
    const body = described.requestBody?.content['application/json'].schema
    return {
      name: `${method} ${path}`,
      method,
      path,
      route,
      body: body === undefined ? null : resolve(body),
      answers: new Map(judges),
      success,
      resolve,
    }
  }
  const operations = v3Routes.map(route =>
    read(route.method, `/v3${route.path.replaceAll(/:(\w+)/g, '{$1}')}`, route, route.status ?? 200),
  )
  return [...operations, read('POST', addressPath, null, 202)]
}

/** Escapes a part of the path for a JSON pointer. */
const pointer = (part: string): string => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))

function follow(document: unknown, reference: string): Schema {
  const parts = reference.slice(2).split('/')
  return parts.reduce((found, part) => (found as Schema)[part] as Schema, document as Schema)
}
