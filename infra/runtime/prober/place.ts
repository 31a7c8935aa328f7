// Place of the prober of this process: beside the other services while it has few checks, which costs no memory, in a thread of its own
// while it has many. It moves as one prober takes over from another: the new one checks before the old one leaves.
import { AggregatorRegistry } from 'prom-client'
import { limits } from '#shared/limits/limits.ts'
import type { Service, ServiceContext } from '#shared/service.ts'
import type { Cancel } from '#shared/time/clock.ts'
import type { MetricsJson, Probing, ProbingApart } from './probing.ts'

export interface Places {
  /** Starts one in this thread. `onLoad`: what it answers to `checksPerSecond` may have changed. */
  together(onLoad: () => void): Promise<Probing>
  /** Starts one in a thread of its own. */
  apart(onLoad: () => void): Promise<ProbingApart>
}

export interface PlacedProber extends Service {
  /** The figures of all probers that this process has had, added up, as text. */
  metrics(): Promise<string>
}

/** Resolves when a prober checks in this thread. Rejects where it could not start. */
export async function startPlacedProber(
  { clock, logger }: Pick<ServiceContext, 'clock' | 'logger'>,
  places: Places,
): Promise<PlacedProber> {
  const crew = createCrew()
  let current: Probing | null = null
  let isApart = false
  let noThreadUntil = Number.NEGATIVE_INFINITY
  let moving: Promise<void> | null = null
  let stopped = false
  let cancelLook: Cancel | null = null

  const take = (probing: Probing) => {
    crew.join(probing)
    current = probing
  }
  const move = async () => {
    const before = current
    if (isApart) take(await places.together(onLoad))
    else {
      const thread = await places.apart(onLoad)
      take(thread)
      void thread.ended.then(why => lose(thread, why))
    }
    isApart = !isApart
    logger.info({ apart: isApart }, 'prober moved')
    if (before !== null) await crew.retire(before)
  }
  /** A thread that ended by itself: the checks are made beside the other services until it is tried again. */
  const lose = (probing: Probing, why: string) => {
    if (stopped || probing !== current) return
    logger.error({ reason: why }, 'prober of this process ended')
    noThreadUntil = clock.monotonic() + limits.proberPlace.retryMs
    crew.lose(probing)
    current = null
    look()
  }
  const isPlaced = ({ checksPerSecond }: Probing) =>
    isApart ? checksPerSecond() >= limits.proberPlace.togetherBelow : checksPerSecond() < limits.proberPlace.apartFrom
  const lookIn = (ms: number) => {
    if (!stopped) cancelLook ??= clock.schedule(ms, look)
  }
  /** Monitors come and go in crowds: one look serves them all. */
  const onLoad = () => {
    if (current !== null) lookIn(limits.proberPlace.settleMs)
  }
  const look = () => {
    cancelLook?.()
    cancelLook = null
    if (stopped || moving !== null || (current !== null && isPlaced(current))) return
    const waitMs = noThreadUntil - clock.monotonic()
    if (!isApart && waitMs > 0) return lookIn(waitMs)
    moving = move()
      .catch(error => {
        noThreadUntil = clock.monotonic() + limits.proberPlace.retryMs
        logger.warn({ err: error }, 'prober could not move')
      })
      .finally(() => {
        moving = null
        lookIn(limits.proberPlace.settleMs)
      })
  }

  take(await places.together(onLoad))
  onLoad()
  return {
    unready: () => current?.unready() ?? ['No prober runs in this process at the moment: its checks are not made.'],
    metrics: crew.metrics,
    stop: async () => {
      stopped = true
      cancelLook?.()
      await moving
      await crew.stop()
    },
  }
}

/** All probers of the process that have something to say or to stop, and what those have counted that are gone. */
function createCrew() {
  const members = new Set<Probing>()
  // A total must not fall.
  let left: MetricsJson = []
  return {
    join: (probing: Probing) => void members.add(probing),
    lose: (probing: Probing) => void members.delete(probing),
    retire: async (probing: Probing) => {
      await probing.stop()
      const counted = (await probing.metrics()).filter(({ type }) => type !== 'gauge')
      left = await sumOf([left, counted]).getMetricsAsJSON()
      members.delete(probing)
    },
    metrics: async () => {
      const living = await Promise.all([...members].map(probing => probing.metrics()))
      return sumOf([left, ...living]).metrics()
    },
    stop: async () => void (await Promise.all([...members].map(probing => probing.stop()))),
  }
}

const sumOf = (figures: readonly MetricsJson[]) => AggregatorRegistry.aggregate([...figures])
