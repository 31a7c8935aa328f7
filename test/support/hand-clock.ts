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
    let first: [key: number, timer: { dueAt: number; run: () => void }] | undefined
    for (const entry of waiting) if (entry[1].dueAt <= until && (!first || entry[1].dueAt < first[1].dueAt)) first = entry
    if (first) waiting.delete(first[0])
    return first?.[1]
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
