// Shedding: the share of due checks that an overloaded prober skips. Owns the share and its steps, and divides it among workspaces, so that
// one workspace's flood costs the others nothing. Shed checks are counted in a metric and in a log line.

import { repeat } from '#shared/async/repeat.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Logger } from '#shared/observability/logger.ts'
import type { Clock } from '#shared/time/clock.ts'
import { fairShares } from './fair-shares.ts'

export interface Shedding {
  /** Returns the present share of due checks to skip, 0 to 0.95. */
  share(): number
  /** Returns the share of the due checks of a group to skip, 0 to 1. */
  shareOf(group: string): number
  /** Returns the number of checks skipped since the start. */
  total(): number
  /** Notes the lateness of a due check, ms. */
  noteLateness(ms: number): void
  /** Notes a skipped check. `full`: the maximum number of concurrent checks was reached. */
  noteShed(full: boolean): void
  stop(): void
}

/** `demands` returns the number of checks a second that each group needs. Called while checks are shed. Absent: all are of one group. */
export function createShedding(
  clock: Clock,
  logger: Logger,
  locationId: string,
  demands: () => ReadonlyMap<string, number> = () => new Map(),
): Shedding {
  let share = 0
  let shares: ReadonlyMap<string, number> = new Map()
  let lateSumMs = 0
  let due = 0
  let lateBefore = false
  let full = 0
  let unsaid = 0
  let total = 0
  let saidAt = Number.NEGATIVE_INFINITY

  const look = () => {
    // The mean lateness of all checks decides: a pause of the process makes only some checks late, but an overload makes all checks late.
    const meanLateMs = due === 0 ? 0 : lateSumMs / due
    const late = meanLateMs > limits.shedding.lateMs
    // If the checks of one period are late, the process was perhaps paused. If the checks of two periods in a row are late, it is
    // overloaded.
    const overloaded = full > 0 || (late && lateBefore)
    share = overloaded
      ? Math.min(limits.shedding.shareMax, share + limits.shedding.stepUp)
      : Math.max(0, share - limits.shedding.stepDown)
    if (share < limits.shedding.stepDown / 2) share = 0
    shares = share === 0 ? new Map() : fairShares(demands(), share)
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
    shareOf: group => shares.get(group) ?? share,
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
