// The demo's client of the public REST API, generation 2: what anybody with a key can do.
export interface Rest {
  /** Answers `result`; throws an Error with a sentence where the API refuses or the signal aborts. */
  call<T>(method: 'GET' | 'POST', route: string, body?: object): Promise<T>
}

export function createRest(url: string, key: string, signal: AbortSignal): Rest {
  return {
    call: async <T>(method: string, route: string, body?: object) => {
      const headers = { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
      const sent = body === undefined ? null : JSON.stringify(body)
      const response = await fetch(`${url}/api/v2${route}`, { method, headers, signal, body: sent })
      const { result, error } = (await response.json()) as { result: T; error: { message: string } | null }
      if (error !== null) throw new Error(`${method} /api/v2${route} was refused: ${error.message}.`)
      return result
    },
  }
}
