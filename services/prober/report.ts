// Sends results to the observation stream. Owns what was not acknowledged yet, bounded: while the bus is away or full the
// oldest is dropped and counted. Repeats what has an unknown outcome: a result carries its slot, so a double is harmless.
import type { Bus } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import type { CheckResult } from '#shared/contracts/observations/check.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Logger } from '#shared/observability/logger.ts'
import type { Cancel, Clock } from '#shared/time/clock.ts'
import type { CheckOutcome } from './check.ts'

export interface Report {
  subjectId: string
  rev: number
  slotAt: number
  /** When the check ended, on the own clock, ms. */
  endedAt: number
  outcome: CheckOutcome
  /** A failure, or what passes for the first time after one: somebody may wait for it. */
  isNews: boolean
}

export interface ReporterOptions {
  bus: Pick<Bus, 'observations' | 'connected' | 'onConnection'>
  clock: Clock
  logger: Logger
  locationId: string
  onDropped(): void
  /** Most results waiting; tests shorten it. */
  capacity?: number
}

interface Numbered {
  /** In the order of `add`: what comes back unsent goes out before what is younger. */
  number: number
  report: Report
}

export class Reporter {
  readonly #options: ReporterOptions
  readonly #capacity: number
  readonly #queue = createQueue<Numbered>()
  readonly #stopListening: () => void
  #returned: Numbered[] = []
  #inFlight = 0
  #added = 0
  #gathering: Cancel | null = null
  /** Above 0: the bus did not take a result. Until it takes one, one alone is tried after each pause. */
  #pauseMs = 0
  #paused: Cancel | null = null
  #stopped = false
  #onEmpty: (() => void) | null = null

  constructor(options: ReporterOptions) {
    this.#options = options
    this.#capacity = options.capacity ?? limits.check.bufferedResults
    this.#stopListening = options.bus.onConnection(connected => {
      if (connected) this.#resume()
    })
  }

  /** Results not acknowledged yet. */
  waiting(): number {
    return this.#queue.size() + this.#returned.length + this.#inFlight
  }

  add(report: Report): void {
    if (this.#stopped) return
    if (this.waiting() >= this.#capacity && this.#take() !== undefined) this.#options.onDropped()
    this.#queue.push({ number: this.#added++, report })
    // A changed result is sent at once. Repeated ones are sent together, which saves everybody behind it about a quarter of the work.
    if (report.isNews) this.#pump()
    else this.#gathering ??= this.#options.clock.schedule(limits.report.gatherMs, this.#pump)
  }

  /** Resolves when nothing waits, or after `graceMs`; then nothing is sent any more. */
  async stop(graceMs: number): Promise<void> {
    const { clock, logger, locationId } = this.#options
    this.#pump()
    if (this.waiting() > 0) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const cancel = clock.schedule(graceMs, resolve)
      this.#onEmpty = resolve
      await promise
      cancel()
    }
    this.#stopped = true
    this.#stopListening()
    this.#paused?.()
    if (this.waiting() > 0) logger.warn({ location: locationId, results: this.waiting() }, 'results not sent before the end')
  }

  #take(): Numbered | undefined {
    return this.#returned.shift() ?? this.#queue.shift()
  }

  #resume = (): void => {
    this.#paused?.()
    this.#paused = null
    this.#pump()
  }

  #pump = (): void => {
    const { bus, clock, locationId } = this.#options
    this.#gathering?.()
    this.#gathering = null
    while (!this.#stopped && this.#paused === null && this.#inFlight < limits.check.publishInFlight && bus.connected()) {
      const next = this.#take()
      if (next === undefined) return
      this.#inFlight++
      if (this.#pauseMs > 0) this.#pause()
      bus.observations
        .publish(subjects.observation(locationId, next.report.subjectId), messageOf(next.report, clock.now()))
        .then(this.#acknowledged, (error: unknown) => this.#refused(next, error))
    }
  }

  #acknowledged = (): void => {
    this.#inFlight--
    this.#pauseMs = 0
    if (this.#onEmpty !== null && this.waiting() === 0) this.#onEmpty()
    else this.#resume()
  }

  #refused(failed: Numbered, error: unknown): void {
    const { logger, locationId } = this.#options
    this.#inFlight--
    const place = this.#returned.findLastIndex(each => each.number < failed.number) + 1
    this.#returned.splice(place, 0, failed)
    if (this.#stopped || this.#paused !== null) return
    if (this.#pauseMs === 0) logger.warn({ err: error, location: locationId }, 'results wait for the bus')
    this.#pause()
  }

  /** Goes on meanwhile: an answer that does not come must not keep the next try waiting. */
  #pause(): void {
    this.#pauseMs = Math.min(Math.max(limits.report.retryMs, this.#pauseMs * 2), limits.report.retryMsMax)
    this.#paused = this.#options.clock.schedule(this.#pauseMs, this.#resume)
  }
}

/** The age is taken at the moment of sending, so a result that waited is still placed at its time. */
function messageOf(report: Report, now: number): CheckResult {
  const { ok, error, statusCode, phases } = report.outcome
  const ageMs = Math.max(0, Math.round(now - report.endedAt))
  return { rev: report.rev, slotAt: report.slotAt, ageMs, ok, error, statusCode, phases }
}

/** Sent results are cut off the front in pieces of this many, so that the cost of one does not grow with the queue. */
const cut = 4_096

function createQueue<T>() {
  let items: T[] = []
  let head = 0
  return {
    size: () => items.length - head,
    push: (item: T) => {
      items.push(item)
    },
    shift: (): T | undefined => {
      if (head === items.length) return undefined
      const item = items[head++]
      if (head === items.length || head >= cut) {
        items = items.slice(head)
        head = 0
      }
      return item
    },
  }
}
