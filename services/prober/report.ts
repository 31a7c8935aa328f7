// Sender of results to the observation stream. Owns the results that the bus has not acknowledged. Their number is bounded: at the bound,
// the oldest waiting result is dropped and counted. A result without an acknowledgement is sent again; keepers recognise a duplicate by its
// slot.
import { waitAtMost } from '#shared/async/wait-at-most.ts'
import type { Bus } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import type { CheckResult } from '#shared/contracts/observations/check.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Logger } from '#shared/observability/logger.ts'
import type { Cancel, Clock } from '#shared/time/clock.ts'
import type { CheckOutcome } from './checks/checker.ts'

export interface Report {
  subjectId: string
  /** True if the message names the subject in its body, not in its bus subject. */
  isPaged: boolean
  /** Key of the signal; absent: the subject has one check alone. */
  signal?: string
  rev: number
  slotAt: number
  /** End of the check on this process's clock, ms since the epoch. */
  endedAt: number
  outcome: CheckOutcome
  /** True for a failure, and for the first success after a failure. */
  isNews: boolean
}

export interface ReporterOptions {
  bus: Pick<Bus, 'observations' | 'connected' | 'onConnection'>
  clock: Clock
  logger: Logger
  locationId: string
  onDropped(): void
  /** Maximum number of results that wait for an acknowledgement. */
  capacity?: number
}

interface Numbered {
  /** Position of the result in the order of `add`. A result whose sending failed is sent again before newer results. */
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
  /**
   * Pause after a failed send, ms. While the pause is above 0, one result is sent after each pause. 0: the latest result was acknowledged.
   */
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

  /** Returns the number of results without an acknowledgement. */
  waiting(): number {
    return this.#queue.size() + this.#returned.length + this.#inFlight
  }

  add(report: Report): void {
    if (this.#stopped) return
    if (this.waiting() >= this.#capacity && this.#take() !== undefined) this.#options.onDropped()
    this.#queue.push({ number: this.#added++, report })
    // A changed result is sent at once. Unchanged results are collected and sent together, which saves about a quarter of the work of
    // receiving them.
    if (report.isNews) this.#pump()
    else this.#gathering ??= this.#options.clock.schedule(limits.report.gatherMs, this.#pump)
  }

  /** Sends the waiting results for `graceMs` at most, then sends no more. */
  async stop(graceMs: number): Promise<void> {
    const { clock, logger, locationId } = this.#options
    this.#pump()
    if (this.waiting() > 0) {
      const empty = new Promise<void>(resolve => {
        this.#onEmpty = resolve
      })
      await waitAtMost(clock, graceMs, empty)
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
        .publish(busSubjectOf(locationId, next.report), messageOf(next.report, clock.now()))
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

  /** The pause begins before the result is acknowledged, because an acknowledgement may never arrive. */
  #pause(): void {
    this.#pauseMs = Math.min(Math.max(limits.report.retryMs, this.#pauseMs * 2), limits.report.retryMsMax)
    this.#paused = this.#options.clock.schedule(this.#pauseMs, this.#resume)
  }
}

const busSubjectOf = (locationId: string, { subjectId, isPaged }: Report): string =>
  isPaged ? subjects.flatObservation(locationId, subjectId) : subjects.observation(locationId, subjectId)

/**
 * Returns the message of a result. The message contains the time from the end of the check to the sending. So a result that waits before it
 * is sent keeps the right instant.
 */
function messageOf(report: Report, now: number): CheckResult {
  const { subjectId, isPaged, outcome, rev, slotAt, signal } = report
  const ageMs = Math.max(0, Math.round(now - report.endedAt))
  const result = signal === undefined ? { rev, slotAt, ageMs, ...outcome } : { rev, signal, slotAt, ageMs, ...outcome }
  return isPaged ? { subject: subjectId, ...result } : result
}

/**
 * Items that were taken are removed from the array in groups of this size. So the cost of taking an item does not grow with the length of
 * the queue.
 */
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
