// Ports at which parts of this installation listen: gateway, operations, bus and store. Checks and messages must not reach them, because
// these parts trust who connects from this machine or its network more than a stranger.
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { repeat } from '#shared/async/repeat.ts'
import { limits } from '#shared/limits/limits.ts'
import { isLoopback } from '#shared/net/loopback.ts'
import type { Resolve } from '#shared/net/resolve.ts'
import type { Clock } from '#shared/time/clock.ts'

/** A listener. `host`: an address, or a name; `0.0.0.0` and `::` mean every address of this machine. */
export interface OwnPort {
  host: string
  port: number
}

export interface OwnPorts {
  /** Whether one of the listeners is at this address and port. */
  has(address: string, port: number): boolean
  stop(): Promise<void>
}

const everywhere: ReadonlySet<string> = new Set(['0.0.0.0', '::'])

/**
 * `ports` is read at each question, so that listeners may be added to it. Names are looked up now, and again every `limits.egress.namesMs`; until the first answer, and while a name cannot be looked up, its last
 * addresses count.
 */
export function createOwnPorts(ports: readonly OwnPort[], { clock, resolve }: { clock: Clock; resolve: Resolve }): OwnPorts {
  const known = new Map<string, readonly string[]>()
  const names = [...new Set(ports.map(({ host }) => host))].filter(host => isIP(host) === 0 && !isLoopback(host))
  const lookUp = () => {
    for (const name of names) {
      const found: string[] = []
      resolve(name, (error, addresses, mayFollow = false) => {
        if (error !== null) return
        found.push(...addresses)
        known.set(name, mayFollow ? [...found, ...(known.get(name) ?? [])] : found)
      })
    }
  }
  lookUp()
  const looking = names.length === 0 ? null : repeat({ clock, everyMs: limits.egress.namesMs }, lookUp)
  const isAt = (host: string, address: string): boolean => {
    if (everywhere.has(host)) return isLoopback(address) || addressesOfMachine().has(address)
    if (isLoopback(host)) return isLoopback(address)
    return host === address || (known.get(host) ?? []).includes(address)
  }
  return {
    has: (address, port) => ports.some(one => one.port === port && isAt(one.host, address)),
    stop: async () => void (await looking?.stop()),
  }
}

const addressesOfMachine = (): ReadonlySet<string> =>
  new Set(Object.values(networkInterfaces()).flatMap(all => all?.map(({ address }) => address) ?? []))

/** Returns the listeners in a list of `host:port`, separated by commas, as a URL of a bus or a store has it. */
export function portsOfServers(servers: string, usualPort: number): OwnPort[] {
  return servers.split(',').flatMap(server => {
    const [, host = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(server.trim()) ?? []
    return host === '' ? [] : [{ host: host.replace(/^\[|\]$/g, ''), port: port === undefined ? usualPort : Number(port) }]
  })
}
