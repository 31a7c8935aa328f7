// Frequency of garbage collections: the faster the heap fills, the further it may grow between two full collections. The heap of a calm
// process stays small. A busy process collects garbage every few seconds instead of several times a second, because a collection delays
// every check and response. This file knows V8's flags, but nothing of the system (ADR 8). In one comparison, 10,000 monitors took 267 MB of
// memory, and 340 MB with V8's own frequency of collections (ADR 33).
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { measureMemory } from 'node:vm'
import { limits, second } from '#shared/limits/limits.ts'
import type { Cancel, Clock } from '#shared/time/clock.ts'

export interface CollectorPace {
  /**
   * Adds another thread of the process. Its heap counts too, because V8's flags apply to the whole process. `collect` makes a full garbage
   * collection of the added thread.
   */
  join(collect: () => void): PacedThread
  stop(): void
}

export interface PacedThread {
  /** Called when a full garbage collection of this thread began. `at`: beginning, ms on the thread's clock. */
  collected(at: number): void
  leave(): void
}

interface OwnThread extends PacedThread {
  /** Called when a collection of the young generation began. `at`: beginning, ms. */
  collectedYoung(at: number): void
}

const ignored: CollectorPace = { join: () => ({ collected: () => undefined, leave: () => undefined }), stop: () => undefined }

/**
 * Observes the garbage collections of this process from now on, and changes V8's flags. Changes nothing if the process started without the
 * flag that `infra/cli/watchkeeper.js` sets. `observe`: observes the collections of the calling thread.
 */
export function followCollector(
  clock: Clock,
  execArgv: readonly string[] = process.execArgv,
  observe = observeCollections,
): CollectorPace {
  if (!execArgv.some(flag => flag.startsWith(growthFlag))) return ignored
  const threads = new Set<Growth>()
  const join = (collect: () => void): OwnThread => {
    const growth = createGrowth()
    let cancel: Cancel | null = null
    // The heap now fills slowly. Without this garbage collection, garbage of the busy time would stay until the large heap is full again.
    const calmDown = () => {
      growth.calmed()
      move(threads)
      collect()
    }
    const follow = () => {
      move(threads)
      cancel?.()
      cancel = growth.busy() ? clock.schedule(growth.calmAfterMs(), calmDown) : null
    }
    threads.add(growth)
    growth.begun()
    move(threads)
    const cancelStart = clock.schedule(limits.collector.startMs, calmDown)
    return {
      collected: at => {
        growth.collected(at)
        follow()
      },
      collectedYoung: at => {
        if (growth.collectedYoung(at)) follow()
      },
      leave: () => {
        cancelStart()
        cancel?.()
        threads.delete(growth)
        move(threads)
      },
    }
  }
  const own = join(collectNow)
  const stopObserving = observe(own.collected, own.collectedYoung)
  return {
    join,
    stop: () => {
      stopObserving()
      own.leave()
    },
  }
}

