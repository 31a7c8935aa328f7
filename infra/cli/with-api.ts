// How a command talks to generation 3 of the API: where it is, its lists, and its refusals as one sentence with an exit code. Texts of a server are
// never printed as they came.
import { createClassicClient } from '#shared/api-v2/client.ts'
import { type ApiClient, createApiClient } from '#shared/api-v3/client.ts'
import { ApiRefusal, ApiUnreachable } from '#shared/api-v3/errors.ts'
import type { ApiRequest } from '#shared/api-v3/exchange.ts'
import { type ExitCode, exitCodes, StartError, usageError } from '../embedded/start-error.ts'
import { findApi, type PlaceOptions } from './api-place.ts'
import type { ApiPlace } from './local-api.ts'
import { oneLine } from './printing.ts'
import { productVersion } from './product-version.ts'
import { startProgress } from './progress.ts'

type Query = NonNullable<ApiRequest['query']>

/** Results are taken to be what the contract of the API says. */
export interface Api {
  read<T>(path: string, query?: Query): Promise<T>
  send<T>(method: ApiRequest['method'], path: string, body?: unknown): Promise<T>
  /** Every page. `things` says on the terminal what is read. */
  list<T>(path: string, query: Query, things: string, most?: number): Promise<T[]>
  /** As `send`; throws what the client throws. */
  call(request: ApiRequest, signal?: AbortSignal): Promise<unknown>
  /** The result of a request to generation 2, by the key of the last call; throws what its client throws. */
  classic(request: ApiRequest): Promise<unknown>
  /** The work in progress, for a person at a terminal. */
  say(text: string): void
  url: string
  /** The id of the workspace that the profile remembers. */
  remembered: string | null
}

export const userAgent = `watchkeeper-cli/${productVersion}`

/** Throws a StartError: no such place, not reached, or refused. */
export async function withApi<T>(options: PlaceOptions, run: (api: Api) => Promise<T>): Promise<T> {
  return withApiAt(await findApi(options), run)
}

/** As `withApi`, for a command that lasts until a signal: no line of progress, because it mostly waits. */
export async function whileWatching(options: PlaceOptions, run: (api: Api) => Promise<void>): Promise<void> {
  const place = await findApi(options)
  await run(apiAt(place, () => undefined)).catch(error => Promise.reject(asStartError(error)))
}

/** As `withApi`, at a place that is known. */
export async function withApiAt<T>(place: ApiPlace, run: (api: Api) => Promise<T>): Promise<T> {
  const progress = startProgress(`${place.url} is asked …`)
  try {
    return await run(apiAt(place, progress.say))
  } catch (error) {
    throw asStartError(error)
  } finally {
    progress.end()
  }
}

function apiAt(place: ApiPlace, say: (text: string) => void): Api {
  const connect = (key: string) => createApiClient({ url: place.url, key, userAgent })
  let key = place.key
  let client = connect(key)
  let isRenewed = false
  /** A key of this machine that is refused is replaced once. */
  async function renewing<R>(attempt: (client: ApiClient) => Promise<R>): Promise<R> {
    try {
      return await attempt(client)
    } catch (error) {
      if (place.renew === null || isRenewed || !(error instanceof ApiRefusal) || error.status !== 401) throw error
      isRenewed = true
      key = await place.renew()
      client = connect(key)
      return attempt(client)
    }
  }
  const call: Api['call'] = async (request, signal) => (await renewing(client => client.call(request, signal))).result
  return {
    call,
    read: async <T>(path: string, query?: Query) => (await call({ method: 'GET', path, ...(query && { query }) })) as T,
    send: async <T>(method: ApiRequest['method'], path: string, body?: unknown) => (await call({ method, path, body })) as T,
    list: <T>(path: string, query: Query, things: string, most = Number.POSITIVE_INFINITY) =>
      renewing(async client => {
        const items: T[] = []
        for await (const item of client.items({ method: 'GET', path, query })) {
          items.push(item as T)
          if (items.length % 100 === 0) say(`${items.length} ${things} read …`)
          if (items.length >= most) break
        }
        return items
      }),
    classic: request => createClassicClient({ url: place.url, key, userAgent }).call(request),
    say,
    url: place.url,
    remembered: place.workspace,
  }
}

/** The sentence for a person, and the exit code for a script. */
export function asStartError(error: unknown): unknown {
  if (error instanceof ApiUnreachable) {
    const why = oneLine(error.message)
    if (error.base === null) return usageError(`The API can't be called: ${why}.`)
    return new StartError(
      `Watchkeeper can't be reached at ${oneLine(error.base)} (${why}): start it, or correct the address.`,
      exitCodes.notRunning,
    )
  }
  if (error instanceof ApiRefusal) return new StartError(sentenceOf(error), exitCodeOf(error.status))
  return error
}

function exitCodeOf(status: number): ExitCode {
  if (status === 404) return exitCodes.notFound
  return status === 429 || status >= 500 ? exitCodes.notRunning : exitCodes.refused
}

function sentenceOf({ status, body: { message, details } }: ApiRefusal): string {
  const sentence = oneLine(message).replace(/\.$/, '')
  if (status === 401) return 'The key was refused: it is unknown, expired or deleted. Set another one.'
  const { field, scope, role, used_by: usedBy } = details
  const more = [
    typeof field === 'string' && !sentence.includes(field) && `field ${field}`,
    typeof scope === 'string' && `the key must have ${scope === 'full' ? 'full access' : `the action ${scope}`}`,
    typeof role === 'string' && `its person must be ${role} of the workspace`,
    typeof usedBy === 'string' && !sentence.includes(usedBy) && `used by ${usedBy}`,
  ].filter(part => part !== false)
  return `${sentence}${more.length > 0 ? ` (${oneLine(more.join(', '))})` : ''}.`
}
