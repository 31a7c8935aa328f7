// Client of generation 3 of the API over HTTP, for the command line and the MCP server. Never prints, never retries, never follows a redirect.
import { clientLimits } from '#shared/limits-of-clients.ts'
import { basicCredentials } from '#shared/url-credentials.ts'
import { ApiRefusal, ApiUnreachable, type RefusalBody } from './errors.ts'

export interface ApiOptions {
  /** Where the API is served, without `/api/v3`; a path before that is kept. */
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

export interface ApiReply {
  result: unknown
  /** Null: the last page, or no list. */
  nextCursor: string | null
}

export interface ApiClient {
  /** Throws ApiRefusal for what the API refused, ApiUnreachable for no response or one that is not Watchkeeper's. */
  call(request: ApiRequest, signal?: AbortSignal): Promise<ApiReply>
  /** The items of a list, page after page. Throws as `call` does. */
  items(request: ApiRequest, signal?: AbortSignal): AsyncGenerator<unknown>
}

/** A path below `/api/v3` whose values are encoded, so that a name with a slash stays one segment. */
export const apiPath = (texts: TemplateStringsArray, ...names: readonly string[]): string =>
  String.raw({ raw: texts }, ...names.map(encodeURIComponent))

/** Throws ApiUnreachable for a URL that is none of http or https, and for a key that no header can carry. */
export function createApiClient(options: ApiOptions): ApiClient {
  const base = baseOf(options.url)
  const headers = headersOf(options)

  async function call({ method, path, query = {}, body }: ApiRequest, signal?: AbortSignal): Promise<ApiReply> {
    const target = new URL(`${base}/api/v3${path}`)
    for (const [name, value] of Object.entries(query)) if (value !== undefined) target.searchParams.set(name, String(value))
    const late = AbortSignal.timeout(clientLimits.responseMs)
    const { status, text } = await exchange(target, base, {
      method,
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
      redirect: 'manual',
      signal: signal === undefined ? late : AbortSignal.any([late, signal]),
    })
    return readEnvelope(base, status, text)
  }

  return {
    call,

    async *items(request, signal) {
      let cursor: string | undefined
      do {
        const query = { limit: clientLimits.pageItems, ...request.query, cursor }
        const { result, nextCursor } = await call({ ...request, query }, signal)
        if (!Array.isArray(result)) throw new ApiUnreachable(base, 'it returned no list where one was expected')
        yield* result
        cursor = nextCursor ?? undefined
      } while (cursor !== undefined)
    },
  }
}

export interface ReporterOptions {
  /** Of an Observation address, whole: it is a secret. */
  url: string
  /** A full key, for an address that wants one; null: none. */
  secondFactor: string | null
  userAgent: string
}

/** Reports to one Observation address (v3 8.4). Errors name its host alone. Throws ApiUnreachable for a URL that is none of http or https. */
export function createReporter({ url, secondFactor, userAgent }: ReporterOptions): {
  /** Throws as `call` of an ApiClient does. */
  report(body: unknown, signal?: AbortSignal): Promise<unknown>
} {
  const target = new URL(baseOf(url))
  const factor = secondFactor === null ? {} : { 'x-observation-key': requireKey(secondFactor) }
  const headers = { 'user-agent': userAgent, accept: 'application/json', 'content-type': 'application/json', ...factor }
  return {
    async report(body, signal) {
      const late = AbortSignal.timeout(clientLimits.responseMs)
      const { status, text } = await exchange(target, target.origin, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
        redirect: 'manual',
        signal: signal === undefined ? late : AbortSignal.any([late, signal]),
      })
      return readEnvelope(target.origin, status, text).result
    },
  }
}

/** `fetch` would quote a wrong one in its error. */
function requireKey(key: string): string {
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

/** Throws ApiUnreachable. */
export async function exchange(target: URL, base: string, init: RequestInit): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(target, init)
    return { status: response.status, text: await readText(response, base) }
  } catch (error) {
    if (error instanceof ApiUnreachable) throw error
    throw new ApiUnreachable(base, reasonOf(error), error)
  }
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

function readEnvelope(base: string, status: number, text: string): ApiReply {
  const envelope = parse(text)
  if (envelope === null || !('result' in envelope)) throw new ApiUnreachable(base, notTheApi(status))
  const { result, error, meta } = envelope
  if (error === null && status < 300) return { result, nextCursor: cursorOf(meta) }
  if (isRefusal(error)) throw new ApiRefusal(status, error)
  throw new ApiUnreachable(base, notTheApi(status))
}

const notTheApi = (status: number) =>
  status === 404
    ? 'generation 3 of the API is not served there: the server is older, or it is no Watchkeeper'
    : `it responded with status ${status} and nothing that generation 3 of the API says`

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isRefusal = (error: unknown): error is RefusalBody =>
  isObject(error) &&
  typeof error.code === 'number' &&
  typeof error.error_type === 'string' &&
  typeof error.message === 'string' &&
  isObject(error.details)

const cursorOf = (meta: unknown): string | null =>
  isObject(meta) && typeof meta.next_cursor === 'string' ? meta.next_cursor : null

/** `fetch` says only "fetch failed"; its cause has the code. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `no response within ${clientLimits.responseMs / 1000} s`
  const { cause } = error
  if (!(cause instanceof Error)) return error.message
  const code = 'code' in cause ? String(cause.code) : ''
  return code === '' || cause.message.includes(code) ? cause.message : `${code}: ${cause.message}`
}
