// Readers of requests to the session API: JSON by a declared shape with bounds, and ids in the path. Never quotes a value in a refusal: it may
// be a password.
import type { FastifyRequest } from 'fastify'
import { type Static, type TObject, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { AppError } from '#shared/errors.ts'
import { isId } from '#shared/is-id.ts'
import { limits } from '#shared/limits.ts'
import { once } from '#shared/once.ts'
import { SessionError } from './session-error.ts'

/** Any text, and one that must not be empty; the directory has the finer rules. */
export const Text = Type.String({ maxLength: limits.sessionApi.textCharacters })
export const FilledText = Type.String({ minLength: 1, maxLength: limits.sessionApi.textCharacters })
export const AnyRole = Type.Enum(['owner', 'editor', 'viewer'])

/** Compiled at its first body: returns the body as its declared type; unknown fields are refused. */
export function bodyReader<T extends TObject>(schema: T): (sent: Record<string, unknown>) => Static<T> {
  const closed = Type.Object(schema.properties, { additionalProperties: false })
  const validatorOf = once(() => Compile(closed))
  return body => {
    const validator = validatorOf()
    const [fault] = validator.Check(body) ? [] : validator.Errors(body)
    if (fault) throw invalid(sentence(fault))
    for (const [name, value] of Object.entries(body)) {
      if (typeof value === 'string' && !value.isWellFormed()) throw invalid(`Field '${name}' holds an unpaired surrogate.`)
    }
    return body as Static<T>
  }
}

/** The id at a place of the path. Throws not_found for what cannot be one. */
export function pathId(request: FastifyRequest, name: string): string {
  const id = (request.params as Record<string, string>)[name] ?? ''
  if (isId(id)) return id
  throw new AppError('not_found', 'Not found', { details: 'The path names nothing that exists.' })
}

const invalid = (details: string): AppError => new AppError('validation', 'Invalid request', { details })

/** For the `catch` of whoever reads a body: a body that is too large has a status of its own here. Everything else is thrown on. */
export function tellTooLarge(error: unknown): never {
  if (error instanceof AppError && error.code === 'too_large') {
    throw new SessionError('too_large', error.message, `${error.details}.`)
  }
  throw error
}

interface Fault {
  keyword: string
  instancePath: string
  params: object
}

function sentence({ keyword, instancePath, params }: Fault): string {
  const known = params as { limit?: number; requiredProperties?: string[]; allowedValues?: unknown[]; type?: string | string[] }
  const field = `Field '${instancePath.slice(1, 65).replaceAll('/', '.')}'`
  if (keyword === 'required') return `Field '${known.requiredProperties?.[0] ?? ''}' is required.`
  if (keyword === 'boolean') return `${field} is unknown.`
  if (keyword === 'minLength') return `${field} must not be empty.`
  if (keyword === 'maxLength') return `${field} has at most ${known.limit} characters.`
  if (keyword === 'enum') return `${field} must be one of ${known.allowedValues?.join(', ')}.`
  return `${field} has the wrong type.`
}
