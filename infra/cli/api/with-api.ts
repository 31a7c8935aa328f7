// Connection of a command to generation 3 of the API. A refusal becomes one sentence with an exit code. Texts of a server are never
// printed unchanged.
import { type ApiClient, createApiClient } from '#shared/api-v3/client.ts'
import { ApiRefusal, ApiUnreachable } from '#shared/api-v3/errors.ts'
import type { ServerEvent } from '#shared/api-v3/event-stream.ts'
import type { ApiRequest } from '#shared/api-v3/exchange.ts'
import { noSuchRoute } from '#shared/errors.ts'
import { isObject } from '#shared/json-shape/is-object.ts'
import { type ExitCode, exitCodes, StartError, usageError } from '../../runtime/start-error.ts'
import { productVersion } from '../product-version.ts'
import { oneLine, warn } from '../terminal/printing.ts'
import { startProgress } from '../terminal/progress.ts'
import { findApi, type PlaceOptions } from './api-place.ts'
import { noteAsked } from './asked-server.ts'
import type { ApiPlace } from './local-api.ts'

type Query = NonNullable<ApiRequest['query']>

/** Client of the API. Checks only that a result is an object or a list, and that the items of `all` have ids. */
export interface Api {
  read<T>(path: string): Promise<T>
  send<T>(method: ApiRequest['method'], path: string, body?: unknown): Promise<T>
  /** Returns all items of a list that the API sends in one response, without pages. */
  all<T>(path: string): Promise<T[]>
  /** Returns the items of all pages of a list, at most `most` items. `things`: name of the items, for the progress line. */
  list<T>(path: string, query: Query, things: string, most?: number): Promise<T[]>
  /** Yields the events of a stream until the server ends it. `after`: id of the last known event; null: from now on. */
  events(path: string, after: string | null): AsyncGenerator<ServerEvent>
  /** Returns the result of a request, of any type. Throws the errors of the API's client. */
  call(request: ApiRequest, signal?: AbortSignal): Promise<unknown>
  /** Sets the text of the progress line. */
  say(text: string): void
  url: string
  /** Id of the workspace stored in the profile. */
  remembered: string | null
}

export const userAgent = `watchkeeper-cli/${productVersion}`

/** Runs a command with the API. Throws a StartError if the address is unknown, or if the API is not reachable or refuses a request. */
export async function withApi<T>(options: PlaceOptions, run: (api: Api) => Promise<T>): Promise<T> {
  return withApiAt(await findApi(options), run)
}

/**
 * Like `withApi`, for a command that runs until `ending` is aborted. This abort also aborts the requests of the command. Shows no progress,
 * because the command mostly waits.
 */
export async function whileWatching(options: PlaceOptions, ending: AbortSignal, run: (api: Api) => Promise<void>): Promise<void> {
  const place = await findApi(options)
  await run(apiAt(place, () => undefined, ending)).catch(error => Promise.reject(asStartError(error)))
}

/** Like `withApi`, but the caller passes the address and the key. */
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

function apiAt(place: ApiPlace, say: (text: string) => void, ending?: AbortSignal): Api {
  noteAsked(place.url)
  const connect = (key: string) => createApiClient({ url: place.url, key, userAgent })
  let client = connect(place.key)
  let isRenewed = false
  async function renewing<R>(attempt: (client: ApiClient) => Promise<R>): Promise<R> {
    try {
      return await attempt(client)
    } catch (error) {
      if (place.renew === null || isRenewed || !(error instanceof ApiRefusal) || error.status !== 401) throw error
      isRenewed = true
      client = connect(await place.renew())
      return attempt(client)
    }
  }
  const call: Api['call'] = async (request, signal) => {
    const { result, warnings = [] } = await renewing(client => client.call(request, signal ?? ending))
    for (const { text } of warnings) warn(`Warning: ${text}.`)
    return result
  }
  async function objectOf<T>(request: ApiRequest): Promise<T> {
    const result = await call(request)
    if (isObject(result)) return result as T
    throw new ApiUnreachable(place.url, 'it returned no object where one was expected')
  }
  return {
    call,
    read: path => objectOf({ method: 'GET', path }),
    all: async <T>(path: string) => {
      const result = await call({ method: 'GET', path })
      if (Array.isArray(result) && result.every(item => typeof item.id === 'string')) return result as T[]
      throw new ApiUnreachable(place.url, 'it returned no list of objects with ids where one was expected')
    },
    send: (method, path, body) => objectOf({ method, path, body }),
    list: <T>(path: string, query: Query, things: string, most = Number.POSITIVE_INFINITY) =>
      renewing(async client => {
        const items: T[] = []
        for await (const item of client.items({ method: 'GET', path, query }, ending)) {
          items.push(item as T)
          if (items.length % 100 === 0) say(`${items.length} ${things} read …`)
          if (items.length >= most) break
        }
        return items
      }),
    events: (path, after) => client.events(path, after, ending),
    say,
    url: place.url,
    remembered: place.workspace,
  }
}

/** Returns the error as a sentence for a person and an exit code for scripts. */
export function asStartError(error: unknown): unknown {
  if (error instanceof ApiUnreachable) {
    const why = oneLine(error.message)
    if (error.base === null) return usageError(`The API can't be called: ${why}.`)
    return new StartError(
      `Watchkeeper can't be reached at ${oneLine(error.base)} (${why}): start it, update it, or correct the address.`,
      exitCodes.notRunning,
    )
  }
  if (error instanceof ApiRefusal && error.message.startsWith(noSuchRoute().details)) {
    return new StartError('The server has no such route: it is older than this command. Update it.', exitCodes.notRunning)
  }
  if (error instanceof ApiRefusal) return new StartError(sentenceOf(error), exitCodeOf(error), error.body)
  return error
}

function exitCodeOf(error: ApiRefusal): ExitCode {
  const { status } = error
  if (status === 404 || isUnknownThing(error)) return exitCodes.notFound
  return status === 429 || status >= 500 ? exitCodes.notRunning : exitCodes.refused
}

/** Returns whether a body named a thing that does not exist. The API refuses such a body as a fault of its field. */
const isUnknownThing = ({ status, body: { message, details } }: ApiRefusal): boolean =>
  status === 422 && namesOfThings.has(String(details['field'])) && /\b(there is|has) no\b/i.test(message)

const administers = 'its person must administer the installation'

const namesOfThings = new Set(['template', 'template_id', 'resource', 'destination', 'signal'])

function sentenceOf({ status, body: { message, details } }: ApiRefusal): string {
  const sentence = oneLine(message).replace(/\.$/, '')
  if (status === 401) return 'The key was refused: it is unknown, expired or deleted. Set another one.'
  const { field, scope, role, used_by: usedBy } = details
  const more = [
    typeof field === 'string' && !sentence.includes(field) && `field ${field}`,
    typeof scope === 'string' && `the key must have ${scope === 'full' ? 'full access' : `the action ${scope}`}`,
    typeof role === 'string' && (role === 'admin' ? administers : `its person must be ${role} of the workspace`),
    typeof usedBy === 'string' && !sentence.includes(usedBy) && `used by ${usedBy}`,
  ].filter(part => part !== false)
  return `${sentence}${more.length > 0 ? ` (${oneLine(more.join(', '))})` : ''}.`
}
