// The injected clock, which tests and the simulation control. Instants are milliseconds since the epoch: wall time at the start plus time
// of the monotonic clock. A jump of the system clock thus causes no silence and no alarm.
import { performance } from 'node:perf_hooks'
import { minute, second } from '#shared/limits/limits.ts'

export type Cancel = () => void

export interface Clock {
  /** Returns the present instant in ms since the epoch. Never runs backwards within a process. */
  now(): number
  /** Returns milliseconds of a clock that cannot be set; only differences are meaningful. */
  monotonic(): number
  /** Calls `run` once after `delayMs`, unless the returned function is called before. */
  schedule(delayMs: number, run: () => void): Cancel
}

export interface SystemClock extends Clock {
  /** Compares this clock with wall time. Also runs by itself once a minute. */
  compare(): void
  stop(): void
}

export interface ClockOptions {
  /** Called if wall time and this clock differ by more than a second; `driftMs`: wall time minus this clock. */
  onDrift?: (driftMs: number) => void
  wall?: () => number
  monotonic?: () => number
}

/**
 * Speed at which a drift is corrected, as a share of real time. At 1 %, the correction of a drift of one hour takes four days, and no
 * deadline jumps.
 */
const correctionRate = 0.01

/** Returns the real clock. Once a minute it is compared with wall time; a difference over a second is reported and corrected slowly. */
export function createSystemClock(options: ClockOptions = {}): SystemClock {
  const wall = options.wall ?? Date.now
  const monotonic = options.monotonic ?? (() => performance.now())
  let baseWall = wall()
  let baseMonotonic = monotonic()
  let rate = 1

  const now = () => baseWall + (monotonic() - baseMonotonic) * rate
  const compare = () => {
    const present = now()
    baseMonotonic = monotonic()
    baseWall = present
    const drift = wall() - present
    rate = Math.abs(drift) > second ? 1 + correctionRate * Math.sign(drift) : 1
    if (rate !== 1) options.onDrift?.(drift)
  }
  const timer = setInterval(compare, minute)
  timer.unref()
  return {
    now: () => Math.floor(now()),
    monotonic,
    schedule: (delayMs, run) => {
      const handle = setTimeout(run, Math.min(Math.max(0, delayMs), 2 ** 31 - 1))
      return () => clearTimeout(handle)
    },
    compare,
    stop: () => clearInterval(timer),
  }
}
