// What a POST to an acknowledge link says: the form of the page, or the JSON of a telephone's action. Reference: docs/reference/v3.md, 10.22.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError, refusal } from '#shared/errors.ts'
import { isObject } from '#shared/json-shape/is-object.ts'
import { limits } from '#shared/limits/limits.ts'
import { hasHiddenCharacters, plainText } from '#shared/text/plain-text.ts'
import { parseJson, readBodyText } from '../body/json-body.ts'

const { byCharacters, bodyBytes } = limits.acknowledge

/** `by`: a name; null: the sender left it out, which only JSON may do. */
export type Sent = { ok: true; by: string | null } | { ok: false; why: string }

export const isJson = ({ headers }: FastifyRequest): boolean => /^application\/json\b/i.test(headers['content-type'] ?? '')

const isForm = ({ headers }: FastifyRequest): boolean =>
  /^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '')

/** Returns what was sent. A body that cannot be read is one that says nothing. Rejects with `busy` if the process holds too many bodies. */
export async function readSent(request: FastifyRequest, reply: FastifyReply): Promise<Sent> {
  try {
    const text = await readBodyText(request, reply, bodyBytes)
    if (isJson(request)) return sentAsJson(parseJson(text))
    return named(isForm(request) ? (new URLSearchParams(text).get('by') ?? '') : '')
  } catch (error) {
    if (error instanceof AppError && (error.code === 'malformed' || error.code === 'too_large')) return wrong(error.details)
    throw error
  }
}

function sentAsJson(body: unknown): Sent {
  const isRight = isObject(body) && body['acknowledge'] === true && Object.keys(body).every(key => known.includes(key))
  if (!isRight) return wrong('The body must be {"acknowledge": true}, and may have by')
  const { by } = body
  if (by === undefined || by === null) return { ok: true, by: null }
  return typeof by === 'string' ? named(by) : wrong("Field 'by' must be a string")
}

const known = ['acknowledge', 'by']

function named(sent: string): Sent {
  const by = plainText(sent)
  if (by === '') return wrong('Please say who takes it.')
  if ([...by].length > byCharacters) return wrong(`A name has at most ${byCharacters} characters.`)
  return hasHiddenCharacters(by) || !by.isWellFormed() ? wrong('A name has no invisible characters.') : { ok: true, by }
}

const wrong = (why: string): Sent => ({ ok: false, why })

/** The error of JSON that says something else. */
export const wrongBody = (why: string): AppError => refusal('validation', 'Invalid body', why, 'by')
