// Operations of the served OpenAPI documents, with the schema of their bodies and validators of their responses.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

export type Schema = Record<string, unknown>

export interface Parameter {
  name: string
  in: 'path' | 'query'
  required: boolean
  schema: Schema
}

export interface Operation {
  /** Method and path, such as `POST /v2/subjects/{subject}/signals`. */
  name: string
  method: string
  path: string
  parameters: Parameter[]
  /** Schema of the body; null: the operation has no body. */
  body: { schema: Schema; fits: ValidateFunction } | null
  /** Validator of the whole envelope, with a result or a refusal. */
  answers: ValidateFunction
  /** Documented refusals, such as `2002 Rule not found`. */
  refusals: Set<string>
  /** Resolves references within the document. */
  resolve(schema: Schema): Schema
}

interface Described {
  parameters?: Parameter[]
  requestBody?: { content: { 'application/json': { schema: Schema } } }
  responses: { '200': { 'x-refusals': { code: number; message: string }[] } }
}

/** Returns all operations of a document. `name` identifies the document. */
export function readOperations(name: string, document: { paths: Record<string, Record<string, unknown>> }): Operation[] {
  const ajv = new Ajv2020({ strict: false, validateFormats: true, allErrors: false })
  addFormats.default(ajv)
  ajv.addSchema(document, name)
  const resolve = (schema: Schema): Schema => {
    const reference = schema['$ref']
    return typeof reference === 'string' ? resolve(follow(document, reference)) : schema
  }
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([key]) => key !== 'parameters')
      .map(([method, value]) => {
        const described = value as Described
        const at = `${name}#/paths/${pointer(path)}/${method}`
        const compile = (rest: string) => ajv.compile({ $ref: `${at}/${rest}/content/${pointer('application/json')}/schema` })
        const schema = described.requestBody?.content['application/json'].schema
        return {
          name: `${method.toUpperCase()} ${path}`,
          method: method.toUpperCase(),
          path,
          parameters: [...((item['parameters'] as Parameter[] | undefined) ?? []), ...(described.parameters ?? [])],
          body: schema === undefined ? null : { schema, fits: compile('requestBody') },
          answers: compile('responses/200'),
          refusals: new Set(described.responses['200']['x-refusals'].map(({ code, message }) => `${code} ${message}`)),
          resolve,
        }
      }),
  )
}

/** Escapes a part of a path for a JSON pointer. */
const pointer = (part: string): string => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))

function follow(document: unknown, reference: string): Schema {
  const parts = reference.slice(2).split('/')
  return parts.reduce((found, part) => (found as Schema)[part] as Schema, document as Schema)
}
