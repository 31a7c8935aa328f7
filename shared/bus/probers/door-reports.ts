// Reports of a prober to the door of its location. Reports that are published together, or while earlier requests are in flight, are sent
// in one request. The promise of a report resolves when the installation has stored the report.

import { BusError } from '#shared/bus/port.ts'
import type { Door } from '#shared/bus/probers/door.ts'
import { doorLimits } from '#shared/limits/door-limits.ts'
import type { Cancel } from '#shared/time/clock.ts'

interface Waiting {
  /** Subject and result, as JSON. */
  text: string
  resolve(): void
  reject(error: unknown): void
}

type NamedResult = { subject: string }

const withoutName = ({ subject, ...result }: NamedResult): [string, object] => [subject, result]

const { reports: mostReports, reportBytes, reportsInFlight, reportPauseMs } = doorLimits

export class DoorReports {
  readonly #door: Door
  #waiting: Waiting[] = []
  #inFlight = 0
  #sentAt = Number.NEGATIVE_INFINITY
  #pausing: Cancel | null = null
  #isScheduled = false

  constructor(door: Door) {
    this.#door = door
  }

  /** Publishes a report. Rejects with a BusError; may be repeated. */
  publish(subject: string, result: unknown): Promise<void> {
    const [, , locationId, named] = subject.split('.')
    if (locationId !== this.#door.locationId) {
      return Promise.reject(new BusError('unavailable', 'A prober reports for its location alone.'))
    }
    // The door says in its own form of which subject a report is.
    const report = named === undefined ? withoutName(result as NamedResult) : [named, result]
    return new Promise((resolve, reject) => {
      this.#waiting.push({ text: JSON.stringify(report), resolve, reject })
      if (this.#isScheduled) return
      this.#isScheduled = true
      // All reports of one turn of the event loop are sent together.
      queueMicrotask(() => {
        this.#isScheduled = false
        this.#send()
      })
    })
  }

  close(): void {
    this.#pausing?.()
  }

  #send = (): void => {
    const { clock } = this.#door
    while (this.#waiting.length > 0 && this.#inFlight < reportsInFlight && this.#pausing === null) {
      const pauseMs = this.#sentAt + reportPauseMs - clock.monotonic()
      if (pauseMs > 0) this.#pausing = clock.schedule(pauseMs, this.#goOn)
      else void this.#sendOne(this.#take())
    }
  }

  #goOn = (): void => {
    this.#pausing = null
    this.#send()
  }

  #take(): Waiting[] {
    let bytes = 0
    let count = 0
    for (const { text } of this.#waiting.slice(0, mostReports)) {
      bytes += Buffer.byteLength(text) + 1
      if (count > 0 && bytes > reportBytes) break
      count += 1
    }
    return this.#waiting.splice(0, count)
  }

  async #sendOne(batch: readonly Waiting[]): Promise<void> {
    this.#inFlight += 1
    this.#sentAt = this.#door.clock.monotonic()
    try {
      await this.#door.askText('report', `{"reports":[${batch.map(({ text }) => text).join()}]}`, doorLimits.answerMs)
      for (const { resolve } of batch) resolve()
    } catch (error) {
      for (const { reject } of batch) reject(error)
    } finally {
      this.#inFlight -= 1
      this.#send()
    }
  }
}
