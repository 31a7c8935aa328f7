// Rate limit of log lines: the first event is logged at once. Later events are counted, and their count is logged once in each period.

import { minute } from '#shared/limits/limits.ts'
import type { Cancel, Clock } from '#shared/time/clock.ts'

/**
 * Least interval between two log lines of the same kind. Without this limit, outsiders could fill the log, because they can cause any
 * number of events.
 */
const periodMs = minute
const kindsMost = 1_000

export interface Seldom<T> {
  /** Adds `count` events of this kind; `what` describes one of these events. */
  note(kind: string, what: T, count?: number): void
  /** Logs the counts that are not logged yet. Nothing is logged afterwards. */
  stop(): void
}

interface Noted<T> {
  /** First event since the last log line. */
  first: T
  count: number
}

/**
 * Calls `say` at most once a minute for each kind of event. `say` gets the first event since its last call, and the number of events since
 * then. If 1,000 kinds have events in one minute, all further kinds are counted as one kind.
 */
export function createSeldom<T>(clock: Clock, say: (kind: string, what: T, count: number) => void): Seldom<T> {
  /** Kinds that had a log line in the last minute. `noted` null: the kind had no event since this log line. */
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
