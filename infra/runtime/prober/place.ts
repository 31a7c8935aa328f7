// Choice of the prober's thread in a process that has other services, too. With few checks, the prober runs inline, in the main thread,
// which saves 35 MB of memory. From 250 checks a second on, the prober runs in a worker thread. At 400 checks a second, the p99 of the
// checks' lateness was 5.7 ms in the thread and 20.1 ms inline (ADR 14, 33). The prober in the thread starts its checks before the inline
// prober stops. If the thread ends, an inline prober takes over, and a later attempt starts a new thread.
import { AggregatorRegistry } from 'prom-client'
import { type Repeated, repeat } from '#shared/async/repeat.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Service, ServiceContext } from '#shared/service.ts'
import type { MetricsJson, ProberThread } from './messages.ts'

export interface InlineProber extends Service {
  /** Returns the checks per second that the monitors of this prober need. */
  checksPerSecond(): number
  metrics(): Promise<MetricsJson>
}

export interface Places {
  /**
   * Starts a prober in this thread. `missedSince`: instant on bus time since which checks may be missing; null: since the start of this
   * prober.
   */
  inline(missedSince: number | null): Promise<InlineProber>
  /** Starts a prober in a worker thread. `missedSince`: as for `inline`. */
  thread(missedSince: number | null): Promise<ProberThread>
  /**
   * Removes the presence of an ended thread. Otherwise other probers would wait for the thread. Returns the instant on bus time from
   * which checks of the thread may be missing; null: unknown.
   */
  removeThread(): Promise<number | null>
}

export interface PlacedProber extends Service {
  /** Returns the sum of the metrics of all probers that this process has had, as text. */
  metrics(): Promise<string>
}

type PlaceContext = Pick<ServiceContext, 'clock' | 'logger'>

export interface PlaceOptions {
  /** As for `Places.inline`. */
  missedSince: number | null
  /** True if many checks are expected: the prober starts in a thread, and in this thread only if that fails. */
  startsInThread: boolean
}

/** Resolves once a prober has started its checks; rejects if it cannot start. */
export async function startPlacedProber(
  context: PlaceContext,
  places: Places,
  { missedSince, startsInThread }: PlaceOptions = { missedSince: null, startsInThread: false },
): Promise<PlacedProber> {
  const thread = startsInThread
    ? await places.thread(missedSince).catch(error => {
        context.logger.warn({ err: error }, 'prober could not start in a thread')
        return null
      })
    : null
  return new Place(context, places, thread ?? (await places.inline(missedSince)))
}

const { lookMs, retryMs, threadFrom } = limits.proberPlace

class Place implements PlacedProber {
  readonly #context: PlaceContext
  readonly #places: Places
  readonly #looking: Repeated
  #inline: InlineProber | null = null
  #thread: ProberThread | null = null
  #hasThreadEnded = false
  #isStopped = false
  #missedSince: number | null = null
  /** Pause after the end of a thread, before the next attempt to start a thread, ms. */
  #pauseMs: number = lookMs
  /** Instant from which a thread may start, ms on the monotonic clock. */
  #threadFrom = Number.NEGATIVE_INFINITY
  /** Metrics of probers that have stopped. They are added to the totals, because a total must not fall. */
  #kept: MetricsJson = []

  constructor(context: PlaceContext, places: Places, first: InlineProber | ProberThread) {
    this.#context = context
    this.#places = places
    if ('ended' in first) this.#follow(first)
    else this.#inline = first
    const { clock, logger } = context
    const onError = (err: unknown) => logger.warn({ err }, 'prober could not move')
    this.#looking = repeat({ clock, everyMs: lookMs, onError }, () => this.#look())
  }

  unready(): string[] {
    const prober = this.#hasThreadEnded ? this.#inline : (this.#thread ?? this.#inline)
    return prober?.unready() ?? ['No prober runs in this process at the moment: its checks are not made.']
  }

  async metrics(): Promise<string> {
    const ofThread = this.#hasThreadEnded ? countersOf(this.#thread) : this.#thread?.metrics()
    const figures = await Promise.all([this.#kept, this.#inline?.metrics() ?? [], ofThread ?? []])
    return AggregatorRegistry.aggregate(figures).metrics()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#looking.stop()
    await Promise.all([this.#inline?.stop(), this.#thread?.stop()])
  }

  /** Starts or stops at most one prober. The call after the thread's start stops the inline prober, if the thread still lives. */
  async #look(): Promise<void> {
    if (this.#hasThreadEnded) await this.#forgetThread()
    const { clock, logger } = this.#context
    if (this.#thread !== null) {
      if (this.#inline === null) return
      await this.#inline.stop()
      this.#kept = await this.#keptWith(this.#inline)
      this.#inline = null
      logger.info('prober moved to a thread')
    } else if (this.#inline === null) {
      this.#inline = await this.#places.inline(this.#missedSince)
    } else if (clock.monotonic() >= this.#threadFrom && this.#inline.checksPerSecond() >= threadFrom) {
      await this.#startThread()
    }
  }

  async #startThread(): Promise<void> {
    try {
      // The inline prober has made the checks so far.
      this.#follow(await this.#places.thread(null))
    } catch (error) {
      this.#postponeThread()
      throw error
    }
  }

  #follow(thread: ProberThread): void {
    const { clock, logger } = this.#context
    const startedAt = clock.monotonic()
    this.#thread = thread
    void thread.ended.then(reason => {
      if (this.#isStopped) return
      logger.error({ reason }, 'prober of this process ended')
      this.#hasThreadEnded = true
      if (clock.monotonic() - startedAt >= retryMs) this.#pauseMs = lookMs
      this.#postponeThread()
      void this.#looking.soon()
    })
  }

  #postponeThread(): void {
    this.#threadFrom = this.#context.clock.monotonic() + this.#pauseMs
    this.#pauseMs = Math.min(this.#pauseMs * 2, retryMs)
  }

  async #forgetThread(): Promise<void> {
    const kept = await this.#keptWith(this.#thread)
    this.#missedSince = await this.#places.removeThread()
    this.#kept = kept
    this.#thread = null
    this.#hasThreadEnded = false
  }

  async #keptWith(left: InlineProber | ProberThread | null): Promise<MetricsJson> {
    return AggregatorRegistry.aggregate([this.#kept, await countersOf(left)]).getMetricsAsJSON()
  }
}

async function countersOf(prober: InlineProber | ProberThread | null): Promise<MetricsJson> {
  const figures = (await prober?.metrics()) ?? []
  return figures.filter(({ type }) => type !== 'gauge')
}
