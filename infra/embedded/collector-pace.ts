// The pace of the garbage collector: how far the heap may grow between two full collections follows how fast it fills. A calm process
// stays small; a busy one collects every few seconds instead of several times a second, each of which would hold up every check
// and answer for as long as it takes. Knows V8's flags, nothing of the system (ADR 8).
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import type { Cancel, Clock } from '#shared/clock.ts'
import { limits } from '#shared/limits.ts'

export interface CollectorPace {
  stop(): void
}

/**
 * Follows the collections of this process from now on. Only where it was started with the flags that this one moves
 * (`infra/cli/watchkeeper.js`); elsewhere V8's own pace stays.
 */
export function followCollector(clock: Clock, execArgv: readonly string[] = process.execArgv): CollectorPace {
  const collect = globalThis.gc
  if (collect === undefined || !execArgv.some(flag => flag.startsWith(growthFlag))) return { stop: () => undefined }
  const growth = createGrowth()
  let cancel: Cancel | null = null
  // What a busy time has left behind would otherwise stay until the heap is full once more, which in a calm one takes minutes.
  const calmDown = () => {
    move(growth.calmed())
    void collect({ type: 'major', execution: 'async' })
  }
  const observer = new PerformanceObserver(list => {
    for (const entry of list.getEntries()) {
      if (!isFull(entry)) continue
      const percent = growth.collected(entry.startTime)
      move(percent)
      cancel?.()
      cancel = percent > limits.collector.calmPercent ? clock.after(limits.collector.calmAfterMs, calmDown) : null
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  return {
    stop: () => {
      observer.disconnect()
      cancel?.()
    },
  }
}

const growthFlag = '--heap-growing-percent='

/** V8 looks at them whenever it has collected: how far the heap may grow, what it gives back, how young objects get more room. */
function move(percent: number): void {
  const busy = percent > limits.collector.calmPercent
  setFlagsFromString(`${growthFlag}${percent}`)
  setFlagsFromString(busy ? '--no-memory-saver-mode' : '--memory-saver-mode')
  setFlagsFromString(`--semi-space-growth-factor=${busy ? 2 : 1}`)
}

const isFull = (entry: PerformanceEntry): boolean =>
  (entry as { detail?: { kind?: number } }).detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR

export interface Growth {
  /** A full collection began at `at`, ms. Answers the growth in percent of what lives that is to hold from the next one on. */
  collected(at: number): number
  /** The room that a busy time made is not wanted any more. Answers the least growth. */
  calmed(): number
}

/**
 * A collection sets the room until the next one, by the percent that was asked for before it: what is answered now holds one
 * collection later. Two of them close together say nothing: V8 makes some in pairs.
 */
export function createGrowth(): Growth {
  const { calmPercent, growthPercentMin, growthPercentMax, everyMs } = limits.collector
  let collectedAt: number | null = null
  let elapsedBefore = 0
  let inForce: number = growthPercentMin
  let asked: number = growthPercentMin
  return {
    collected: at => {
      if (collectedAt !== null) {
        const elapsedMs = Math.max(1, at - collectedAt)
        const wanted = (inForce * everyMs) / Math.max(elapsedMs, elapsedBefore)
        elapsedBefore = elapsedMs
        inForce = asked
        asked = wanted > calmPercent ? Math.round(Math.min(growthPercentMax, wanted)) : growthPercentMin
      }
      collectedAt = at
      return asked
    },
    calmed: () => {
      collectedAt = null
      elapsedBefore = 0
      inForce = growthPercentMin
      asked = growthPercentMin
      return asked
    },
  }
}