/** Calls `onFull` at each full collection of the calling thread, and `onYoung` at each collection of its young generation. */
export function observeCollections(onFull: (at: number) => void, onYoung: (at: number) => void = () => undefined): () => void {
  const observer = new PerformanceObserver(list => {
    for (const entry of list.getEntries()) {
      const kind = kindOf(entry)
      if (kind === constants.NODE_PERFORMANCE_GC_MAJOR) onFull(entry.startTime)
      if (kind === constants.NODE_PERFORMANCE_GC_MINOR) onYoung(entry.startTime)
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  return () => observer.disconnect()
}

/**
 * Requests a full garbage collection of the calling thread: V8 makes one for every measurement of memory. The measurement takes some 10 s,
 * mostly concurrent with the thread's work. V8's own call (`gc`) would block the thread for 110 to 160 ms with 10,000 monitors.
 */
export function collectNow(): void {
  measureMemory({ mode: 'summary', execution: 'default' }).catch(() => undefined)
}

const growthFlag = '--heap-growing-percent='

/**
 * Sets three flags of V8: growth of the heap, release of memory, growth of the young generation. They apply after the next garbage
 * collection.
 */
function move(threads: ReadonlySet<Growth>): void {
  const growths = [...threads]
  const busy = growths.some(growth => growth.busy())
  setFlagsFromString(`${growthFlag}${Math.max(limits.collector.calmPercent, ...growths.map(growth => growth.percent()))}`)
  setFlagsFromString(busy ? '--no-memory-saver-mode' : '--memory-saver-mode')
  setFlagsFromString(`--semi-space-growth-factor=${busy ? 2 : 1}`)
}

const kindOf = (entry: PerformanceEntry) => (entry as { detail?: { kind?: number } }).detail?.kind

/** Growth of the heap of one thread. V8 applies a new growth only after the next full garbage collection. */
export interface Growth {
  /** Called when a full garbage collection began. `at`: beginning, ms. */
  collected(at: number): void
  /** Called when a collection of the young generation began. Returns true if the process becomes busy. `at`: beginning, ms. */
  collectedYoung(at: number): boolean
  /**
   * Called at the start, which is busy: it fills the heap as fast as much work does. The growth stays the same until `calmed` is called,
   * because Node finds the compiled sources of a worker thread only if V8's flags are those with which they were stored.
   */
  begun(): void
  /** Called when the busy time ends. */
  calmed(): void
  busy(): boolean
  /** Returns the growth of the heap from the next collection on, in percent of the live heap. */
  percent(): number
  /** Returns the time without a garbage collection after which the busy time is over, ms. The heap then fills slowly. */
  calmAfterMs(): number
}

/**
 * The process becomes busy when the heap fills fast twice in a row, or when the young generation is collected often within a second. A
 * single fast filling of the heap may be a long response or a checkpoint. The process stays busy until `calmed` is called. The rates that
 * make the process busy are above the rate that makes it calm, because every change to calm costs a garbage collection.
 */
export function createGrowth(): Growth {
  const { calmPercent, pairMs, everyMs, busyPercentMin, busyPercentMax } = limits.collector
  const { busyPercentPerSecond, busyYoungPerSecond, calmPercentPerSecond } = limits.collector
  let collectedAt = Number.NEGATIVE_INFINITY
  let hasFollower = false
  let wasFast = false
  let isBusy = false
  let isStarting = false
  let inForce: number = calmPercent
  let asked: number = calmPercent
  /** Beginning of the second in which collections of the young generation are counted, ms. */
  let countedFrom = Number.NEGATIVE_INFINITY
  let young = 0

  const adapt = (elapsedMs: number) => {
    if (isStarting) return
    const wanted = (inForce * everyMs) / elapsedMs
    const isFast = inForce / (elapsedMs / second) > busyPercentPerSecond
    isBusy ||= isFast && wasFast
    wasFast = isFast
    inForce = asked
    // Changes the growth only halfway to the wanted growth, because the measurement is imprecise: the measured growth was set two
    // collections ago, and V8 also collects for other reasons.
    if (isBusy) asked = Math.round(Math.min(busyPercentMax, Math.max(busyPercentMin, (asked + wanted) / 2)))
  }
  return {
    collected: at => {
      hasFollower = !hasFollower && at - collectedAt < pairMs
      if (!hasFollower) adapt(at - collectedAt)
      collectedAt = at
    },
    collectedYoung: at => {
      if (isBusy) return false
      if (at - countedFrom >= second) {
        countedFrom = at
        young = 0
      }
      young += 1
      if (young < busyYoungPerSecond) return false
      isBusy = true
      asked = busyPercentMax
      return true
    },
    begun: () => {
      isBusy = true
      isStarting = true
      inForce = busyPercentMax
      asked = busyPercentMax
    },
    calmed: () => {
      collectedAt = Number.NEGATIVE_INFINITY
      hasFollower = false
      wasFast = false
      isBusy = false
      isStarting = false
      young = 0
      inForce = calmPercent
      asked = calmPercent
    },
    busy: () => isBusy,
    percent: () => asked,
    calmAfterMs: () => (Math.max(inForce, asked) / calmPercentPerSecond) * second,
  }
}
