// Other keepers, known from the presence bucket, and when the set of keepers last changed.
import type { BucketEntry } from '#shared/bus/port.ts'
import { parseKeeperPresence } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits/limits.ts'
import { HeardTime } from '#shared/time/heard-time.ts'

/** Number of heartbeats without which a peer gets no partition. */
const missedBeats = 2.5

export class Peers {
  readonly #self: string
  readonly #monotonic: () => number
  readonly #heard: HeardTime
  readonly #peers = new Map<string, { revision: number; since: number }>()
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
    this.#peers.set(keeperId, { revision, since: this.#heard.now() })
  }

  /** Removes the peers whose last entry is too old. */
  forgetGone(): void {
    for (const [peer, { since }] of this.#peers) {
      if (this.#heard.now() - since < limits.presence.goneMs) continue
      this.#peers.delete(peer)
      this.#changedAt = this.#monotonic()
    }
  }

  /** Returns the ids of the peers that certainly live; empty if the set of keepers has just changed. */
  settled(): string[] {
    if (this.#monotonic() - this.#changedAt < limits.keeper.leaseRenewMs) return []
    // The leases of a dead peer may be taken before it counts as gone: nothing must be given to it meanwhile.
    const since = this.#heard.now() - missedBeats * limits.presence.beatMs
    return [...this.#peers].filter(([, peer]) => peer.since > since).map(([keeperId]) => keeperId)
  }
}
