// Live probers of every location, as the presence bucket shows them. A prober whose key has not changed for limits.presence.goneMs, while
// somebody's key changed, is gone: where nobody's does, the bucket has no leader or is not heard here (ADR 24). Never trusts the content of a key.
import type { Bucket, BucketEntry, Subscription } from '#shared/bus/port.ts'
import { keys, parseProberPresence } from '#shared/bus/subjects.ts'
import type { Clock } from '#shared/clock.ts'
import { HeardTime } from '#shared/heard-time.ts'
import { limits } from '#shared/limits.ts'

export interface ProberPresence {
  /** Live probers of a location. */
  activeWorkers(locationId: string): number
  /** The newest beat of any prober of a location since this process watches, ms since the epoch on the bus's clock; null: none. */
  lastSeenAt(locationId: string): number | null
  /** Whether anybody in the installation was heard lately. After a minute of silence that is no question any more: true. */
  isHearing(): boolean
  close(): Promise<void>
}

/** One beat of a prober, or the end of it. */
export interface ProberSign {
  locationId: string
  proberId: string
  /** The bus's time, ms since the epoch. */
  at: number
  /** The prober removed its key: a clean stop. */
  isEnd: boolean
}

interface Seen {
  revision: number
  /** On the monotonic clock, and in the time in which somebody was heard. */
  changedAt: number
  heardAt: number
}

/**
 * Resolves once the watch stands. Each key that was there before counts as one beat. `onSign` gets each new revision once, also the
 * newest one of a key that changed while the bus was away.
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
  // Its key has left the bucket by then, so a reconnect can't repeat it.
  const isForgotten = (seen: Seen) => clock.monotonic() - seen.changedAt >= 2 * limits.bus.presenceAgeMs

  const meet = ({ key, revision, value, at }: BucketEntry) => {
    heard.sign()
    const parsed = parseProberPresence(key)
    if (!parsed) return
    const { locationId, proberId } = parsed
    const probers = locations.get(locationId) ?? new Map<string, Seen>()
    // After a reconnect entries are repeated: the same revision is no sign of life.
    if (probers.get(proberId)?.revision === revision) return
    for (const [id, seen] of probers) if (isForgotten(seen)) probers.delete(id)
    if (value === null) probers.delete(proberId)
    else probers.set(proberId, { revision, changedAt: clock.monotonic(), heardAt: heard.now() })
    locations.set(locationId, probers)
    // Revision 0: the bus has lost the key, which says nothing of its prober.
    if (revision === 0) return
    lastSeen.set(locationId, Math.max(at, lastSeen.get(locationId) ?? 0))
    onSign({ locationId, proberId, at, isEnd: value === null })
  }
  const subscription: Subscription = await presence.watch(keys.allPresent, { onEntry: meet })
  return {
    activeWorkers: locationId => [...(locations.get(locationId)?.values() ?? [])].filter(seen => !isGone(seen)).length,
    lastSeenAt: locationId => lastSeen.get(locationId) ?? null,
    isHearing: () => {
      const silentMs = heard.sinceSignMs()
      return silentMs <= limits.presence.gapMs || silentMs >= limits.bus.presenceAgeMs
    },
    close: () => subscription.close(),
  }
}
