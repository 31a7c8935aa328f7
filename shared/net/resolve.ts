// Resolver of host names. Owns the resolver, the copy of the hosts file and the queue of slow look-ups. Never caches responses of name
// servers. If a name no longer resolves, the next check thus notices it.
//
// The system's own look-up blocks one of four threads that the whole process shares, so one slow name server would delay every check. Names
// with a dot are therefore looked up in the hosts file, then at the name servers directly (c-ares, on the event loop). Names that the name
// servers do not know, and names without a dot (search domains, multicast DNS), go to the system's look-up, a few at a time. IPv4 and IPv6
// are requested at once; what is known first is not kept waiting for the rest (RFC 8305, 3).
import { lookup, Resolver } from 'node:dns'
import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { Semaphore } from '#shared/async/semaphore.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Cancel, Clock } from '#shared/time/clock.ts'

/** `mayFollow`: the function is called once more, with further addresses or without any. */
export type Resolved = (error: Error | null, addresses: readonly string[], mayFollow?: boolean) => void
/**
 * Resolves a name. Never throws. Calls `done` possibly before it returns, and once unless the first call has said that more may follow. With
 * a `family`, name servers are asked for it first, also if this machine has no address of it. Addresses of the other family may come, too.
 */
export type Resolve = (hostname: string, done: Resolved, family?: Family) => void

export interface ResolverOptions {
  clock: Clock
  /** Addresses of name servers; default: the name servers of the system. */
  servers?: readonly string[]
  systemLookup?: (hostname: string, done: Resolved) => void
  /** Families that are requested first; default: those of this machine. */
  families?: () => readonly Family[]
}

const loopback: readonly string[] = ['127.0.0.1', '::1']

export function createResolve(options: ResolverOptions): Resolve {
  const hosts = createHosts('/etc/hosts', options.clock)
  const askServers = createServerQuestions(options)
  const askSystem = createBoundedLookup(options.systemLookup ?? systemLookup)
  const waiting = new Map<string, Resolved[]>()

  const ask = (name: string, family: Family | undefined, tell: Resolved) => {
    if (!name.includes('.')) return askSystem(name, tell)
    const answered: Resolved = (error, addresses, mayFollow) => {
      const code = (error as NodeJS.ErrnoException | null)?.code
      if (error === null || code === 'ETIMEOUT') tell(error, addresses, mayFollow)
      else askSystem(name, tell)
    }
    askServers(name, answered, family)
  }

  return (hostname, done, family) => {
    const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname
    const known = hosts(name) ?? (name === 'localhost' || name.endsWith('.localhost') ? loopback : undefined)
    if (known) return done(null, known)
    const question = family === undefined ? name : `${name} ${family}`
    const present = waiting.get(question)
    if (present) {
      present.push(done)
      return
    }
    const listeners = [done]
    waiting.set(question, listeners)
    ask(name, family, (error, addresses, mayFollow) => {
      // A caller that comes after the first addresses asks anew.
      if (waiting.get(question) === listeners) waiting.delete(question)
      for (const listener of listeners) listener(error, addresses, mayFollow)
    })
  }
}

/**
 * Returns a look-up at the name servers. A new resolver is created each minute, because a resolver never notices a change of the system's
 * name servers.
 */
function createServerQuestions({ clock, servers, families = familiesOfMachine }: ResolverOptions): Resolve {
  let resolver: Resolver | null = null
  let madeAt = 0
  let usual: readonly Family[] = []
  return (name, done, family) => {
    if (resolver === null || clock.monotonic() - madeAt > limits.resolve.serversMs) {
      resolver = new Resolver({ timeout: limits.resolve.tryMs, tries: limits.resolve.tries })
      if (servers) resolver.setServers(servers)
      madeAt = clock.monotonic()
      usual = families()
    }
    const present = resolver
    const wanted = family === undefined ? usual : [family]
    askFamilies(present, name, wanted, clock, (error, addresses, mayFollow) => {
      const others = bothFamilies.filter(each => !wanted.includes(each))
      const isUnasked = others.length > 0 && (error as NodeJS.ErrnoException | null)?.code === 'ENODATA'
      if (isUnasked) askFamilies(present, name, others, clock, done)
      else done(error, addresses, mayFollow)
    })
  }
}

type Family = 4 | 6
const bothFamilies: readonly Family[] = [4, 6]

/** Returns the families in which this machine has an address that others can reach, or both. Addresses of the other one are not requested. */
function familiesOfMachine(): readonly Family[] {
  const all = Object.values(networkInterfaces()).flatMap(each => each ?? [])
  const own = all.filter(({ internal, address }) => !internal && !/^(fe80|169\.254)/i.test(address))
  const found = bothFamilies.filter(family => own.some(one => one.family === `IPv${family}`))
  return found.length === 0 ? bothFamilies : found
}

/** Asks for addresses of some families at once. If one is known, the other may be late by `graceMs`; later addresses follow. */
function askFamilies(resolver: Resolver, name: string, families: readonly Family[], clock: Clock, done: Resolved): void {
  let open = families.length
  let known: string[] = []
  const failures: NodeJS.ErrnoException[] = []
  let cancelGrace: Cancel | null = null
  let isTold = false
  const tell = () => {
    cancelGrace?.()
    const addresses = known
    known = []
    if (addresses.length > 0 || isTold) done(null, addresses, open > 0)
    else done(worst(failures), [])
    isTold = true
  }
  const answered = (error: NodeJS.ErrnoException | null, addresses: readonly string[] = []) => {
    open--
    if (error !== null) failures.push(error)
    known = interleave(known, addresses)
    if (open === 0) tell()
    else if (known.length > 0) cancelGrace = clock.schedule(limits.resolve.graceMs, tell)
  }
  for (const family of families) {
    if (family === 4) resolver.resolve4(name, answered)
    else resolver.resolve6(name, answered)
  }
}

/**
 * Returns the failure that says most: name servers that are silent may know addresses, an unknown name has none. Null: nothing failed.
 */
const worst = (failures: readonly NodeJS.ErrnoException[]): Error | null =>
  failures.find(({ code }) => code === 'ETIMEOUT') ?? failures.find(({ code }) => code !== 'ENODATA') ?? failures[0] ?? null

/** Returns the addresses of both families in turn. */
function interleave(one: readonly string[], other: readonly string[]): string[] {
  const [v4 = [], v6 = []] = one[0]?.includes(':') ? [other, one] : [one, other]
  return Array.from({ length: Math.max(v4.length, v6.length) }, (_, index) => [v4[index], v6[index]])
    .flat()
    .filter(address => address !== undefined)
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
