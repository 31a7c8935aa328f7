// Shedding: the share of checks that a prober leaves out when it is asked for more than it can do. Owns the share and its steps; never
// queues anything. Every monitor gives the same share of its slots, so that none is left out always. The share is a metric and a log line.

import { repeat } from '#shared/async/repeat.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Logger } from '#shared/observability/logger.ts'
import type { Clock } from '#shared/time/clock.ts'

export interface Shedding {
  /** The share of due checks left out at the moment, 0 to 0.95. */
  share(): number
  /** Checks left out since the start. */
  total(): number
  /** A due check came this late, ms. */
  noteLateness(ms: number): void
  /** A check was left out; `full` where it was because the bound of checks at once was reached. */
  noteShed(full: boolean): void
  stop(): void
}

export function createShedding(clock: Clock, logger: Logger, locationId: string): Shedding {
  let share = 0
  let lateSumMs = 0
  let due = 0
  let lateBefore = false
  let full = 0
  let unsaid = 0
  let total = 0
  let saidAt = Number.NEGATIVE_INFINITY

  const look = () => {
    // The mean: one stall makes some checks late, a prober that cannot keep up makes them all late.
    const meanLateMs = due === 0 ? 0 : lateSumMs / due
    const late = meanLateMs > limits.shedding.lateMs
    // One late period is a pause of the process, not a lack of capacity; two in a row are.
    const overloaded = full > 0 || (late && lateBefore)
    share = overloaded
      ? Math.min(limits.shedding.shareMax, share + limits.shedding.stepUp)
      : Math.max(0, share - limits.shedding.stepDown)
    if (share < limits.shedding.stepDown / 2) share = 0
    if (unsaid > 0 && clock.monotonic() - saidAt >= limits.shedding.warnMs) {
      logger.warn(
        { location: locationId, shed: unsaid, share, lateMs: Math.round(meanLateMs) },
        'checks left out, more are due than can be made',
      )
      saidAt = clock.monotonic()
      unsaid = 0
    }
    lateBefore = late
    lateSumMs = 0
    due = 0
    full = 0
  }
  const looking = repeat({ clock, everyMs: limits.shedding.periodMs }, look)
  return {
    share: () => share,
    total: () => total,
    noteLateness: ms => {
      lateSumMs += ms
      due++
    },
    noteShed: wasFull => {
      unsaid++
      total++
      if (wasFull) full++
    },
    stop: () => void looking.stop(),
  }
}
