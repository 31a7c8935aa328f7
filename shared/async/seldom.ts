// Rate limit of log lines: the first event is logged at once, later events once a period with their count.

import { minute } from '#shared/limits/limits.ts'
import type { Cancel, Clock } from '#shared/time/clock.ts'

/** Least interval between two lines of the same kind, because outsiders can cause such events without bound. */
const periodMs = minute
const kindsMost = 1_000

export interface Seldom<T> {
  /** Counts `count` more events of this kind; `what` describes one of these events. */
  note(kind: string, what: T, count?: number): void
  /** Logs the counts that are not logged yet, and logs nothing afterwards. */
  stop(): void
}

interface Noted<T> {
  /** First event since the last log line. */
  first: T
  count: number
}

/**
 * Calls `say` at most once a minute for each kind, with the first event since the last call and the count. While 1,000 kinds are counted,
 * all further kinds are counted as one.
 */
export function createSeldom<T>(clock: Clock, say: (kind: string, what: T, count: number) => void): Seldom<T> {
  /** Kinds with a log line in the present period; null: no event since that line. */
  const kinds = new Map<string, { noted: Noted<T> | null; cancel: Cancel }>()

  const emit = (kind: string, { first, count }: Noted<T>) => {
    kinds.set(kind, { noted: null, cancel: clock.schedule(periodMs, () => end(kind)) })
    say(kind, first, count)
  }
  const end = (kind: string) => {
    const noted = kinds.get(kind)?.noted ?? null
    kinds.delete(kind)
    if (noted !== null) emit(kind, noted)
  }
  return {
    note: (named, what, count = 1) => {
      const kind = kinds.has(named) || kinds.size < kindsMost ? named : 'others'
      const known = kinds.get(kind)
      if (known === undefined) emit(kind, { first: what, count })
      else if (known.noted === null) known.noted = { first: what, count }
      else known.noted.count += count
    },
    stop: () => {
      for (const [kind, { noted, cancel }] of kinds) {
        cancel()
        if (noted !== null) say(kind, noted.first, noted.count)
      }
      kinds.clear()
    },
  }
}
