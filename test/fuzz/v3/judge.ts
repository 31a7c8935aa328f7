// Judges every response of generation 3: it must be JSON, in time, with a documented status and shape, and without a secret. A faulty
// request must get the required refusal with the faulty field, and must store nothing.

import type { V3Operation } from './operations.ts'
import type { Caller } from './people.ts'
import { leaks } from './secrets.ts'

export interface Wanted {
  status: number
  /** Required value of `details.field`; null: the response must not name a field; absent: `details.field` is not compared. */
  field?: string | null
  /** All members that `details` must have; absent: `details` is not compared. */
  details?: Record<string, string>
}

export interface V3Request {
  method: string
  /** Path with its query, below the root. */
  path: string
  headers: Record<string, string>
  body: string | Uint8Array | null
  /** Names of the mutations; empty: the request is valid. */
  broken: string[]
  caller: Caller
  /** Required response; null: any documented one. */
  wanted: Wanted | null
}

export interface V3Answered {
  status: number
  text: string
  contentType: string
  ms: number
  /** True if anything written by clients has changed. */
  changed: boolean
}

interface Refusal {
  code: number
  error_type: string
  message: string
  details: Record<string, unknown>
}

interface Envelope {
  result: unknown
  error: Refusal | null
}

/** Path of the batch route, which refuses its items one by one. */
const batchPath = '/v3/workspaces/{workspace}/observations'
const itemPlace = /^observations[.](\d+)(?:[.](.*))?$/s

/** Time bound of a response (v3 1.10). */
const answerMsMax = 10_000
const batchAnswerMsMax = 25_000

const errorTypes: Readonly<Record<number, string>> = {
  400: 'bad_request',
  401: 'auth',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  413: 'too_large',
  422: 'validation',
}

export interface Situation {
  request: V3Request
  answer: V3Answered
  /** Operation that method and path address; null: none. */
  found: V3Operation | null
  /** Tokens of Observation addresses: only the response to the creation of an address may contain its token. */
  tokens: readonly string[]
}

/** Returns a description of each rule that the response breaks. */
export function judgeV3(situation: Situation): string[] {
  const { request, answer, found } = situation
  const offences: string[] = []
  if (!answer.contentType.startsWith('application/json')) offences.push(`Content-Type ${answer.contentType}`)
  if (answer.ms > (found?.path === batchPath ? batchAnswerMsMax : answerMsMax)) offences.push(`after ${answer.ms} ms`)
  const wanted = request.wanted?.status
  const isItem = found?.path === batchPath && itemPlace.test(request.wanted?.field ?? '')
  const status = isItem ? 200 : wanted
  if (status !== undefined && status !== answer.status) offences.push(`${answer.status} instead of ${status}`)
  if (request.method === 'HEAD') return answer.text === '' ? offences : [...offences, 'a body on HEAD']
  const { caller } = request
  const sent = `${request.path}${String(request.body)}${JSON.stringify(request.headers)}`
  offences.push(...leaks(answer.text, { sent, caller, tokens: situation.tokens }))
  const envelope = parse(answer.text)
  if (envelope === null) return [...offences, 'no envelope']
  offences.push(...judgeShape(answer, envelope, found))
  if (envelope.error !== null) offences.push(...judgeRefusal(request, answer, envelope.error))
  else if (isItem) offences.push(...judgeItem(request, envelope.result))
  const isRefused = envelope.error !== null || (envelope.result as { accepted?: unknown } | null)?.accepted === 0
  if (isRefused && answer.changed) offences.push('a refusal stored something')
  return offences
}

function judgeShape({ status }: V3Answered, envelope: Envelope, found: V3Operation | null): string[] {
  if (found === null) {
    return envelope.error === null || ![400, 401, 404, 431].includes(status) ? [`${status} of no documented route`] : []
  }
  const fits = found.answers.get(status) ?? (status === 404 || status === 401 ? found.answers.get(422) : undefined)
  if (fits === undefined) return [`${status} is not documented`]
  return fits(envelope) ? [] : [`not as documented: ${JSON.stringify(fits.errors?.slice(0, 3))}`]
}

function judgeRefusal({ broken, wanted }: V3Request, { status }: V3Answered, error: Refusal): string[] {
  const { code, error_type, message, details } = error
  const offences: string[] = []
  if (code !== 1_000 + status || errorTypes[status] !== error_type) offences.push(`${status} with ${code} ${error_type}`)
  if (message === '') offences.push('a refusal without words')
  if (status === 422 && typeof details['field'] !== 'string' && details['used_by'] === undefined)
    offences.push('422 without a field')
  if (broken.length === 0 && status === 400) offences.push('refused as malformed what the document allows')
  if (wanted?.field !== undefined) {
    const field = details['field'] ?? null
    if (field !== wanted.field) offences.push(`details.field ${JSON.stringify(field)} instead of ${JSON.stringify(wanted.field)}`)
  }
  if (wanted?.details !== undefined && JSON.stringify(wanted.details) !== JSON.stringify(details))
    offences.push(`details ${JSON.stringify(details)} instead of ${JSON.stringify(wanted.details)}`)
  return offences
}

/** Checks that a batch refuses a faulty item in the same way as the route for one Observation (v3 7.9). */
function judgeItem({ wanted }: V3Request, result: unknown): string[] {
  const [, index = '', field = null] = itemPlace.exec(wanted?.field ?? '') ?? []
  const item = (result as { results?: { status: string; error?: Refusal }[] }).results?.[Number(index)]
  const error = item?.error
  if (error === undefined) return [`item ${index} is accepted instead of refused with ${wanted?.status}`]
  const said = error.details['field'] ?? null
  return error.code === 1_000 + (wanted?.status ?? 0) && said === field
    ? []
    : [`item ${index} with ${error.code} ${JSON.stringify(said)} instead of ${wanted?.status} ${JSON.stringify(field)}`]
}

function parse(text: string): Envelope | null {
  try {
    const value = JSON.parse(text)
    const keys = Object.keys(value).sort().join()
    return keys === 'error,meta,result' ? value : null
  } catch {
    return null
  }
}
