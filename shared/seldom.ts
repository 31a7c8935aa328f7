// A log line that would otherwise come as often as somebody wants: the first at once, then one a period with how many it stands for.
import type { Cancel, Clock } from '#shared/clock.ts'
import { minute } from '#shared/limits.ts'

/** What outsiders can cause at will is said at most this often, for each kind of it. */
const periodMs = minute
const kindsMost = 1_000

export interface Seldom<T> {
  /** `count` more of this kind, one of them described by `what`. */
  note(kind: string, what: T, count?: number): void
  /** Says what is not said yet, and nothing from then on. */
  stop(): void
}

interface Noted<T> {
  /** The first since the last line. */
  first: T
  count: number
}

/**
 * `say` is called at most once a minute for each kind, with the first since the call before and their count. Of more than 1,000 kinds at
 * once, the others are one.
 */
export function createSeldom<T>(clock: Clock, say: (kind: string, what: T, count: number) => void): Seldom<T> {
  /** Kinds that were said within the period; null: nothing to be said since. */
  const kinds = new Map<string, { noted: Noted<T> | null; cancel: Cancel }>()

  const tell = (kind: string, { first, count }: Noted<T>) => {
    kinds.set(kind, { noted: null, cancel: clock.after(periodMs, () => end(kind)) })
    say(kind, first, count)
  }
  const end = (kind: string) => {
    const noted = kinds.get(kind)?.noted ?? null
    kinds.delete(kind)
    if (noted !== null) tell(kind, noted)
  }
  return {
    note: (named, what, count = 1) => {
      const kind = kinds.has(named) || kinds.size < kindsMost ? named : 'others'
      const known = kinds.get(kind)
      if (known === undefined) tell(kind, { first: what, count })
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
