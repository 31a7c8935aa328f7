// Presence of notifiers on the bus, so that a claim ends soon after its notifier has died. Each notifier announces itself. The others count
// it as absent if its key stays the same while keys of other processes change; time in which no key changes is not counted (ADR 48).
import { repeat } from '#shared/async/repeat.ts'
import type { BucketEntry } from '#shared/bus/port.ts'
import { keys, parseNotifierPresence } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits/limits.ts'
import { latestNumber, migrations } from '#shared/store/migrations/migrations.ts'
import { HeardTime } from '#shared/time/heard-time.ts'
import type { NotifierContext } from '../context.ts'

const { claimMs, presence: times } = limits.notifier

interface Handlers {
  /** Called at each look at which other notifiers may no longer see this notifier. */
  onUnseen(): void
  /** Called at each look with the notifiers that have become absent within the last `claimMs`. */
  onAbsent(notifierIds: readonly string[]): Promise<unknown>
}

export interface Presence {
  /**
   * True if no other notifier can count this notifier as absent yet, because its announcement was stored recently. False if it is alone: then
   * its claims need no presence.
   */
  isSeen(): boolean
  /** Begins to announce this notifier and to watch the others. Resolves after the first announcement, even if it failed. */
  start(handlers: Handlers): Promise<void>
  /** Ends the announcements and withdraws the last one. */
  stop(): Promise<void>
}

/** Presence of a notifier beside which no other can run. */
export const alone: Presence = { isSeen: () => false, start: async () => undefined, stop: async () => undefined }

type Options = Pick<NotifierContext, 'bus' | 'clock' | 'logger'> & { notifierId: string }

export function createPresence({ bus, clock, logger, notifierId }: Options): Presence {
  const bucket = bus.bucket('presence')
  const key = keys.notifierPresence(notifierId)
  const now = () => clock.monotonic()
  const others = new Others(now, notifierId)
  let announcedAt = Number.NEGATIVE_INFINITY
  let stop: () => Promise<void> = async () => undefined

  const announce = async () => {
    const at = now()
    try {
      await bucket.put(key, { knows: latestNumber(migrations) })
      announcedAt = at
    } catch (error) {
      logger.debug({ error: String(error) }, 'presence of the notifier not stored')
    }
  }
  const isSeen = () => now() - announcedAt < times.seenMs
  return {
    isSeen,
    start: async ({ onUnseen, onAbsent }) => {
      const watch = await bucket.watch(keys.allPresent, { onEntry: entry => others.meet(entry) })
      const announcing = repeat({ clock, everyMs: times.beatMs }, announce)
      const looking = repeat({ clock, everyMs: times.lookMs }, () => {
        if (!isSeen()) onUnseen()
        const absent = others.absent()
        return absent.length === 0 ? undefined : onAbsent(absent)
      })
      stop = async () => {
        await Promise.all([announcing.stop(), looking.stop(), watch.close().catch(() => undefined)])
        announcedAt = Number.NEGATIVE_INFINITY
        await bucket.delete(key).catch(() => undefined)
      }
      await announcing.soon()
    },
    stop: () => stop(),
  }
}

/** Other notifiers whose presence was seen. A notifier that never was, such as an older one, is not known to be absent. */
class Others {
  readonly #now: () => number
  readonly #self: string
  readonly #heard: HeardTime
  readonly #present = new Map<string, { revision: number; heardAt: number }>()
  /** Instants at which notifiers became absent. */
  readonly #absent = new Map<string, number>()

  constructor(now: () => number, self: string) {
    this.#now = now
    this.#self = self
    this.#heard = new HeardTime(now, times.gapMs)
  }

  meet({ key, value, revision }: BucketEntry): void {
    this.#heard.sign()
    const notifierId = parseNotifierPresence(key)
    if (notifierId === null || notifierId === this.#self) return
    if (value === null) {
      // Revision 0: the bus has lost the key, but the notifier may still run.
      if (revision !== 0 && this.#present.delete(notifierId)) this.#absent.set(notifierId, this.#now())
      return
    }
    // A reconnect repeats entries: the same revision is no sign of life.
    if (this.#present.get(notifierId)?.revision === revision) return
    this.#present.set(notifierId, { revision, heardAt: this.#heard.now() })
    this.#absent.delete(notifierId)
  }

  /** Returns the notifiers that have become absent within the last `claimMs`: older claims have ended by themselves. */
  absent(): string[] {
    for (const [notifierId, { heardAt }] of this.#present) {
      if (this.#heard.now() - heardAt < times.absentMs) continue
      this.#present.delete(notifierId)
      this.#absent.set(notifierId, this.#now())
    }
    for (const [notifierId, since] of this.#absent) if (this.#now() - since > claimMs) this.#absent.delete(notifierId)
    return [...this.#absent.keys()]
  }
}
