// HTTP client of generation 3 of the API, for the command line and the MCP server. Never prints, never retries, never follows a redirect.

import { pages } from '#shared/async/pages.ts'
import { isObject } from '#shared/json-shape/is-object.ts'
import { clientLimits } from '#shared/limits/limits-of-clients.ts'
import { ApiRefusal, ApiUnreachable, type RefusalBody } from './errors.ts'
import { eventsOf, type ServerEvent } from './event-stream.ts'
import {
  type ApiOptions,
  type ApiRequest,
  baseOf,
  exchange,
  headersOf,
  open,
  parseObject,
  readText,
  requireKey,
  targetOf,
} from './exchange.ts'
import type { Warning } from './warnings.ts'

export interface ApiReply {
  result: unknown
  /** Cursor of the next page; null: this is the last page, or the result is not a list. */
  nextCursor: string | null
  /** Warnings of an accepted request. Absent: there are none. */
  warnings?: Warning[]
}

export interface ApiClient {
  /** Throws ApiRefusal for an error response. Throws ApiUnreachable if no response arrives, or if the response is not of generation 3. */
  call(request: ApiRequest, signal?: AbortSignal): Promise<ApiReply>
  /** Yields the items of all pages of a list. Throws the same errors as `call`. */
  items(request: ApiRequest, signal?: AbortSignal): AsyncGenerator<unknown>
  /**
   * Yields the events of a stream until the server ends the stream. `after`: id of the last event that is known; null: from now on. Throws
   * the same errors as `call`.
   */
  events(path: string, after: string | null, signal?: AbortSignal): AsyncGenerator<ServerEvent>
}

/** Throws ApiUnreachable for a URL that is not http or https, and for a key that no header can contain. */
export function createApiClient(options: ApiOptions): ApiClient {
  const base = baseOf(options.url)
  const headers = headersOf(options)

  async function call(request: ApiRequest, signal?: AbortSignal): Promise<ApiReply> {
    const { method, body, waitMs } = request
    const target = targetOf(base, '/api/v3', request)
    const { status, text, warnings } = await exchange(target, base, { method, headers, body, waitMs }, signal)
    const reply = readEnvelope(base, status, text)
    return warnings.length === 0 ? reply : { ...reply, warnings }
  }

  return {
    call,

    async *items(request, signal) {
      const read = async (cursor: string | null) => {
        const query = { limit: clientLimits.pageItems, ...request.query, cursor: cursor ?? undefined }
        const { result, nextCursor } = await call({ ...request, query }, signal)
        if (!Array.isArray(result)) throw new ApiUnreachable(base, 'it returned no list where one was expected')
        return { items: result, next: nextCursor }
      }
      for await (const page of pages(read)) yield* page
    },

    async *events(path, after, signal) {
      const target = targetOf(base, '/api/v3', { method: 'GET', path })
      const known = after === null ? {} : { 'last-event-id': after }
      const opened = await open(target, base, { ...headers, ...known, accept: 'text/event-stream' }, signal)
      const { response, alive } = opened
      try {
        const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
        if (!isStream || response.body === null) {
          readEnvelope(base, response.status, await readText(response, base))
          throw new ApiUnreachable(base, 'it sent no stream of events')
        }
        yield* eventsOf(response.body, base, alive)
      } catch (error) {
        throw error instanceof ApiRefusal ? error : opened.reasonOf(error)
      } finally {
        opened.close()
      }
    },
  }
}

export interface ReporterOptions {
  /** The whole URL of an Observation address, which is a secret. */
  url: string
  /** A full API key, if the Observation address requires a key; null: no key is sent. */
  secondFactor: string | null
  userAgent: string
}

/**
 * Returns a reporter for one Observation address (v3 8.4). Errors contain only the host of the address. Throws ApiUnreachable for a URL
 * that is not http or https.
 */
export function createReporter({ url, secondFactor, userAgent }: ReporterOptions): {
  /** Throws the same errors as `call` of an ApiClient. */
  report(body: unknown, signal?: AbortSignal): Promise<unknown>
} {
  const target = new URL(baseOf(url))
  const factor = secondFactor === null ? {} : { 'x-observation-key': requireKey(secondFactor) }
  const headers = { 'user-agent': userAgent, accept: 'application/json', ...factor }
  return {
    async report(body, signal) {
      const { status, text } = await exchange(target, target.origin, { method: 'POST', headers, body }, signal)
      return readEnvelope(target.origin, status, text).result
    },
  }
}

function readEnvelope(base: string, status: number, text: string): ApiReply {
  const envelope = parseObject(text)
  if (envelope === null || !('result' in envelope)) throw new ApiUnreachable(base, notTheApi(status))
  const { result, error, meta } = envelope
  if (error === null && status < 300 && isResult(result)) return { result, nextCursor: cursorOf(meta) }
  if (isRefusal(error)) throw new ApiRefusal(status, error)
  throw new ApiUnreachable(base, notTheApi(status))
}

const notTheApi = (status: number) =>
  status === 404
    ? 'generation 3 of the API is not served there: the server is older, or it is no Watchkeeper'
    : `it responded with status ${status} and nothing that generation 3 of the API says`

/** Every result of generation 3 is an object or a list of objects. */
const isResult = (result: unknown) => (Array.isArray(result) ? result.every(isObject) : isObject(result))

const isRefusal = (error: unknown): error is RefusalBody =>
  isObject(error) &&
  typeof error.code === 'number' &&
  typeof error.error_type === 'string' &&
  typeof error.message === 'string' &&
  isObject(error.details)

const cursorOf = (meta: unknown): string | null =>
  isObject(meta) && typeof meta.next_cursor === 'string' ? meta.next_cursor : null
