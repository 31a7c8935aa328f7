// Rules for every response: it comes in time, has a correct envelope, is documented, and is never an internal error.
import type { FuzzRequest } from './breaking.ts'
import type { Operation } from './operations.ts'

export interface Answered {
  status: number
  text: string
  contentType: string
  ms: number
  /** True if anything written by clients has changed. */
  changed: boolean
}

/** A response leaves within 4 s (reference/envelope 6.1): known clients give up after 5 s. */
const answerMsMax = 4_000

const errorKeys = ['code', 'error_type', 'message', 'details']

/** Correct refusals of a request whose changed path or method addresses no operation. */
const ofNoRoute = new Set(['2002 Not found', '2006 Invalid request', '2006 Unsupported content type', '2006 Request too large'])

/**
 * Returns a description of each rule that the response breaks. `found`: operation that method and path address; null: no operation. A
 * broken request may address another operation than its valid original.
 */
export function judge(request: FuzzRequest, answer: Answered, found: Operation | null): string[] {
  const offences: string[] = []
  if (answer.status !== 200) offences.push(`HTTP ${answer.status}`)
  if (answer.ms > answerMsMax) offences.push(`answered after ${Math.round(answer.ms)} ms`)
  const envelope = parse(answer)
  if (envelope === null) return [...offences, `no envelope: ${answer.text.slice(0, 200)}`]
  const { error, result } = envelope
  if (error === null) return [...offences, ...judgeSuccess(request, envelope, found)]
  if (Object.keys(error).join() !== errorKeys.join()) offences.push(`an error of other fields: ${Object.keys(error).join()}`)
  if (result !== null) offences.push('a refusal with a result')
  if (error.code === 500) offences.push(`internal error`)
  if (answer.changed) offences.push('a refusal stored something')
  if (error.details === '' || error.message === '') offences.push('a refusal without words')
  const refusal = `${error.code} ${error.message}`
  const isDocumented = found?.refusals.has(refusal) ?? /^(2002 Not found|100[1-4] .*)$/.test(refusal)
  if (!isDocumented && !(request.broken.length > 0 && ofNoRoute.has(refusal))) offences.push(`not documented: ${refusal}`)
  if (request.broken.length === 0 && error.code === 2006)
    offences.push(`refused as malformed what the document allows: ${error.details}`)
  return offences
}

function judgeSuccess(request: FuzzRequest, envelope: Envelope, found: Operation | null): string[] {
  if (found === null) return ['a success on no documented route']
  const offences = found.answers(envelope) ? [] : [`not as documented: ${JSON.stringify(found.answers.errors?.slice(0, 3))}`]
  if (found.body === null) return offences
  const body = jsonOf(request.body)
  if (!found.body.fits(body)) {
    const why = found.body.fits.errors?.map(({ instancePath, message }) => `${instancePath} ${message}`).join('; ')
    offences.push(`accepted what the document forbids: ${why}`)
  }
  return offences
}

interface Envelope {
  result: unknown
  error: { code: number; message: string; details: string } | null
  meta: null
}

function parse({ text, contentType }: Answered): Envelope | null {
  if (!contentType.startsWith('application/json')) return null
  try {
    const value = JSON.parse(text)
    return Object.keys(value).join() === 'result,error,meta' && value.meta === null ? value : null
  } catch {
    return null
  }
}

/** An empty body is an empty object (reference/envelope 5.2). */
function jsonOf(body: FuzzRequest['body']): unknown {
  const text = typeof body === 'string' ? body : body === null ? '' : new TextDecoder().decode(body)
  return withoutNulls(text.trim() === '' ? {} : JSON.parse(text))
}

/**
 * Removes fields whose value is null. Null in an optional field counts as absent; null in a required field is refused, as is its absence.
 */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null))
}
