// When a gateway last said that it takes reports: by the presence of gateways on the bus (`services/gateway/presence.ts`).
import type { BucketEntry, Bus, Subscription } from '#shared/bus/port.ts'
import { keys } from '#shared/bus/subjects.ts'
import type { Clock } from '#shared/clock.ts'
import { limits } from '#shared/limits.ts'

export class Gateways {
  readonly #clock: Pick<Clock, 'monotonic'>
  /** By key, the newest revision and when it came. */
  readonly #seen = new Map<string, { revision: number; at: number }>()
  #heardAt: number | null = null
  /** Entries that were there before nobody knows for how long are no sign of life. */
  #isReady = false

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  /** The latest moment, on the monotonic clock, at which one of them took reports; null: none since this watch began. */
  get heardAt(): number | null {
    return this.#heardAt
  }

  /** Calls `onBeat` at each sign of life. */
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

  /** After a reconnect entries are repeated: the same revision is no sign of life. */
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
