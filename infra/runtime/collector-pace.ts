// Frequency of garbage collections: while the process is busy, its heap may double between two full collections. The heap of a calm process
// stays small. A busy process collects garbage every few seconds instead of several times a second, because a collection delays every check
// and response. This file knows V8's flags, but nothing of the system (ADR 8). In one comparison, 10,000 monitors took 267 MB of
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
  const threads = new Set<Load>()
  const join = (collect: () => void): OwnThread => {
    const load = createLoad()
    let isStarting = true
    // The heap now fills slowly. Without this garbage collection, garbage of the busy time would stay until the large heap is full again.
    const calmDown = () => {
      isStarting = false
      load.calmed()
      move(threads)
      collect()
    }
    let cancel: Cancel = clock.schedule(limits.collector.startMs, calmDown)
    const follow = () => {
      if (isStarting) return
      move(threads)
      cancel()
      if (load.busy()) cancel = clock.schedule(limits.collector.calmAfterMs, calmDown)
    }
    threads.add(load)
    move(threads)
    return {
      collected: at => {
        load.collected(at)
        follow()
      },
      collectedYoung: at => {
        if (load.collectedYoung(at)) follow()
      },
      leave: () => {
        cancel()
        threads.delete(load)
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
 * collection. There are only two sets of flags, because Node finds the compiled sources of a worker thread only if the flags are the same as
 * when the sources were stored.
 */
function move(threads: ReadonlySet<Load>): void {
  const isBusy = [...threads].some(load => load.busy())
  const { busyPercent, calmPercent } = limits.collector
  setFlagsFromString(`${growthFlag}${isBusy ? busyPercent : calmPercent}`)
  setFlagsFromString(isBusy ? '--no-memory-saver-mode' : '--memory-saver-mode')
  setFlagsFromString(`--semi-space-growth-factor=${isBusy ? 2 : 1}`)
}

const kindOf = (entry: PerformanceEntry) => (entry as { detail?: { kind?: number } }).detail?.kind

/** Load of one thread, as its garbage collections show it: busy or calm. */
export interface Load {
  /** Called when a full garbage collection began. `at`: beginning, ms. */
  collected(at: number): void
  /** Called when a collection of the young generation began. Returns true if the thread becomes busy. `at`: beginning, ms. */
  collectedYoung(at: number): boolean
  /** Called when the busy time ends. */
  calmed(): void
  busy(): boolean
}

/**
 * The thread is busy at first, because a start fills the heap as fast as much work does. It stays busy until `calmed` is called. A calm
 * thread becomes busy when its heap fills fast twice in a row, or when its young generation is collected often within a second. A single
 * fast filling of the heap may be a long response or a checkpoint.
 */
export function createLoad(): Load {
  const { calmPercent, pairMs, busyPercentPerSecond, busyYoungPerSecond } = limits.collector
  let isBusy = true
  let collectedAt = Number.NEGATIVE_INFINITY
  let hasFollower = false
  let wasFast = false
  /** Beginning of the second in which collections of the young generation are counted, ms. */
  let countedFrom = Number.NEGATIVE_INFINITY
  let young = 0

  const measure = (elapsedMs: number) => {
    const isFast = calmPercent / (elapsedMs / second) > busyPercentPerSecond
    isBusy ||= isFast && wasFast
    wasFast = isFast
  }
  return {
    collected: at => {
      if (isBusy) return
      hasFollower = !hasFollower && at - collectedAt < pairMs
      if (!hasFollower) measure(at - collectedAt)
      collectedAt = at
    },
    collectedYoung: at => {
      if (isBusy) return false
      if (at - countedFrom >= second) {
        countedFrom = at
        young = 0
      }
      young += 1
      isBusy = young >= busyYoungPerSecond
      return isBusy
    },
    calmed: () => {
      collectedAt = Number.NEGATIVE_INFINITY
      hasFollower = false
      wasFast = false
      young = 0
      isBusy = false
    },
    busy: () => isBusy,
  }
}
