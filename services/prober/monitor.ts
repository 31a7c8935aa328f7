// One monitor as its prober keeps it: what to check, when, and how far it is. Kept small: a prober may have 50,000.

import type { Due } from '#shared/async/due-heap.ts'
import type { CheckEntry } from '#shared/contracts/observations/check.ts'
import { fnv1a32 } from '#shared/text/hash.ts'
import type { Check } from './check.ts'
import { rankOf } from './presence.ts'
import { phaseOf } from './schedule.ts'

export interface Monitor extends Due {
  readonly subjectId: string
  readonly hash: number
  entry: CheckEntry
  phaseMs: number
  /** The bus's time of the entry. */
  writtenAt: number
  /** This prober is the one that runs it. */
  mine: boolean
  removed: boolean
  /** The check under way. */
  check: Check | null
  /** The slot of the latest check: no slot runs twice. */
  ranAt: number
  /** A slot to be run outside of the grid as soon as there is room; null: none. */
  extraAt: number | null
  /**
   * Share of slots that shedding lets through, summed up. It starts anywhere between 0 and 1, so that monitors are not all left out at the
   * same time.
   */
  credit: number
  /** The latest check passed: the next one that passes says nothing new. */
  hasPassed: boolean
}

export function createMonitor(subjectId: string, entry: CheckEntry): Monitor {
  const hash = fnv1a32(subjectId)
  return {
    subjectId,
    hash,
    entry,
    phaseMs: phaseOf(subjectId, entry.intervalMs),
    writtenAt: 0,
    mine: false,
    removed: false,
    check: null,
    ranAt: Number.NEGATIVE_INFINITY,
    extraAt: null,
    credit: rankOf(0, hash) / 2 ** 32,
    hasPassed: false,
    dueAt: 0,
    place: -1,
  }
}

/** Takes how its check came out; answers whether that says anything new: a failure does, and what passes for the first time after one. */
export function noteOutcome(monitor: Pick<Monitor, 'hasPassed'>, ok: boolean): boolean {
  const isNews = !ok || !monitor.hasPassed
  monitor.hasPassed = ok
  return isNews
}
