// State of one monitor at a prober: its check entry, its slots, its running check. The state is small, because a prober may have 50,000
// monitors.

import type { Due } from '#shared/async/due-heap.ts'
import type { CheckEntry, ListedCheck } from '#shared/contracts/observations/check.ts'
import { limits } from '#shared/limits/limits.ts'
import { fnv1a32 } from '#shared/text/hash.ts'
import type { CheckOutcome, RunningCheck } from './checks/checker.ts'
import { rankOf } from './presence.ts'
import { phaseOf } from './schedule.ts'

/** Entry of one of several checks of a subject. Its results name the signal. */
export type SignalEntry = CheckEntry & ListedCheck

export interface Monitor extends Due {
  readonly subjectId: string
  readonly hash: number
  entry: CheckEntry | SignalEntry
  phaseMs: number
  /** Instant of the entry on bus time, ms. */
  writtenAt: number
  /** True if the entry came in a page. Then results name the subject in their bodies. */
  isPaged: boolean
  /** True if this prober, and no other prober of the location, checks the monitor. */
  mine: boolean
  removed: boolean
  check: RunningCheck | null
  /** Slot of the latest check. No slot runs twice. */
  ranAt: number
  /** Slot of a waiting check that runs outside of the regular slots; null: no such check waits. */
  extraAt: number | null
  /**
   * Credit for the next check while checks are shed: each slot adds the share of checks that still run, and a check that runs subtracts 1.
   * Monitors start with different credits between 0 and 1, so that they are not all shed at the same time.
   */
  credit: number
  hasPassed: boolean
  /** Sentence of the latest check; null: it passed. Of kinds whose answers are kept. */
  failedBy: string | null
  /** End of the latest check whose answer was kept, ms. */
  answeredAt: number
}

export function createMonitor(subjectId: string, entry: CheckEntry | SignalEntry): Monitor {
  const hash = fnv1a32(subjectId)
  return {
    subjectId,
    hash,
    entry,
    phaseMs: phaseOf(slotName(subjectId, entry), entry.intervalMs),
    writtenAt: 0,
    isPaged: false,
    mine: false,
    removed: false,
    check: null,
    ranAt: Number.NEGATIVE_INFINITY,
    extraAt: null,
    credit: rankOf(0, hash) / 2 ** 32,
    hasPassed: false,
    failedBy: null,
    answeredAt: Number.NEGATIVE_INFINITY,
    dueAt: 0,
    place: -1,
  }
}

/** Returns the name by which slots are spread: several checks of a subject have different slots. */
export const slotName = (subjectId: string, entry: CheckEntry | SignalEntry): string =>
  'source' in entry ? subjectId + entry.source : subjectId

/**
 * Returns the group of monitors that share what an overloaded prober can make: those of a workspace. The entry of a website monitor names
 * none, because older probers read it, so each of these is a group of its own.
 */
export const groupOf = ({ subjectId, entry }: Pick<Monitor, 'subjectId' | 'entry'>): string => entry.workspace ?? subjectId

/** Stores the outcome of a check. Returns true for each failure, and for the first success after a failure. */
export function noteOutcome(monitor: Pick<Monitor, 'hasPassed'>, ok: boolean): boolean {
  const isNews = !ok || !monitor.hasPassed
  monitor.hasPassed = ok
  return isNews
}

/** Returns whether the answer to a failed check is kept: it failed in another way than the check before, and none was kept within a minute. */
export const keepsAnswer = (
  { failedBy, answeredAt }: Pick<Monitor, 'failedBy' | 'answeredAt'>,
  error: string,
  now: number,
): boolean => error !== failedBy && now - answeredAt >= limits.answers.everyMs

export function noteAnswer(
  monitor: Pick<Monitor, 'failedBy' | 'answeredAt'>,
  { error, response }: CheckOutcome,
  now: number,
): void {
  monitor.failedBy = error
  if (response !== undefined) monitor.answeredAt = now
}
