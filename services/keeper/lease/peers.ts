// Other keepers, known from the presence bucket: how many partitions each keeper holds, and when the set of keepers last changed.
import type { BucketEntry } from '#shared/bus/port.ts'
import { parseKeeperPresence } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits/limits.ts'
import { HeardTime } from '#shared/time/heard-time.ts'

export class Peers {
  readonly #self: string
  readonly #monotonic: () => number
  readonly #heard: HeardTime
  readonly #peers = new Map<string, { revision: number; held: number; since: number }>()
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
    this.#peers.set(keeperId, { revision, held: (value as { held?: number }).held ?? 0, since: this.#heard.now() })
  }

  /** Removes the peers whose last entry is too old. */
  forgetGone(): void {
    for (const [peer, { since }] of this.#peers) {
      if (this.#heard.now() - since < limits.presence.goneMs) continue
      this.#peers.delete(peer)
      this.#changedAt = this.#monotonic()
    }
  }

  /** Returns the live peer that holds the fewest partitions; null if no other keeper lives or the set of keepers has just changed. */
  neediest(): { keeperId: string; held: number } | null {
    if (this.#monotonic() - this.#changedAt < limits.keeper.leaseRenewMs) return null
    let neediest: { keeperId: string; held: number } | null = null
    for (const [keeperId, { held }] of this.#peers) if (neediest === null || held < neediest.held) neediest = { keeperId, held }
    return neediest
  }
}
