// Clock that only a test moves.
import type { Clock } from '#shared/time/clock.ts'

export interface HandClock extends Clock {
  /** Advances the time by `ms`, and runs the timers that become due, in order of their due times. */
  advance(ms: number): void
}

export function createHandClock(startAt = Date.UTC(2026, 0, 2, 3, 4, 5, 678)): HandClock {
  let elapsed = 0
  let number = 0
  const waiting = new Map<number, { dueAt: number; run: () => void }>()
  const takeDue = (until: number) => {
    const due = [...waiting].filter(([, timer]) => timer.dueAt <= until).sort(([a, x], [b, y]) => x.dueAt - y.dueAt || a - b)[0]
    if (due) waiting.delete(due[0])
    return due?.[1]
  }
  return {
    now: () => startAt + elapsed,
    monotonic: () => elapsed,
    schedule: (delayMs, run) => {
      const key = ++number
      waiting.set(key, { dueAt: elapsed + Math.max(0, delayMs), run })
      return () => void waiting.delete(key)
    },
    advance: ms => {
      const until = elapsed + ms
      for (let timer = takeDue(until); timer; timer = takeDue(until)) {
        elapsed = Math.max(elapsed, timer.dueAt)
        timer.run()
      }
      elapsed = until
    },
  }
}
