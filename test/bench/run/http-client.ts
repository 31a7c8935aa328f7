// Client of the REST API over connections that are kept alive; measures the time of each response.
import { Pool } from 'undici'

export interface Answered {
  /** Time from the call to the last byte of the response, ms, including the wait for a free connection. */
  ms: number
  bytes: number
  result: unknown
  /** Metadata of a list of generation 3; null in other responses. */
  meta: unknown
}

export interface HttpClient {
  /** Throws if the response is no success. */
  call(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<Answered>
  close(): Promise<void>
}

/** Opens at most `connections` connections; further calls wait for a free one. */
export function createHttpClient(origin: string, key: string, connections: number): HttpClient {
  const pool = new Pool(origin, { connections })
  const authorization = `Bearer ${key}`
  return {
    call: async (method, path, body) => {
      const headers = body === undefined ? { authorization } : { authorization, 'content-type': 'application/json' }
      const startedAt = performance.now()
      const answer = await pool.request({ path, method, headers, body: body === undefined ? null : JSON.stringify(body) })
      const text = await answer.body.text()
      const ms = performance.now() - startedAt
      const { result, error, meta = null } = JSON.parse(text) as { result: unknown; error: unknown; meta?: unknown }
      if (answer.statusCode < 300 && error === null) return { ms, bytes: text.length, result, meta }
      throw new Error(`${method} ${path} answered ${answer.statusCode} ${JSON.stringify(error)}`)
    },
    close: () => pool.destroy(),
  }
}
