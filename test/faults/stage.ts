// Stage of a fault run: an installation of real processes, the websites and the receiver around it, and clients of the installation.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { KeeperClient } from '#shared/bus/clients/clients.ts'
import type { Store } from '#shared/store/port.ts'
import type { OutsideWorld } from './outside-world.ts'

export interface Stage {
  outside: OutsideWorld
  workspaceId: string
  locationId: string
  /** The API of generation 2. Rejects if there is no response within 6 s. */
  call: Call
  /** Calls `use` with a client of the keepers, on a connection of its own. */
  command(use: (keeper: KeeperClient) => Promise<unknown>): Promise<void>
  /** Log lines of all processes. */
  output(): string
  /** Ends all services for good. The store can still be read until `stop`, which must always be called. */
  endServices(): Promise<void>
  openStore(): Promise<Store>
  /** Ends everything that was started and removes its folders. */
  stop(): Promise<void>
}

export type Call = <T>(method: string, path: string, body?: unknown) => Promise<T>

const responseMs = 6_000

/** Returns a client of the API. The client calls `baseUrl` for each request, because the port may change at a restart. */
export function caller(baseUrl: () => string, key: () => string): Call {
  return async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${baseUrl()}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${key()}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(responseMs),
    })
    const { result, error } = (await response.json()) as { result: T; error: unknown }
    if (error !== null) throw new Error(JSON.stringify(error))
    return result
  }
}

/** Largest number of attempts of a read, which can fail on a busy machine. */
const readsMax = 5

/** Retries the read until it succeeds; rejects with the last error. */
export async function read<T>(call: Call, path: string): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await call<T>('GET', path)
    } catch (error) {
      if (tries === readsMax) throw error
    }
  }
}

/**
 * Returns the address of the gateway that printed `output`; empty if the gateway has not printed it yet. It is printed after the line by which
 * a start is known, so a stage looks for it at each request.
 */
export const gatewayUrl = (output: string): string => /listens on (\S+?);/.exec(output)?.[1] ?? ''

export const readFirstKey = async (dataFolder: string): Promise<string> =>
  (await readFile(join(dataFolder, 'first-key'), 'utf8')).trim()

/** Creates the destination of all messages; resolves with the ids of the only workspace and location. */
export async function furnish(call: Call, outside: OutsideWorld): Promise<Pick<Stage, 'workspaceId' | 'locationId'>> {
  const [workspace] = await read<{ id: string }[]>(call, '/v2/workspaces')
  const [location] = await read<{ id: string }[]>(call, '/v2/locations')
  const destination = { workspace_id: workspace?.id, name: 'hook', destination_type: 'webhook', url: outside.hookUrl }
  await call('POST', '/v2/notifications/destinations', destination)
  return { workspaceId: workspace?.id ?? '', locationId: location?.id ?? '' }
}
