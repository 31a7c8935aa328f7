// Other keepers, known from the presence bucket: when their stores last responded, and when the set of keepers last changed.
import type { BucketEntry } from '#shared/bus/port.ts'
import { parseKeeperPresence } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits/limits.ts'
import { HeardTime } from '#shared/time/heard-time.ts'

/** Number of heartbeats without which a peer gets no partition. */
const missedBeats = 2.5

interface Peer {
  revision: number
  since: number
  /**
   * Instant at which the store last responded to the peer, on this process's monotonic clock; null: unknown, because the peer's version does
   * not say it.
   */
  storedAt: number | null
}

export class Peers {
  readonly #self: string
  readonly #monotonic: () => number
  readonly #heard: HeardTime
  readonly #peers = new Map<string, Peer>()
  #changedAt: number

  constructor(self: string, monotonic: () => number) {
    this.#self = self
    this.#monotonic = monotonic
    this.#heard = new HeardTime(monotonic, limits.presence.gapMs)
    this.#changedAt = monotonic()
  }

  get count(): number {
    return this.#peers.size
  }

  /** Records one entry of the presence bucket. This keeper's own entry is no peer: it only shows that the bucket delivers entries. */
  meet({ key, value, revision }: BucketEntry): void {
    this.#heard.sign()
    const keeperId = parseKeeperPresence(key)
    if (keeperId === null || keeperId === this.#self) return
    const now = this.#monotonic()
    if (value === null) {
      if (this.#peers.delete(keeperId)) this.#changedAt = now
      return
    }
    const known = this.#peers.get(keeperId)
    if (known === undefined) this.#changedAt = now
    if (known?.revision === revision) return
    const { storeSilentMs } = value as { storeSilentMs?: number }
    const storedAt = typeof storeSilentMs === 'number' ? now - storeSilentMs : null
    this.#peers.set(keeperId, { revision, since: this.#heard.now(), storedAt })
  }

  /** Removes the peers whose last entry is too old. */
  forgetGone(): void {
    for (const [peer, { since }] of this.#peers) {
      if (this.#heard.now() - since < limits.presence.goneMs) continue
      this.#peers.delete(peer)
      this.#changedAt = this.#monotonic()
    }
  }

  /** Returns the ids of the peers that certainly live and have their store; empty if the set of keepers has just changed. */
  settled(): string[] {
    const now = this.#monotonic()
    if (now - this.#changedAt < limits.keeper.leaseRenewMs) return []
    // The leases of a dead peer may be taken before it counts as gone: nothing must be given to it meanwhile.
    const aliveSince = this.#heard.now() - missedBeats * limits.presence.beatMs
    // A peer says it at each beat, so its latest word may be an interval old.
    const storedSince = now - limits.keeper.deafMs - limits.presence.beatMs
    const canTake = ({ since, storedAt }: Peer) => since > aliveSince && (storedAt === null || storedAt >= storedSince)
    return [...this.#peers].filter(([, peer]) => canTake(peer)).map(([keeperId]) => keeperId)
  }

  /** Returns the ids of the live peers to which the store has responded after the instant, on this process's monotonic clock. */
  storedAfter(instant: number): string[] {
    return [...this.#peers].filter(([, { storedAt }]) => storedAt !== null && storedAt > instant).map(([keeperId]) => keeperId)
  }
}
