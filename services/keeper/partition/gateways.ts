// Signs of life of gateways, from their presence on the bus (`services/gateway/presence.ts`).
import type { BucketEntry, Bus, Subscription } from '#shared/bus/port.ts'
import { keys } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Clock } from '#shared/time/clock.ts'

export class Gateways {
  readonly #clock: Pick<Clock, 'monotonic'>
  /** Newest revision of each gateway's entry and the instant of its arrival, by key. */
  readonly #seen = new Map<string, { revision: number; at: number }>()
  #heardAt: number | null = null
  /** True once all entries from before the watch have arrived. The age of these entries is unknown, so they are no sign of life. */
  #isReady = false

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  /** Latest instant at which a gateway accepted reports, on the monotonic clock; null: no gateway did since this watch began. */
  get heardAt(): number | null {
    return this.#heardAt
  }

  async watch(bus: Bus, onBeat: () => void): Promise<Subscription> {
    return bus.bucket('presence').watch(keys.allGateways, {
      onEntry: entry => {
        if (this.#note(entry)) onBeat()
      },
      onReady: () => {
        this.#isReady = true
      },
    })
  }

  /** Returns whether the entry is a sign of life. After a reconnect entries are repeated: an unchanged revision is no sign of life. */
  #note({ key, value, revision }: BucketEntry): boolean {
    const at = this.#clock.monotonic()
    for (const [known, seen] of this.#seen) if (at - seen.at > limits.bus.presenceAgeMs) this.#seen.delete(known)
    if (value === null) {
      this.#seen.delete(key)
      return false
    }
    const isNews = this.#isReady && this.#seen.get(key)?.revision !== revision
    this.#seen.set(key, { revision, at })
    if (isNews) this.#heardAt = at
    return isNews
  }
}
