// Clock that only its owner advances. Timers run in the order of their instants. Between two timers, all promises that do not wait for the
// clock settle. So a day of incidents takes milliseconds.
import type { Cancel, Clock } from '#shared/time/clock.ts'

export interface VirtualClock extends Clock {
  /** Advances the time by `ms`, and runs every timer that becomes due. */
  advance(ms: number): Promise<void>
  /** Settles every promise that does not wait for a timer. */
  settle(): Promise<void>
  /** Sets wall time and leaves the monotonic clock unchanged, as a suspend or a clock set forward does. */
  stepWall(ms: number): void
  /** Sets the machine's clock back by `ms`: `wall` runs backwards, `now` does not. */
  setBack(ms: number): void
}

interface Timer {
  at: number
  order: number
  run: () => void
}

export function createVirtualClock(startAt = 1_700_000_000_000): VirtualClock {
  const timers = new Set<Timer>()
  let elapsed = 0
  let wallOffset = startAt
  let order = 0
  let behind = 0

  const settle = async () => {
    for (let turn = 0; turn < 3; turn++) await new Promise<void>(resolve => setImmediate(resolve))
  }
  const earliest = (until: number): Timer | null => {
    let first: Timer | null = null
    for (const timer of timers) {
      if (timer.at > until) continue
      if (first === null || timer.at < first.at || (timer.at === first.at && timer.order < first.order)) first = timer
    }
    return first
  }
  return {
    now: () => Math.floor(wallOffset + elapsed),
    wall: () => Math.floor(wallOffset + elapsed - behind),
    monotonic: () => elapsed,
    schedule: (delayMs, run): Cancel => {
      const timer = { at: elapsed + Math.max(0, delayMs), order: order++, run }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    settle,
    stepWall: ms => {
      wallOffset += ms
    },
    setBack: ms => {
      behind += ms
    },
    advance: async ms => {
      const until = elapsed + ms
      await settle()
      for (let timer = earliest(until); timer !== null; timer = earliest(until)) {
        timers.delete(timer)
        elapsed = Math.max(elapsed, timer.at)
        timer.run()
        await settle()
      }
      elapsed = until
      await settle()
    },
  }
}
