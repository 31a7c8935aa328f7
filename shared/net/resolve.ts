// Resolver of host names. Owns the resolver, the copy of the hosts file and the queue of slow look-ups. Never caches responses of name
// servers. If a name no longer resolves, the next check thus notices it.
//
// The system's own look-up blocks one of four threads that the whole process shares, so one slow name server would delay every check. Names
// with a dot are therefore looked up in the hosts file, then at the name servers directly (c-ares, on the event loop). Names that the name
// servers do not know, and names without a dot (search domains, multicast DNS), go to the system's look-up, a few at a time. IPv6 is
// requested only if there is no IPv4 address, which halves the requests.
import { lookup, Resolver } from 'node:dns'
import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { Semaphore } from '#shared/async/semaphore.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Clock } from '#shared/time/clock.ts'

export type Resolved = (error: Error | null, addresses: readonly string[]) => void
/** Resolves a name. Never throws; calls `done` once, possibly before it returns. */
export type Resolve = (hostname: string, done: Resolved) => void

export interface ResolverOptions {
  clock: Clock
  /** Addresses of name servers; default: the name servers of the system. */
  servers?: readonly string[]
  systemLookup?: (hostname: string, done: Resolved) => void
}

const loopback: readonly string[] = ['127.0.0.1', '::1']

export function createResolve(options: ResolverOptions): Resolve {
  const hosts = createHosts('/etc/hosts', options.clock)
  const askServers = createServerQuestions(options)
  const askSystem = createBoundedLookup(options.systemLookup ?? systemLookup)
  const waiting = new Map<string, Resolved[]>()

  const ask = (name: string) => {
    const finish: Resolved = (error, addresses) => {
      const listeners = waiting.get(name) ?? []
      waiting.delete(name)
      for (const listener of listeners) listener(error, addresses)
    }
    if (!name.includes('.')) return askSystem(name, finish)
    askServers(name, (error, addresses) => {
      const code = (error as NodeJS.ErrnoException | null)?.code
      if (error === null || code === 'ETIMEOUT') finish(error, addresses)
      else askSystem(name, finish)
    })
  }

  return (hostname, done) => {
    const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname
    const known = hosts(name) ?? (name === 'localhost' || name.endsWith('.localhost') ? loopback : undefined)
    if (known) return done(null, known)
    const listeners = waiting.get(name)
    if (listeners) {
      listeners.push(done)
      return
    }
    waiting.set(name, [done])
    ask(name)
  }
}

/**
 * Returns a look-up at the name servers. A new resolver is created each minute, because a resolver never notices a change of the system's
 * name servers.
 */
function createServerQuestions({ clock, servers }: ResolverOptions): Resolve {
  let resolver: Resolver | null = null
  let madeAt = 0
  return (name, done) => {
    if (resolver === null || clock.monotonic() - madeAt > limits.resolve.serversMs) {
      resolver = new Resolver({ timeout: limits.resolve.tryMs, tries: limits.resolve.tries })
      if (servers) resolver.setServers(servers)
      madeAt = clock.monotonic()
    }
    const present = resolver
    present.resolve4(name, (error, addresses) => {
      if (error === null && addresses.length > 0) done(null, addresses)
      else if (error?.code !== 'ENODATA') done(error, [])
      else present.resolve6(name, (error6, addresses6) => done(error6, addresses6 ?? []))
    })
  }
}

/**
 * Returns `look` with a bounded number of concurrent look-ups, so that most of the process's shared threads stay free. No more look-ups
 * wait than checks run.
 */
function createBoundedLookup(look: Resolve): Resolve {
  const semaphore = new Semaphore(limits.resolve.lookups)
  return (name, done) => {
    const lookUp = (free: () => void) =>
      look(name, (error, addresses) => {
        free()
        done(error, addresses)
      })
    void semaphore.run(() => new Promise<void>(lookUp))
  }
}

const systemLookup: Resolve = (name, done) => {
  lookup(name, { all: true }, (error, addresses) => done(error, addresses?.map(each => each.address) ?? []))
}

/**
 * Returns a look-up in the hosts file. Every few seconds a look-up checks whether the file has changed, and then reads it again. A missing
 * file counts as empty.
 */
function createHosts(path: string, clock: Clock): (name: string) => readonly string[] | undefined {
  let names = new Map<string, string[]>()
  let changedAt = -1
  let lookedAt = Number.NEGATIVE_INFINITY
  return name => {
    if (clock.monotonic() - lookedAt > limits.resolve.hostsMs) {
      lookedAt = clock.monotonic()
      const stamp = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
      if (stamp !== changedAt) {
        changedAt = stamp
        names = stamp === 0 ? new Map() : parseHosts(readText(path))
      }
    }
    return names.get(name)
  }
}

function parseHosts(text: string): Map<string, string[]> {
  const names = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [address, ...aliases] = (line.split('#')[0] as string).trim().split(/\s+/)
    if (!address || isIP(address) === 0) continue
    for (const alias of aliases) {
      const name = alias.toLowerCase()
      names.set(name, [...(names.get(name) ?? []), address])
    }
  }
  return names
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
