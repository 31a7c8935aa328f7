// The injected clock, which tests and the simulation control. Instants are milliseconds since the epoch. There are two readings of the same
// time: `now` orders and dates what is judged, and never runs backwards; `wall` is the clock of the machine as it is set at present (ADR 35).
import { performance } from 'node:perf_hooks'
import { day, second } from '#shared/limits/limits.ts'
import { createDoubt, type Witness } from './clock-witness.ts'

export type Cancel = () => void

export interface Clock {
  /**
   * Returns the present instant for deadlines and judgements, ms since the epoch. Never runs backwards within a process. If the machine was
   * suspended or its clock was set forward, this clock follows at once, unless a witness knows better. If the clock was set back, this
   * clock is ahead until it is corrected.
   */
  now(): number
  /**
   * Returns the time of the machine, ms since the epoch, for comparisons with instants of senders, and for messages and signatures. It may
   * run backwards. Absent in clocks that cannot be set: the same as `now`.
   */
  wall?(): number
  /** Returns milliseconds of a clock that cannot be set; only differences are meaningful. */
  monotonic(): number
  /** Calls `run` once after `delayMs`, unless the returned function is called before. */
  schedule(delayMs: number, run: () => void): Cancel
}

/** Returns the time of the machine, ms since the epoch. */
export const wallOf = (clock: Pick<Clock, 'now' | 'wall'>): number => clock.wall?.() ?? clock.now()

/** Returns the time by which the clock is ahead of the machine's clock because that was set back, ms; 0 below a second. */
export function aheadOfWall(clock: Pick<Clock, 'now' | 'wall'>): number {
  const aheadMs = clock.now() - wallOf(clock)
  return aheadMs > second ? aheadMs : 0
}

export interface SystemClock extends Clock {
  /**
   * From now on, a jump ahead is followed only if the witness is ahead, too, or does not answer within `limits.clock.witnessMs`. Otherwise only
   * the clock of this machine was set, and `now` goes on by the monotonic clock.
   */
  heed(witness: Witness): void
  /** Compares this clock with wall time. Also runs by itself once a second. */
  compare(): void
  stop(): void
}

export interface ClockOptions {
  /**
   * Called once when wall time has jumped by more than `clockStepMs` against this clock; `driftMs`: wall time minus this clock.
   */
  onDrift?: (driftMs: number) => void
  wall?: () => number
  monotonic?: () => number
}

/** Difference to the machine's clock that shows a suspend or a set clock, ms. A suspend or a clock set forward is followed at once. */
export const clockStepMs = 2 * second
/** A jump back that is longer than this is followed too, because waiting for it would take days. */
const followBackMs = 1 * day
/** A jump forward that is longer than this is not followed: a wrong date would make the store expire everything. A restart follows it. */
const followForwardMs = 31 * day

/** Speed at which a drift below `clockStepMs` is corrected, as a share of real time. A drift ahead that is not followed stays. */
const correctionRate = 0.01
/** Share of real time by which this clock runs slower while it is ahead of a clock that was set back: an hour is corrected in five. */
const waitingRate = 0.2

const isJumpAhead = (driftMs: number): boolean => driftMs > clockStepMs && driftMs <= followForwardMs

function schedule(delayMs: number, run: () => void): Cancel {
  const handle = setTimeout(run, Math.min(Math.max(0, delayMs), 2 ** 31 - 1))
  return () => clearTimeout(handle)
}

/**
 * Returns the real clock. A suspended machine and a clock that was set forward look the same: wall time is ahead of the monotonic clock. The
 * next reading follows at once; if there is a witness, it is asked first. A clock that was set back is waited for; only after a jump of more
 * than a day back, which is the end of a wrong date, this clock is set back too.
 */
export function createSystemClock(options: ClockOptions = {}): SystemClock {
  const wall = options.wall ?? Date.now
  const monotonic = options.monotonic ?? (() => performance.now())
  let baseWall = wall()
  let baseMonotonic = monotonic()
  let rate = 1
  /** Drift at the last comparison, ms. */
  let knownMs = 0

  const setTo = (instant: number) => {
    baseWall = instant
    baseMonotonic = monotonic()
  }
  const reading = () => baseWall + (monotonic() - baseMonotonic) * rate
  const follow = (driftMs: number) => {
    if (!isJumpAhead(driftMs)) return
    setTo(wall())
    rate = 1
    knownMs = 0
    options.onDrift?.(driftMs)
  }
  const doubt = createDoubt({ schedule, drift: () => wall() - reading(), follow, stepMs: clockStepMs })
  const now = () => {
    const present = reading()
    const driftMs = wall() - present
    if (!isJumpAhead(driftMs) || doubt.isHeld(driftMs)) return present
    follow(driftMs)
    return baseWall
  }
  const compare = () => {
    const present = now()
    if (doubt.isAsking()) return
    const driftMs = wall() - present
    const isJump = Math.abs(driftMs - knownMs) > clockStepMs
    const isBack = driftMs < -followBackMs
    setTo(isBack ? wall() : present)
    knownMs = isBack ? 0 : driftMs
    if (knownMs < -clockStepMs) rate = 1 - waitingRate
    else rate = Math.abs(knownMs) > second && knownMs <= clockStepMs ? 1 + correctionRate * Math.sign(knownMs) : 1
    if (isJump) options.onDrift?.(driftMs)
  }
  const timer = setInterval(compare, second)
  timer.unref()
  return {
    now: () => Math.floor(now()),
    wall: () => Math.floor(wall()),
    monotonic,
    heed: doubt.heed,
    schedule,
    compare,
    stop: () => clearInterval(timer),
  }
}
