// A client of the REST API over connections that are kept alive, with the time that each answer took.
import { Pool } from 'undici'

export interface Answered {
  /** From the call to the last byte of the answer, ms; waiting for a free connection is part of it. */
  ms: number
  bytes: number
  result: unknown
  /** Of a list of generation 3; null of other answers. */
  meta: unknown
}

export interface HttpClient {
  /** Throws when the answer is no success. */
  call(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<Answered>
  close(): Promise<void>
}

/** `connections` at most are open; further calls wait for one. */
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
