// Requests of the planner to the routes of the API, sent in the name of the caller, and their results. Pure: `send` is an argument.
import { allPages } from '#shared/async/pages.ts'
import { limits } from '#shared/limits/limits.ts'
import { internalCode } from '../v2/envelope.ts'

export interface ApiRequest {
  api: 'v2' | 'v3'
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path below the generation's prefix, with its query. */
  path: string
  body?: unknown
}

/** Response of a route: its status and its text. */
export interface ApiReply {
  status: number
  text: string
}

/** Clients of the API. The types of results are not checked, because the routes guarantee them. */
export interface Clients {
  send(request: ApiRequest): Promise<ApiReply>
  workspace: string
}

/** A refused request. `message`: the reason in words. */
export class RouteRefusal extends Error {
  readonly status: number
  /** Whether the same request may succeed later. It may also have taken effect. */
  readonly mayRepeat: boolean

  constructor(status: number, words: string, mayRepeat: boolean) {
    super(words)
    this.status = status
    this.mayRepeat = mayRepeat
  }
}

interface Envelope {
  result: unknown
  error: { code: number; message: string; details?: unknown } | null
  meta?: { next_cursor?: string | null } | null
}

/** Returns the result of a request. Throws RouteRefusal. */
export const call = async (clients: Clients, request: ApiRequest): Promise<unknown> => (await exchange(clients, request)).result

/** Returns the result of a read, which the caller knows to have the type T. Throws RouteRefusal. */
export const read = async <T>(clients: Clients, api: ApiRequest['api'], path: string): Promise<T> =>
  (await call(clients, { api, method: 'GET', path })) as T

/** Returns the items of all pages of a list of generation 3. `path`: with at least one parameter. Throws RouteRefusal. */
export const readPages = <T>(clients: Clients, path: string): Promise<T[]> =>
  allPages(async cursor => {
    const more = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const request = { api: 'v3', method: 'GET', path: `${path}&limit=${limits.v3.pageMax}${more}` } as const
    const { result, meta } = await exchange(clients, request)
    return { items: result as T[], next: meta?.next_cursor ?? null }
  })

async function exchange(clients: Clients, request: ApiRequest): Promise<Envelope> {
  const { status, text } = await clients.send(request)
  const envelope = JSON.parse(text) as Envelope
  const { error } = envelope
  if (error === null || error === undefined) return envelope
  const isBusy = status === 429 || status >= 500 || (request.api === 'v2' && error.code === internalCode)
  const mayRepeat = isBusy || isKeyTaken(status, error)
  throw new RouteRefusal(status, wordsOf(error), mayRepeat)
}

/**
 * Whether a key was taken after the plan was made, in which it was free: by somebody else, or by a creation that was killed half way. That one
 * gives the key back within a minute (reference/custom-subjects 1.6).
 */
const isKeyTaken = (status: number, { details }: NonNullable<Envelope['error']>): boolean =>
  status === 409 && (details as { field?: unknown } | undefined)?.field === 'key'

/** Returns the reason of a refusal: in generation 3 with the faulty field or the users of an object, in generation 2 with its details. */
function wordsOf({ message, details }: NonNullable<Envelope['error']>): string {
  if (typeof details === 'string') return details === '' ? message : `${message}: ${details}`
  const { field, used_by: users } = (details ?? {}) as Record<string, unknown>
  const place = [field, users].find(one => typeof one === 'string')
  return place === undefined ? message : `${message} (${place})`
}
