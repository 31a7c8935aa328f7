// The pace of the garbage collector: how far the heap may grow between two full collections follows how fast it fills. A calm process
// stays small; a busy one collects every few seconds instead of several times a second, each of which would hold up every check
// and answer for as long as it takes. Knows V8's flags, nothing of the system (ADR 8).
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { measureMemory } from 'node:vm'
import { limits } from '#shared/limits/limits.ts'
import type { Cancel, Clock } from '#shared/time/clock.ts'

export interface CollectorPace {
  /** Another thread whose full collections count too: V8's settings are those of the whole process. `collect` asks it for one. */
  join(collect: () => void): PacedThread
  stop(): void
}

export interface PacedThread {
  /** A full collection of this thread began at `at`, ms on its own clock. */
  collected(at: number): void
  leave(): void
}

const ignored: CollectorPace = { join: () => ({ collected: () => undefined, leave: () => undefined }), stop: () => undefined }

/**
 * Follows the collections of this process from now on. Only where it was started with the flags that this one moves
 * (`infra/cli/watchkeeper.js`); elsewhere V8's own pace stays.
 */
export function followCollector(clock: Clock, execArgv: readonly string[] = process.execArgv): CollectorPace {
  if (!execArgv.some(flag => flag.startsWith(growthFlag))) return ignored
  const threads = new Set<Growth>()
  const join = (collect: () => void): PacedThread => {
    const growth = createGrowth()
    let cancel: Cancel | null = null
    // The room of a busy time is filled too slowly. What that has left behind would otherwise stay until it is full once more.
    const calmDown = () => {
      growth.calmed()
      move(threads)
      collect()
    }
    threads.add(growth)
    return {
      collected: at => {
        growth.collected(at)
        move(threads)
        cancel?.()
        cancel = growth.busy() ? clock.schedule(growth.calmAfterMs(), calmDown) : null
      },
      leave: () => {
        cancel?.()
        threads.delete(growth)
        move(threads)
      },
    }
  }
  const own = join(collectNow)
  const stopObserving = observeCollections(own.collected)
  return {
    join,
    stop: () => {
      stopObserving()
      own.leave()
    },
  }
}

/** Calls back at each full collection of the calling thread. */
export function observeCollections(onFull: (at: number) => void): () => void {
  const observer = new PerformanceObserver(list => {
    for (const entry of list.getEntries()) if (isFull(entry)) onFull(entry.startTime)
  })
  observer.observe({ entryTypes: ['gc'] })
  return () => observer.disconnect()
}

/**
 * Makes a full collection of the calling thread within some 10 s, most of it beside its work: V8 makes one for a measurement of memory.
 * V8's own call (`gc`) holds up the thread from beginning to end: 110 to 160 ms with 10,000 monitors.
 */
export function collectNow(): void {
  measureMemory({ mode: 'summary', execution: 'default' }).catch(() => undefined)
}

const growthFlag = '--heap-growing-percent='

/** V8 looks at them whenever it has collected: how far the heap may grow, what it gives back, how young objects get more room. */
function move(threads: ReadonlySet<Growth>): void {
  const growths = [...threads]
  const busy = growths.some(growth => growth.busy())
  setFlagsFromString(`${growthFlag}${Math.max(limits.collector.calmPercent, ...growths.map(growth => growth.percent()))}`)
  setFlagsFromString(busy ? '--no-memory-saver-mode' : '--memory-saver-mode')
  setFlagsFromString(`--semi-space-growth-factor=${busy ? 2 : 1}`)
}

const isFull = (entry: PerformanceEntry): boolean =>
  (entry as { detail?: { kind?: number } }).detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR

/** A collection sets the room until the next one by what was asked for before it. */
export interface Growth {
  /** A full collection began at `at`, ms. */
  collected(at: number): void
  /** The busy time is over. */
  calmed(): void
  busy(): boolean
  /** By how much the heap may grow from the next collection on, in percent of what lives. */
  percent(): number
  /** Without a collection for this long, the room that holds now is filled so slowly that the busy time is over. */
  calmAfterMs(): number
}

/**
 * The process becomes busy when the heap fills fast twice in a row (once is a long answer, or a checkpoint), and stays busy until a call
 * makes it calm. The gap between the two rates keeps a load at the edge from swinging to and fro, each time at the price of giving
 * everything back.
 */
export function createGrowth(): Growth {
  const { calmPercent, pairMs, everyMs, busyPercentMin, busyPercentMax, busyPercentPerSecond, calmPercentPerSecond } =
    limits.collector
  let collectedAt = Number.NEGATIVE_INFINITY
  let hasFollower = false
  let wasFast = false
  let isBusy = false
  let inForce: number = calmPercent
  let asked: number = calmPercent

  const adapt = (elapsedMs: number) => {
    const wanted = (inForce * everyMs) / elapsedMs
    const isFast = inForce / (elapsedMs / 1_000) > busyPercentPerSecond
    isBusy ||= isFast && wasFast
    wasFast = isFast
    inForce = asked
    // Half the way: what was measured is the room of the last collection but one, and V8 also collects for other reasons.
    if (isBusy) asked = Math.round(Math.min(busyPercentMax, Math.max(busyPercentMin, (asked + wanted) / 2)))
  }
  return {
    collected: at => {
      hasFollower = !hasFollower && at - collectedAt < pairMs
      if (!hasFollower) adapt(at - collectedAt)
      collectedAt = at
    },
    calmed: () => {
      collectedAt = Number.NEGATIVE_INFINITY
      hasFollower = false
      wasFast = false
      isBusy = false
      inForce = calmPercent
      asked = calmPercent
    },
    busy: () => isBusy,
    percent: () => asked,
    calmAfterMs: () => (inForce / calmPercentPerSecond) * 1_000,
  }
}
