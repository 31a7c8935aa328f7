// Place of the prober in a process with other services. It runs inline while it has few checks, which saves 35 MB. From 250 checks a second
// on it runs in a worker thread: lateness p99 at 400 a second was 5.7 ms with the thread, 20.1 inline (ADR 14, 33). It moves once: the prober
// of the thread checks before the inline prober leaves.
import { AggregatorRegistry } from 'prom-client'
import { repeat } from '#shared/async/repeat.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Service, ServiceContext } from '#shared/service.ts'
import type { MetricsJson, ProberThread } from './messages.ts'

export interface InlineProber extends Service {
  /** Returns the checks a second that its monitors need. */
  checksPerSecond(): number
  metrics(): Promise<MetricsJson>
}

export interface Places {
  /** Starts a prober in this thread. */
  inline(): Promise<InlineProber>
  /** Starts a prober in a worker thread. `missedSince`: end of the previous thread, ms since the epoch; null: there was none. */
  thread(missedSince: number | null): Promise<ProberThread>
}

export interface PlacedProber extends Service {
  /** Returns the sum of the metrics of both places, as text. */
  metrics(): Promise<string>
}

/** Resolves when a prober checks in this thread. Rejects if it could not start. */
export async function startPlacedProber(
  { clock, logger }: Pick<ServiceContext, 'clock' | 'logger'>,
  places: Places,
): Promise<PlacedProber> {
  const inline = await places.inline()
  let thread = null as ProberThread | null
  let hasMoved = false
  let endedAt: number | null = null
  let isStopped = false

  const move = async () => {
    if (thread !== null || (!hasMoved && inline.checksPerSecond() < limits.proberPlace.threadFrom)) return
    const started = await places.thread(endedAt)
    thread = started
    void started.ended.then(reason => {
      thread = null
      endedAt = clock.now()
      if (!isStopped) logger.error({ reason }, 'prober of this process ended')
    })
    if (hasMoved) return
    hasMoved = true
    logger.info('prober moved to a thread')
    await inline.stop()
  }
  const { lookMs: everyMs, retryMs: errorMs } = limits.proberPlace
  const moving = repeat({ clock, everyMs, errorMs, onError: err => logger.warn({ err }, 'prober could not move') }, move)
  return {
    unready: () => {
      if (hasMoved && thread === null) return ['No prober runs in this process at the moment: its checks are not made.']
      return (thread ?? inline).unready()
    },
    metrics: async () => {
      const figures = await inline.metrics()
      // Counters of the inline prober stay, because a total must not fall.
      const counted = hasMoved ? figures.filter(({ type }) => type !== 'gauge') : figures
      return AggregatorRegistry.aggregate(thread === null ? [counted] : [counted, await thread.metrics()]).metrics()
    },
    stop: async () => {
      isStopped = true
      await moving.stop()
      await (thread ?? inline).stop()
    },
  }
}
