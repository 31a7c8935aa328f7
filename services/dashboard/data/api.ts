// Requests to the gateway. A refusal becomes a sentence for people, with the name of the wrong field. Nothing is cached here.
import { setServerClock } from './clock.ts'
import { sentence } from './format.ts'
import { isSignedOut } from './session.ts'

/** A refusal of the gateway, or a failure to reach it. `message` is a sentence for people. */
export class Refusal extends Error {
  /** HTTP status; 0: no response. */
  readonly status: number
  /** Error code of the API, a word or a number; empty if there was no response. */
  readonly code: string
  /** Name of the wrong field, as in the request; null: the refusal names no field. */
  readonly field: string | null
  /** Facts of a refusal of generation 3 (`details`). */
  readonly facts: Readonly<Record<string, unknown>>

  constructor(
    status: number,
    code: string,
    sentence: string,
    field: string | null = null,
    facts: Readonly<Record<string, unknown>> = {},
  ) {
    super(sentence)
    this.name = 'Refusal'
    this.status = status
    this.code = code
    this.field = field
    this.facts = facts
  }
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * Sends a request. Resolves with the JSON of the response, or with undefined if the response has no JSON. Rejects with a Refusal. `hear` gets
 * the headers of a response that is no refusal.
 */
export async function ask<T>(
  method: Method,
  path: string,
  body?: object,
  signal?: AbortSignal,
  hear?: (headers: Headers) => void,
): Promise<T> {
  const answer = await send(method, path, body, signal)
  const json = await jsonOf(answer)
  if (answer.ok) hear?.(answer.headers)
  if (!answer.ok) throw refusalOf(answer.status, json, answer.headers.get('retry-after'))
  const { at: plain, meta } = (json ?? {}) as { at?: unknown; meta?: { at?: unknown } | null }
  const at = plain ?? meta?.at
  if (typeof at === 'string') setServerClock(Date.parse(at))
  return json as T
}

export const read = <T>(path: string, signal?: AbortSignal): Promise<T> => ask('GET', path, undefined, signal)

/** Sends a request of generation 3 with the session; `path`: below `/api/v3`. Resolves with `result`. Rejects with a Refusal. */
export async function askV3<T>(method: Method, path: string, body?: object, signal?: AbortSignal): Promise<T> {
  const { result } = await ask<{ result: T }>(method, `/api/v3${path}`, body, signal)
  return result
}

async function send(method: Method, path: string, body?: object, signal?: AbortSignal): Promise<Response> {
  const headers = { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) }
  try {
    return await fetch(path, { method, headers, body: body ? JSON.stringify(body) : null, signal: signal ?? null })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new Refusal(0, '', 'No connection to Watchkeeper. Nothing was changed here; try again.')
  }
}

async function jsonOf(answer: Response): Promise<unknown> {
  if (!answer.headers.get('content-type')?.includes('json')) return undefined
  return answer.json().catch(() => undefined)
}

interface Refused {
  error?: { code?: unknown; message?: unknown; details?: unknown; field?: unknown }
}

/** Reads a refusal of the session API, or of generation 3. Sets `isSignedOut` if the status is 401 because the session has ended. */
export function refusalOf(status: number, json: unknown, retryAfter: string | null): Refusal {
  const { code = '', message, details, field: plain } = (json as Refused | undefined)?.error ?? {}
  // A wrong password at the sign-in has status 401 too, but no session has ended.
  if (status === 401 && code !== 'wrong_credentials') isSignedOut.value = true
  const named = typeof details === 'object' && details !== null ? (details as Record<string, unknown>) : {}
  const field = [plain, named['field']].find(one => typeof one === 'string') ?? null
  const words = [details, message].find(one => typeof one === 'string' && one !== '')
  const wait = retryAfter === null || status === 503 ? '' : ` Wait ${retryAfter} s, then try again.`
  return new Refusal(status, String(code), `${sentence(String(words ?? fallbackOf(status)))}${wait}`, field, named)
}

const fallbackOf = (status: number): string =>
  status >= 500 ? 'Watchkeeper could not complete the request. Try again in a moment' : `The request was refused (${status})`

/** Returns a sentence for any thrown value. */
export const sentenceOf = (error: unknown): string =>
  error instanceof Refusal ? error.message : 'The page made a mistake. Load it again.'
