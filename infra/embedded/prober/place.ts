// Where the prober of this process runs: beside the other services while it has few checks, which costs no memory, in a thread of its
// own while it has many. It moves as one prober takes over from another: the new one checks before the old one leaves.
import type { Cancel } from '#shared/clock.ts'
import { limits } from '#shared/limits.ts'
import type { Service, Surroundings } from '#shared/service.ts'
import type { MetricsJson, Probing, ProbingApart } from './probing.ts'

export interface Places {
  /** Starts one in this thread. */
  together(): Promise<Probing>
  /** Starts one in a thread of its own. */
  apart(): Promise<ProbingApart>
}

export interface PlacedProber extends Service {
  /** The figures of all probers that this process has had, to be added up. */
  metrics(): Promise<MetricsJson[]>
}

/** Resolves when a prober checks in this thread. Rejects where it could not start. */
export async function startPlacedProber(
  { clock, logger }: Pick<Surroundings, 'clock' | 'logger'>,
  places: Places,
): Promise<PlacedProber> {
  /** All that may have something to say or to stop. */
  const known = new Set<Probing>()
  /** What those counted that are gone: a total must not fall. */
  const left: MetricsJson[] = []
  let current: Probing | null = null
  let isApart = false
  let noThreadUntil = Number.NEGATIVE_INFINITY
  let moving: Promise<void> | null = null
  let stopped = false
  let cancel: Cancel = () => undefined

  const take = (probing: Probing) => {
    known.add(probing)
    current = probing
  }
  const retire = async (probing: Probing) => {
    await probing.stop()
    left.push((await probing.metrics()).filter(({ type }) => type !== 'gauge'))
    known.delete(probing)
  }
  const move = async () => {
    const before = current
    if (isApart) take(await places.together())
    else {
      const thread = await places.apart()
      take(thread)
      void thread.ended.then(why => lose(thread, why))
    }
    isApart = !isApart
    logger.info({ apart: isApart }, 'The prober moved.')
    if (before !== null) await retire(before)
  }
  /** A thread that ended by itself: the checks are made beside the other services until it is tried again. */
  const lose = (probing: Probing, why: string) => {
    if (stopped || probing !== current) return
    logger.error({ reason: why }, 'The prober of this process ended; another takes its place.')
    noThreadUntil = clock.monotonic() + limits.proberPlace.retryMs
    known.delete(probing)
    current = null
    look()
  }
  const isPlaced = () => {
    if (current === null) return false
    const rate = current.checksPerSecond()
    if (isApart) return rate >= limits.proberPlace.togetherBelow
    return rate < limits.proberPlace.apartFrom || clock.monotonic() < noThreadUntil
  }
  const look = () => {
    cancel()
    if (stopped) return
    cancel = clock.after(limits.proberPlace.lookMs, look)
    if (moving !== null || isPlaced()) return
    moving = move()
      .catch(error => {
        noThreadUntil = clock.monotonic() + limits.proberPlace.retryMs
        logger.warn({ err: error }, 'The prober could not move; it is tried again.')
      })
      .finally(() => {
        moving = null
      })
  }

  take(await places.together())
  cancel = clock.after(limits.proberPlace.lookMs, look)
  return {
    unready: () => current?.unready() ?? ['No prober runs in this process at the moment: its checks are not made.'],
    metrics: async () => [...left, ...(await Promise.all([...known].map(probing => probing.metrics())))],
    stop: async () => {
      stopped = true
      cancel()
      await moving
      await Promise.all([...known].map(probing => probing.stop()))
    },
  }
}
