// Durations of a fault run: of the watched things and of the run itself, ms.
import { second } from '#shared/limits/limits.ts'

export interface Pace {
  /** Interval of checks and of reports. */
  intervalMs: number
  /** Confirmation and recovery delay of monitors. */
  confirmMs: number
  recoverMs: number
  /** Confirmation delay of rules. */
  ruleConfirmMs: number
  /** Duration of a short failure, which nobody must be notified of. */
  blipMs: number
  /** Slow senders. One lost report is permitted; only a longer outage loses two. */
  slow: { everyMs: number; noDataMs: number }
  /** Time after which all monitors and senders have reported at least once. */
  warmMs: number
  /** Range of the time from then to the fault. */
  faultInMs: readonly [number, number]
  /** Problems begin from this long before the fault until this long after it. */
  beforeMs: number
  afterMs: number
  /** Range of the time from the message about a problem to the problem's end. */
  lastsMs: readonly [number, number]
  /** Longest time from the end of a problem to its message. */
  recoveryMs: number
  /** Time in which a false message can still arrive after silence is judged again. */
  lingerMs: number
}

export const usualPace: Pace = {
  intervalMs: 5 * second,
  confirmMs: 20 * second,
  recoverMs: 5 * second,
  ruleConfirmMs: 5 * second,
  // At most two checks fail, so the website passes again 10 s after the first failing check.
  blipMs: 6 * second,
  slow: { everyMs: 20 * second, noDataMs: 45 * second },
  warmMs: 15 * second,
  faultInMs: [2 * second, 20 * second],
  beforeMs: 25 * second,
  afterMs: 10 * second,
  lastsMs: [1 * second, 20 * second],
  recoveryMs: 40 * second,
  lingerMs: 20 * second,
}

/** A seed of about a minute. A take-over of 10 s and an interval still fit into the confirmation delay. */
export const shortPace: Pace = {
  intervalMs: 2 * second,
  confirmMs: 15 * second,
  recoverMs: 2 * second,
  ruleConfirmMs: 3 * second,
  blipMs: 3 * second,
  slow: { everyMs: 8 * second, noDataMs: 20 * second },
  warmMs: 6 * second,
  faultInMs: [1 * second, 6 * second],
  beforeMs: 12 * second,
  afterMs: 0,
  lastsMs: [1 * second, 5 * second],
  recoveryMs: 20 * second,
  lingerMs: 12 * second,
}
