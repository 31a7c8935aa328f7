// The demo's client of the public REST API, generation 2: what anybody with a key can do.
import { StartError } from '../runtime/start-error.ts'
import { WaitedInVain } from './timeline.ts'

export interface Rest {
  /** Answers `result`. Throws a StartError where the API refuses, WaitedInVain where the signal aborts before it answers. */
  call<T>(method: 'GET' | 'POST', route: string, body?: object): Promise<T>
}

export function createRest(url: string, key: string, signal: AbortSignal): Rest {
  return {
    call: async <T>(method: string, route: string, body?: object) => {
      const headers = { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
      const sent = body === undefined ? null : JSON.stringify(body)
      const request = `${method} /api/v2${route}`
      try {
        const response = await fetch(`${url}/api/v2${route}`, { method, headers, signal, body: sent })
        const { result, error } = (await response.json()) as { result: T; error: { message: string } | null }
        if (error !== null) throw new StartError(`${request} was refused: ${error.message}.`)
        return result
      } catch (error) {
        throw signal.aborted ? new WaitedInVain(`an answer to ${request}`) : error
      }
    },
  }
}
