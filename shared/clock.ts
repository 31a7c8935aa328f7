// Time as everybody here sees it: injected, so that tests and the simulation can turn it. Instants are milliseconds since
// the epoch; wall time at start advanced by the monotonic clock, so that a stepped system clock neither silences nor alarms.
import { performance } from 'node:perf_hooks'
import { minute, second } from '#shared/limits.ts'

export type Cancel = () => void

export interface Clock {
  /** The present instant in ms since the epoch. Never runs backwards within a process. */
  now(): number
  /** Milliseconds on a clock that nobody can set; only differences mean anything. */
  monotonic(): number
  /** Calls `run` once after `delayMs`; the returned function forgets it. */
  after(delayMs: number, run: () => void): Cancel
}

export interface SystemClock extends Clock {
  /** Holds this clock against wall time: done each minute by itself. */
  compare(): void
  stop(): void
}

export interface ClockOptions {
  /** Called when wall time and this clock differ by more than a second; `driftMs` is wall minus clock. */
  onDrift?: (driftMs: number) => void
  wall?: () => number
  monotonic?: () => number
}

/** Share of real time by which a drift is worked off: 1 %, so an hour takes four days and no deadline jumps. */
const correctionRate = 0.01

/** The real clock. Compared with wall time each minute; a difference over a second is reported and worked off slowly. */
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
    after: (delayMs, run) => {
      const handle = setTimeout(run, Math.min(Math.max(0, delayMs), 2 ** 31 - 1))
      return () => clearTimeout(handle)
    },
    compare,
    stop: () => clearInterval(timer),
  }
}
