// Live probers of this location, and the division of the location's monitors among these probers. Owns this prober's presence key and its
// view of the other probers. Declares no other prober dead while this prober itself may be cut off.
import { type Repeated, repeat } from '#shared/async/repeat.ts'
import type { Bus, Subscription } from '#shared/bus/port.ts'
import { keys, parseProberPresence } from '#shared/bus/subjects.ts'
import { type Abilities, ableProber, canMake } from '#shared/checks/abilities.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Logger } from '#shared/observability/logger.ts'
import { latestNumber, migrations } from '#shared/store/migrations/migrations.ts'
import { fnv1a32 } from '#shared/text/hash.ts'
import { isSameValue } from '#shared/text/same-value.ts'
import type { Clock } from '#shared/time/clock.ts'

export interface PresenceOptions {
  bus: Bus
  clock: Clock
  logger: Logger
  /** Returns the present instant on bus time. */
  busNow(): number
  locationId: string
  proberId: string
  /** Kinds of checks that this prober knows. */
  kinds: Abilities
  /** Returns the content of the presence key beside `kinds`. Called at each beat. */
  describe(): Readonly<Record<string, unknown>>
  /**
   * Called when the members change. `missedSince`: instant on bus time from which a lost prober may have missed slots; null: no prober was
   * lost.
   */
  onChange(missedSince: number | null): void
}

export interface Presence {
  /**
   * Returns true if this prober makes the checks of a kind of the subject. At each location one prober makes them, of those that can. `kind`:
   * word of the kind.
   */
  owns(subjectHash: number, kind: string): boolean
  /** Returns the number of live probers of the location, including this one. */
  count(): number
  /** Writes the presence key, then again at each beat, and begins to call `onChange`. */
  announce(): Promise<void>
  /** Deletes the presence key and stops the beats. */
  leave(): Promise<void>
}

interface Peer {
  hash: number
  kinds: Abilities | null
  /** Instant of the latest sign of life of the prober, on this process's monotonic clock, ms. */
  heardAt: number
  /** Instant of the prober's latest beat on bus time, ms. */
  beatAt: number
}

const { beatMs, gapMs, goneMs, returnMs } = limits.presence
const tickMs = beatMs / 2

/** Resolves when the present members are known. */
export async function createPresence(options: PresenceOptions): Promise<Presence> {
  const { bus, clock, logger, locationId, proberId } = options
  const bucket = bus.bucket('presence')
  const ownKey = keys.proberPresence(locationId, proberId)
  const own = { hash: fnv1a32(proberId), id: proberId }
  const peers = new Map<string, Peer>()
  let ready = false
  let confirmedAt = clock.monotonic()
  /**
   * Instant at which the watch last showed an entry. The watch also shows the heartbeats of this prober itself. A heartbeat that the
   * bus accepts is not enough, because the watch may be broken at that time.
   */
  let heardAt = clock.monotonic()
  let tickedAt = clock.monotonic()
  /** Instant at which this prober was last paused or cut off, or the bucket had no leader. */
  let unheardAt = Number.NEGATIVE_INFINITY
  let beating = false
  let ticking: Repeated | null = null

  const changed = (missedSince: number | null) => void (ready && options.onChange(missedSince))
  const hear = (id: string, at: number, kinds: Abilities | null) => {
    const peer = peers.get(id)
    if (peer) {
      peer.heardAt = clock.monotonic()
      peer.beatAt = at
      if (isSameValue(peer.kinds, kinds)) return
      peer.kinds = kinds
      changed(null)
    } else if (options.busNow() - at < goneMs) {
      peers.set(id, { hash: fnv1a32(id), kinds, heardAt: clock.monotonic(), beatAt: at })
      logger.info({ location: locationId, peer: id }, 'prober joined the location')
      changed(null)
    }
  }
  const lose = (id: string, missedSince: number, how: string) => {
    if (!peers.delete(id)) return
    logger.info({ location: locationId, peer: id, how }, 'prober left the location')
    changed(missedSince)
  }
  const beat = async () => {
    if (beating) return
    beating = true
    try {
      await bucket.put(ownKey, { ...options.describe(), kinds: options.kinds, knows: latestNumber(migrations) })
      confirmedAt = clock.monotonic()
    } catch (error) {
      logger.debug({ err: error }, 'presence could not be written')
    } finally {
      beating = false
    }
  }
  const heed = () => {
    heardAt = clock.monotonic()
  }
  const watching = await watchMembers(bus, { locationId, proberId, heed, hear, lose })
  return {
    owns: (hash, kind) => canMake(options.kinds, kind) && outranksAll(own, ableOf(peers, kind), hash),
    count: () => peers.size + 1,
    announce: async () => {
      ready = true
      await beat()
      tickedAt = clock.monotonic()
      ticking = repeat({ clock, everyMs: tickMs }, tick)
    },
    leave: async () => {
      ready = false
      void ticking?.stop()
      await Promise.allSettled([bucket.delete(ownKey), watching.close()])
    },
  }

  /** Writes a beat. Removes probers that have had no beat for a long time, unless this prober itself was paused or cut off. */
  function tick(): void {
    const now = clock.monotonic()
    const paused = now - tickedAt > tickMs + gapMs
    const unheard = !bus.connected() || now - confirmedAt > gapMs || now - heardAt > gapMs
    tickedAt = now
    void beat()
    if (paused || unheard) unheardAt = now
    if (now - unheardAt < returnMs) return
    for (const [id, peer] of peers) if (now - peer.heardAt >= goneMs) lose(id, peer.beatAt, 'silent')
  }
}

interface MembersWatch {
  locationId: string
  proberId: string
  /** Called for every entry, including this prober's own. */
  heed(): void
  hear(id: string, at: number, kinds: Abilities | null): void
  lose(id: string, missedSince: number, how: string): void
}

async function watchMembers(bus: Bus, { locationId, proberId, heed, hear, lose }: MembersWatch): Promise<Subscription> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const subscription = await bus.bucket('presence').watch(keys.probersOf(locationId), {
    onReady: resolve,
    onEntry: entry => {
      heed()
      const id = parseProberPresence(entry.key)?.proberId
      if (id === undefined || id === proberId) return
      if (entry.value === null) lose(id, entry.at, 'stopped')
      else hear(id, entry.at, ableProber(entry.value).kinds)
    },
  })
  await promise
  return subscription
}

/**
 * Rendezvous hashing: the prober with the highest rank for a subject checks it, of those that can. When a prober joins or leaves, this method moves as few
 * subjects as possible.
 */
function outranksAll(own: { hash: number; id: string }, peers: Iterable<[string, Peer]>, subjectHash: number): boolean {
  const rank = rankOf(own.hash, subjectHash)
  for (const [id, peer] of peers) {
    const other = rankOf(peer.hash, subjectHash)
    if (other > rank || (other === rank && id > own.id)) return false
  }
  return true
}

/** Yields the other probers that can make checks of a kind. */
function* ableOf(peers: ReadonlyMap<string, Peer>, kind: string): Generator<[string, Peer]> {
  for (const peer of peers) if (canMake(peer[1].kinds, kind)) yield peer
}

/** Returns a pseudo-random number for each pair of hashes. */
export function rankOf(proberHash: number, subjectHash: number): number {
  let mixed = proberHash ^ Math.imul(subjectHash, 0x9e3779b1)
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
