// One HTTP request and its whole response, for clients of the API. Never retries, never follows a redirect.
import { isObject } from '#shared/json-shape/is-object.ts'
import { clientLimits } from '#shared/limits/limits-of-clients.ts'
import { basicCredentials } from '#shared/net/url-credentials.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { ApiUnreachable } from './errors.ts'
import { type Warning, warningsHeader, warningsIn } from './warnings.ts'

const clock = createSystemClock()

export interface ApiOptions {
  /** Address of the API without `/api/v3`; a path prefix of the address is kept. */
  url: string
  key: string
  userAgent: string
}

export interface ApiRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path relative to `/api/v3` with encoded names, as `apiPath` returns it. */
  path: string
  /** Query parameters; undefined members are omitted. */
  query?: Readonly<Record<string, string | number | boolean | undefined>>
  body?: unknown
  /** Longest wait for the whole response, ms; absent: `clientLimits.responseMs`. */
  waitMs?: number
}

/** Throws for a key that no header can contain. `fetch` would also refuse such a key, but its error would quote the key. */
export function requireKey(key: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key
  throw new ApiUnreachable(null, 'the API key is empty or has characters that no key has')
}

/** Throws ApiUnreachable for a key that no header can contain. */
export const headersOf = ({ key, userAgent }: ApiOptions): Record<string, string> => ({
  authorization: `Bearer ${requireKey(key)}`,
  'user-agent': userAgent,
  accept: 'application/json',
})

/**
 * Returns the address without its last slash, query and fragment. Throws ApiUnreachable if the address is not http or https, or contains
 * credentials.
 */
export function baseOf(url: string): string {
  const parsed = URL.parse(url)
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    throw new ApiUnreachable(null, 'the URL must begin with http:// or https://')
  if (basicCredentials(parsed) !== null) throw new ApiUnreachable(null, 'the URL must not carry a user name or a password')
  return parsed.origin + parsed.pathname.replace(/\/+$/, '')
}

interface SentRequest {
  method: ApiRequest['method']
  headers: Readonly<Record<string, string>>
  /** Request body, sent as JSON; undefined: no body. */
  body?: unknown
  /** Longest wait for the whole response, ms. */
  waitMs?: number | undefined
}

/**
 * Sends a request to `target` and returns the response, also if its status is an error. `base`: the address that errors contain. Throws
 * ApiUnreachable.
 */
export async function exchange(
  target: URL,
  base: string,
  { method, headers, body, waitMs = clientLimits.responseMs }: SentRequest,
  signal?: AbortSignal,
): Promise<{ status: number; text: string; warnings: Warning[] }> {
  const late = AbortSignal.timeout(waitMs)
  try {
    const response = await fetch(target, {
      method,
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
      redirect: 'manual',
      signal: signal === undefined ? late : AbortSignal.any([late, signal]),
    })
    const warnings = warningsIn(response.headers.get(warningsHeader))
    return { status: response.status, text: await readText(response, base), warnings }
  } catch (error) {
    if (error instanceof ApiUnreachable) throw error
    throw new ApiUnreachable(base, reasonOf(error, waitMs), error)
  }
}

/**
 * Sends a GET request and returns the response while its body may still be arriving. `alive` must be called at least every
 * `clientLimits.streamSilenceMs`, else the response is aborted. Throws ApiUnreachable.
 */
export async function open(
  target: URL,
  base: string,
  headers: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<{ response: Response; alive(): void; reasonOf(error: unknown): unknown; close(): void }> {
  const silent = new AbortController()
  const { streamSilenceMs } = clientLimits
  const giveUp = () => silent.abort(new ApiUnreachable(base, `nothing came for ${streamSilenceMs / 1000} s`))
  let close = clock.schedule(streamSilenceMs, giveUp)
  const alive = () => {
    close()
    close = clock.schedule(streamSilenceMs, giveUp)
  }
  const asUnreachable = (error: unknown) =>
    error instanceof ApiUnreachable || signal?.aborted ? error : new ApiUnreachable(base, reasonOf(error), error)
  const both = signal === undefined ? silent.signal : AbortSignal.any([silent.signal, signal])
  try {
    const response = await fetch(target, { headers, redirect: 'manual', signal: both })
    return { response, alive, reasonOf: asUnreachable, close: () => close() }
  } catch (error) {
    close()
    throw asUnreachable(error)
  }
}

export function targetOf(base: string, prefix: string, { path, query = {} }: ApiRequest): URL {
  const target = new URL(`${base}${prefix}${path}`)
  for (const [name, value] of Object.entries(query)) if (value !== undefined) target.searchParams.set(name, String(value))
  return target
}

export async function readText({ body }: Response, base: string): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of body ?? []) {
    bytes += part.byteLength
    if (bytes > clientLimits.responseBytes) throw new ApiUnreachable(base, 'its response is too large')
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

/** Returns the JSON object that the text contains; null: the text is not a JSON object. */
export function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

/** Returns the reason of a network error. `fetch` only reports "fetch failed"; the cause of this error has the code. */
function reasonOf(error: unknown, waitMs: number = clientLimits.streamSilenceMs): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `no response within ${waitMs / 1000} s`
  const { cause } = error
  if (!(cause instanceof Error)) return error.message
  const code = 'code' in cause ? String(cause.code) : ''
  return code === '' || cause.message.includes(code) ? cause.message : `${code}: ${cause.message}`
}
