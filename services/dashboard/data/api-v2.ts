// Requests of generation 2 with the session, for data without a route in generation 3. Refusals of generation 2 have status 200.
import { ask, type Method, Refusal } from './api.ts'
import { sentence } from './format.ts'
import { workspaceId } from './session.ts'

interface Envelope<T> {
  result: T
  error: { code: number; message: string; details: string; field?: string } | null
}

/**
 * Sends a request of generation 2. `path`: path below `/api/v2`; the function adds the present workspace. Resolves with `result`. Rejects
 * with a Refusal.
 */
export const askV2 = <T>(method: Method, path: string, body?: object, signal?: AbortSignal): Promise<T> =>
  askV2In<T>(workspaceId.peek() ?? '', method, path, body, signal)

/** Like `askV2`, for the given workspace. For work that continues when the person switches to another workspace. */
export async function askV2In<T>(
  workspace: string,
  method: Method,
  path: string,
  body?: object,
  signal?: AbortSignal,
): Promise<T> {
  const query = `workspace_id=${encodeURIComponent(workspace)}`
  const { result, error } = await ask<Envelope<T>>(method, `/session/v2${path}?${query}`, body, signal)
  if (error === null) return result
  const { code, message, details, field = null } = error
  throw new Refusal(statuses[code] ?? 500, String(code), sentence(details === '' ? message : details), field)
}

/** HTTP status of the session API for every error code of generation 2. */
const statuses: Readonly<Record<number, number>> = { 2001: 422, 2002: 404, 2003: 409, 2004: 409, 2005: 403, 2006: 400 }
