// Live probers of all locations, according to the presence bucket. A prober is gone if its key has not changed for `limits.presence.goneMs`
// while keys of other processes changed. Time in which no key changes is not counted, because then the bucket has no leader, or this
// process is cut off (ADR 24). The value of a key says what the prober can check, and is not trusted.
import type { Bucket, BucketEntry, Subscription } from '#shared/bus/port.ts'
import { keys, parseProberPresence } from '#shared/bus/subjects.ts'
import { type Abilities, type AbleProber, ableProber } from '#shared/checks/abilities.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Clock } from '#shared/time/clock.ts'
import { HeardTime } from '#shared/time/heard-time.ts'

export interface ProberPresence {
  /** Returns the number of live probers of a location. */
  activeWorkers(locationId: string): number
  /** Returns the live probers of a location. */
  probersAt(locationId: string): AbleProber[]
  /** Returns the locations that have had a prober since the watch began. */
  locations(): string[]
  /**
   * Returns the instant of the newest heartbeat from a location's probers since the watch began, ms since the epoch on bus time. Null: no
   * heartbeat came.
   */
  lastSeenAt(locationId: string): number | null
  /**
   * True if any process sent a heartbeat recently. Also true if no process sent one for a minute, because then all processes count as gone.
   */
  isHearing(): boolean
  close(): Promise<void>
}

/** One heartbeat of a prober, or its sign-off. */
export interface ProberSign {
  locationId: string
  proberId: string
  /** Bus time, ms since the epoch. */
  at: number
  /** True if the prober removed its key: a clean stop. */
  isEnd: boolean
  /** Kinds of checks that the prober knows; null: it is older than they are, or has stopped. */
  kinds: Abilities | null
}

interface Seen {
  prober: AbleProber
  revision: number
  /** Instant of the last change, ms of the monotonic clock. `heardAt`: the same instant, ms of `HeardTime`. */
  changedAt: number
  heardAt: number
}

/**
 * Resolves when all present keys were read, so that no caller takes a live prober for none. Each of them counts as one heartbeat. `onSign` is called once for each new
 * revision.
 */
export async function watchProbers(
  presence: Pick<Bucket, 'watch'>,
  clock: Clock,
  onSign: (sign: ProberSign) => void = () => undefined,
): Promise<ProberPresence> {
  const locations = new Map<string, Map<string, Seen>>()
  const lastSeen = new Map<string, number>()
  const heard = new HeardTime(() => clock.monotonic(), limits.presence.gapMs)
  const isGone = ({ changedAt, heardAt }: Seen) =>
    heard.now() - heardAt >= limits.presence.goneMs || clock.monotonic() - changedAt >= limits.bus.presenceAgeMs
  // After this time the key has expired from the bucket, so a reconnect cannot deliver it again.
  const isForgotten = (seen: Seen) => clock.monotonic() - seen.changedAt >= 2 * limits.bus.presenceAgeMs

  const meet = ({ key, revision, value, at }: BucketEntry) => {
    heard.sign()
    const parsed = parseProberPresence(key)
    if (!parsed) return
    const { locationId, proberId } = parsed
    const probers = locations.get(locationId) ?? new Map<string, Seen>()
    // A reconnect repeats entries: the same revision is not a sign of life.
    if (probers.get(proberId)?.revision === revision) return
    for (const [id, seen] of probers) if (isForgotten(seen)) probers.delete(id)
    const prober = ableProber(value)
    if (value === null) probers.delete(proberId)
    else probers.set(proberId, { prober, revision, changedAt: clock.monotonic(), heardAt: heard.now() })
    locations.set(locationId, probers)
    // Revision 0: the bus has lost the key, but the prober may still run.
    if (revision === 0) return
    lastSeen.set(locationId, Math.max(at, lastSeen.get(locationId) ?? 0))
    onSign({ locationId, proberId, at, isEnd: value === null, kinds: prober.kinds })
  }
  const { promise: ready, resolve: onReady } = Promise.withResolvers<void>()
  const subscription: Subscription = await presence.watch(keys.allPresent, { onEntry: meet, onReady })
  await ready
  const liveAt = (locationId: string) => [...(locations.get(locationId)?.values() ?? [])].filter(seen => !isGone(seen))
  return {
    activeWorkers: locationId => liveAt(locationId).length,
    probersAt: locationId => liveAt(locationId).map(({ prober }) => prober),
    locations: () => [...locations.keys()],
    lastSeenAt: locationId => lastSeen.get(locationId) ?? null,
    isHearing: () => {
      const silentMs = heard.sinceSignMs()
      return silentMs <= limits.presence.gapMs || silentMs >= limits.bus.presenceAgeMs
    },
    close: () => subscription.close(),
  }
}
