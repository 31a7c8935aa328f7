// What a gateway knows of pings: the cache of what they name, the bound of those that wait, and what the operator sets.
import type { DirectoryClient } from '#shared/bus/clients/clients.ts'
import { keys } from '#shared/bus/subjects.ts'
import type { PingedByKey } from '#shared/contracts/ask/ask-pings.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Clock } from '#shared/time/clock.ts'
import { createTokenMemory, type TokenMemory } from '../callers/token-memory.ts'
import type { PingOptions } from './ping-options.ts'
import { createPingQueue, type PingQueue } from './ping-queue.ts'
import type { PingName } from './read-ping.ts'

export type Pinged = PingedByKey

export interface Pings {
  /** What pings name, by `textOf`. Only signals of Resources are remembered. */
  memory: TokenMemory<Pinged>
  queue: PingQueue
  options: PingOptions
}

export function createPings(clock: Clock, { ask }: DirectoryClient, options: PingOptions): Pings {
  const memory = createTokenMemory<Pinged>(clock, {
    ask: text => find(ask, nameOf(text)),
    namesOf: namesOf,
    expiresAt: () => null,
    isKept: pinged => 'target' in pinged,
  })
  return { memory, queue: createPingQueue(limits.pings.waiting), options }
}

async function find(ask: DirectoryClient['ask'], name: PingName): Promise<Pinged | null> {
  if ('key' in name) return ask('find-pinged', name)
  const target = await ('id' in name ? ask('find-ping', name) : ask('find-push', name))
  return target && { target }
}

function namesOf(pinged: Pinged): string[] {
  if (!('target' in pinged)) return []
  const { subjectId, keyId } = pinged.target
  return [keys.revocation('ping', subjectId), ...(keyId === null ? [] : [keys.revocation('ping-key', keyId)])]
}

/** Returns the name as one text. No part of a name contains a line break. */
export const textOf = (name: PingName): string =>
  'key' in name ? `key\n${name.key}\n${name.slug}` : 'id' in name ? `id\n${name.id}` : `push\n${name.pushToken}`

function nameOf(text: string): PingName {
  const [by, first = '', slug = ''] = text.split('\n')
  if (by === 'key') return { key: first, slug }
  return by === 'id' ? { id: first } : { pushToken: first }
}
