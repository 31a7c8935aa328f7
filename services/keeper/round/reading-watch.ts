// Watch of the subjects on which somebody has just tried a rule. Publishes new readings of these subjects for the page that shows the
// trial, even if no rule reads the signal. The set of subjects is only in memory. If it is lost, the next trial begins a new watch, at any
// keeper.
import type { Bus } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import type { News } from '#shared/contracts/news.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Cancel, Clock } from '#shared/time/clock.ts'
import { isReporting } from '../step/observations/take-reports.ts'
import type { Input } from '../step/types.ts'

interface Watched {
  workspaceId: string
  /** End of the watch on the monotonic clock; `publishedAt`: latest publication, on the same clock. */
  until: number
  publishedAt: number
  /** Cancels the scheduled publication of a reading; null: none is scheduled. */
  cancel: Cancel | null
}

interface Stepped {
  id: string
  waiting: readonly { input: Input }[]
}

const bounds = limits.trial

export class ReadingWatch {
  readonly #bus: Pick<Bus, 'publish'>
  readonly #clock: Clock
  /** Watched subjects by id; the watch that ends first comes first. */
  readonly #watched = new Map<string, Watched>()

  constructor({ bus, clock }: { bus: Pick<Bus, 'publish'>; clock: Clock }) {
    this.#bus = bus
    this.#clock = clock
  }

  get size(): number {
    return this.#watched.size
  }

  /** Watches a subject because one of its rules was tried. If there are too many watches, the watch that ends first is removed. */
  watch({ id, workspaceId }: { id: string; workspaceId: string }): void {
    const known = this.#watched.get(id)
    this.#watched.delete(id)
    const now = this.#clock.monotonic()
    const { publishedAt = now - bounds.readingMs, cancel = null } = known ?? {}
    this.#watched.set(id, { workspaceId, until: now + bounds.watchMs, publishedAt, cancel })
    const [first] = this.#watched.keys()
    if (this.#watched.size > bounds.watchedSubjects && first !== undefined) this.#forget(first)
  }

  /** Publishes new readings of watched subjects. Call it when the drafts are in the cache. Costs nothing while no subject is watched. */
  heed(drafts: readonly Stepped[]): void {
    if (this.#watched.size === 0) return
    const now = this.#clock.monotonic()
    for (const [id, { until }] of this.#watched) {
      if (until > now) break
      this.#forget(id)
    }
    for (const { id, waiting } of drafts) {
      const watched = this.#watched.get(id)
      if (watched !== undefined && waiting.some(({ input }) => isReport(input))) this.#publishSoon(id, watched)
    }
  }

  stop(): void {
    for (const id of [...this.#watched.keys()]) this.#forget(id)
  }

  #publishSoon(id: string, watched: Watched): void {
    const waitMs = watched.publishedAt + bounds.readingMs - this.#clock.monotonic()
    if (waitMs <= 0) this.#publish(id)
    else watched.cancel ??= this.#clock.schedule(waitMs, () => this.#publish(id))
  }

  #publish(id: string): void {
    const watched = this.#watched.get(id)
    if (watched === undefined) return
    watched.cancel = null
    watched.publishedAt = this.#clock.monotonic()
    const news: News = { kind: 'reading', id }
    this.#bus.publish(subjects.state(watched.workspaceId, id), news)
  }

  #forget(id: string): void {
    this.#watched.get(id)?.cancel?.()
    this.#watched.delete(id)
  }
}

const isReport = (input: Input): boolean =>
  input.kind === 'result' || (input.kind === 'command' && (isReporting(input.command) || input.command.kind === 'first-report'))
