// A real clock that a test stops while it brings a part of the system up again, so that a slow machine uses up no time limit.
import type { Cancel, Clock } from '#shared/time/clock.ts'

export interface StoppableClock extends Clock {
  /** Stops the monotonic clock: no timer of this clock ends until `goOn` is called. Instants of `now` go on. */
  stop(): void
  /** Lets time pass again. Each timer ends later by the time that was left out. */
  goOn(): void
}

export function createStoppableClock(clock: Clock): StoppableClock {
  let leftOut = 0
  let stoppedAt: number | null = null
  const waiting = new Set<() => void>()
  const monotonic = () => (stoppedAt ?? clock.monotonic()) - leftOut

  const schedule = (delayMs: number, run: () => void): Cancel => {
    const endsAt = monotonic() + delayMs
    let cancel: Cancel = () => undefined
    const wait = () => {
      waiting.delete(wait)
      const leftMs = endsAt - monotonic()
      if (leftMs < 1) run()
      else cancel = clock.schedule(leftMs, sleep)
    }
    const sleep = () => void (stoppedAt === null ? wait() : waiting.add(wait))
    cancel = clock.schedule(delayMs, sleep)
    return () => {
      waiting.delete(wait)
      cancel()
    }
  }
  return {
    now: clock.now,
    monotonic,
    schedule,
    stop: () => {
      stoppedAt ??= clock.monotonic()
    },
    goOn: () => {
      if (stoppedAt === null) return
      leftOut += clock.monotonic() - stoppedAt
      stoppedAt = null
      for (const wait of [...waiting]) wait()
    },
  }
}
