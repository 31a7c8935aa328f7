// One request over HTTP and its whole response, for the clients of both generations. Never retries, never follows a redirect.
import { clientLimits } from '#shared/limits-of-clients.ts'
import { basicCredentials } from '#shared/url-credentials.ts'
import { ApiUnreachable } from './errors.ts'

export interface ApiOptions {
  /** Address of the API, without `/api/v3`; a path before that is kept. */
  url: string
  key: string
  userAgent: string
}

export interface ApiRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below `/api/v3`, with encoded names: `apiPath` makes it. */
  path: string
  /** Undefined members are left out. */
  query?: Readonly<Record<string, string | number | boolean | undefined>>
  body?: unknown
}

/** `fetch` would quote a wrong one in its error. */
export function requireKey(key: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key
  throw new ApiUnreachable(null, 'the API key is empty or has characters that no key has')
}

/** Throws ApiUnreachable for a key that no header can carry. */
export const headersOf = ({ key, userAgent }: ApiOptions): Record<string, string> => ({
  authorization: `Bearer ${requireKey(key)}`,
  'user-agent': userAgent,
  accept: 'application/json',
})

/** Without the last slash, user information, query and fragment. */
export function baseOf(url: string): string {
  const parsed = URL.parse(url)
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    throw new ApiUnreachable(null, 'the URL must begin with http:// or https://')
  if (basicCredentials(parsed) !== null) throw new ApiUnreachable(null, 'the URL must not carry a user name or a password')
  return parsed.origin + parsed.pathname.replace(/\/+$/, '')
}

interface Sent {
  method: ApiRequest['method']
  headers: Readonly<Record<string, string>>
  /** Sent as JSON; undefined: none. */
  body?: unknown
}

/** The response of `target`, whatever it says. `base`: the address as errors name it. Throws ApiUnreachable. */
export async function exchange(
  target: URL,
  base: string,
  { method, headers, body }: Sent,
  signal?: AbortSignal,
): Promise<{ status: number; text: string }> {
  const late = AbortSignal.timeout(clientLimits.responseMs)
  try {
    const response = await fetch(target, {
      method,
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
      redirect: 'manual',
      signal: signal === undefined ? late : AbortSignal.any([late, signal]),
    })
    return { status: response.status, text: await readText(response, base) }
  } catch (error) {
    if (error instanceof ApiUnreachable) throw error
    throw new ApiUnreachable(base, reasonOf(error), error)
  }
}

/** The whole address of a request. */
export function targetOf(base: string, prefix: string, { path, query = {} }: ApiRequest): URL {
  const target = new URL(`${base}${prefix}${path}`)
  for (const [name, value] of Object.entries(query)) if (value !== undefined) target.searchParams.set(name, String(value))
  return target
}

async function readText({ body }: Response, base: string): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of body ?? []) {
    bytes += part.byteLength
    if (bytes > clientLimits.responseBytes) throw new ApiUnreachable(base, 'its response is too large')
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

/** Null: no JSON object. */
export function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** `fetch` says only "fetch failed"; its cause has the code. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `no response within ${clientLimits.responseMs / 1000} s`
  const { cause } = error
  if (!(cause instanceof Error)) return error.message
  const code = 'code' in cause ? String(cause.code) : ''
  return code === '' || cause.message.includes(code) ? cause.message : `${code}: ${cause.message}`
}
