// Sends results to the observation stream. Owns what was not acknowledged yet, bounded: while the bus is away or full the
// oldest is dropped and counted. Repeats what has an unknown outcome: a result carries its slot, so a double is harmless.
import type { Bus } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import type { Cancel, Clock } from '#shared/clock.ts'
import type { CheckResult } from '#shared/contracts/check.ts'
import { limits } from '#shared/limits.ts'
import type { Logger } from '#shared/logger.ts'
import type { CheckOutcome } from './check.ts'

export interface Report {
  subjectId: string
  rev: number
  slotAt: number
  /** When the check ended, on the own clock, ms. */
  endedAt: number
  outcome: CheckOutcome
}

export interface Reporter {
  add(report: Report): void
  /** Results not acknowledged yet. */
  waiting(): number
  /** Resolves when nothing waits, or after `graceMs`; then nothing is sent any more. */
  stop(graceMs: number): Promise<void>
}

export interface ReporterOptions {
  bus: Bus
  clock: Clock
  logger: Logger
  locationId: string
  onDropped(count: number): void
  /** Most results waiting; tests shorten it. */
  capacity?: number
}

interface Waiting extends Report {
  /** In the order of `add`: what comes back unsent goes out before what is younger. */
  number: number
}

export function createReporter(options: ReporterOptions): Reporter {
  const { bus, clock, logger, locationId } = options
  const capacity = options.capacity ?? limits.check.bufferedResults
  const queue = createQueue<Waiting>()
  let returned: Waiting[] = []
  let inFlight = 0
  let added = 0
  let pauseMs = 0
  let paused: Cancel | null = null
  let stopped = false
  let onEmpty: (() => void) | null = null

  const waiting = () => queue.size() + returned.length + inFlight
  const resume = () => {
    paused?.()
    paused = null
    pump()
  }
  const stopListening = bus.onConnection(connected => {
    if (!connected) return
    pauseMs = 0
    resume()
  })

  return {
    waiting,
    add: report => {
      if (stopped) return
      if (waiting() >= capacity && (returned.shift() ?? queue.shift()) !== undefined) options.onDropped(1)
      queue.push({ ...report, number: added++ })
      pump()
    },
    stop: async graceMs => {
      if (waiting() > 0) await new Promise<void>(resolve => void waitForEmpty(resolve, graceMs))
      stopped = true
      stopListening()
      paused?.()
      if (waiting() > 0) logger.warn({ location: locationId, results: waiting() }, 'results were not sent before the end')
    },
  }

  function pump(): void {
    while (!stopped && paused === null && inFlight < limits.check.publishInFlight && bus.connected()) {
      const next = returned.shift() ?? queue.shift()
      if (next === undefined) return
      inFlight++
      bus.observations.publish(subjects.observation(locationId, next.subjectId), messageOf(next, clock.now())).then(
        () => settle(null, null),
        (error: unknown) => settle(next, error),
      )
    }
  }

  function settle(failed: Waiting | null, error: unknown): void {
    inFlight--
    if (failed === null) pauseMs = 0
    else giveBack(failed, error)
    if (waiting() === 0) onEmpty?.()
    else pump()
  }

  function giveBack(failed: Waiting, error: unknown): void {
    returned.push(failed)
    if (returned.length > 1) returned = returned.sort((a, b) => a.number - b.number)
    if (stopped || paused !== null) return
    pauseMs = Math.min(Math.max(limits.report.retryMs, pauseMs * 2), limits.report.retryMsMax)
    if (pauseMs === limits.report.retryMs)
      logger.warn({ err: error, location: locationId }, 'results wait: the bus did not take one')
    paused = clock.after(pauseMs, resume)
  }

  function waitForEmpty(resolve: () => void, graceMs: number): void {
    const cancel = clock.after(graceMs, resolve)
    onEmpty = () => {
      cancel()
      resolve()
    }
  }
}

/** The age is taken at the moment of sending, so a result that waited is still placed at its time. */
function messageOf(report: Report, now: number): CheckResult {
  const { ok, error, statusCode, phases } = report.outcome
  const ageMs = Math.max(0, Math.round(now - report.endedAt))
  return { rev: report.rev, slotAt: report.slotAt, ageMs, ok, error, statusCode, phases }
}

/** First in, first out at a constant price: what was taken is cut off in large pieces. */
function createQueue<T>() {
  let items: T[] = []
  let head = 0
  return {
    size: () => items.length - head,
    push: (item: T) => void items.push(item),
    shift: (): T | undefined => {
      if (head === items.length) return undefined
      const item = items[head++]
      if (head === items.length || head >= 4_096) {
        items = items.slice(head)
        head = 0
      }
      return item
    },
  }
}
