// How far a partition is rolled up, what is due by now, and until when raw observations must stay for it.
import { keys } from '#shared/bus/subjects.ts'
import type { RollUpProgressDocument } from '#shared/contracts/roll-up.ts'
import { randomId } from '#shared/ids.ts'
import { day, hour, limits } from '#shared/limits.ts'
import type { Store } from '#shared/store/port.ts'

/** The ends of what is rolled up, as in `RollUpProgressDocument`. */
type RolledUpTo = Pick<RollUpProgressDocument, 'hoursTo' | 'daysTo'>

const { settleMs, spreadMs, settleDayMs, spreadDayMs } = limits.rollUp

/** Up to where a partition is to be rolled up at `now` (ms): each partition has its own minute of the hour. */
export function rollUpDue(partition: number, now: number): RolledUpTo {
  const share = partition / limits.partitions
  return {
    hoursTo: floorTo(now - settleMs - share * spreadMs, hour),
    daysTo: floorTo(now - settleDayMs - settleMs - share * spreadDayMs, day),
  }
}

/**
 * Where to go on. Nothing stored yet: with the oldest raw checks. The same where what is stored lies ahead of `now`: a clock was ahead
 * when that was written, and what it called ended had not ended; it is done again.
 */
export function progressOf(stored: RollUpProgressDocument | null, partition: number, now: number): RollUpProgressDocument {
  const isAhead = stored !== null && stored.hoursTo > now
  const oldest = floorTo(now - limits.retention.checksMs, day)
  const { hoursTo, daysTo } = stored === null || isAhead ? { hoursTo: oldest, daysTo: oldest } : stored
  return { id: keys.lease(partition), rev: stored?.rev ?? 0, hoursTo, daysTo, writer: stored?.writer ?? '' }
}

export const nextRevision = (progress: RollUpProgressDocument, changed: Partial<RolledUpTo>): RollUpProgressDocument => ({
  ...progress,
  ...changed,
  rev: progress.rev + 1,
  writer: randomId(8),
})

/**
 * Raw check results before this day (ms) may leave: after their time, once all partitions have settled them, and in any case some
 * days later.
 */
export async function rawLeavesBefore(store: Store, now: number): Promise<number> {
  const partitions = Array.from({ length: limits.partitions }, (_, number) => number)
  const stored = await store.get('rollUpProgress', partitions.map(keys.lease))
  const { checksMs, heldBackMs } = limits.retention
  const settledTo = Math.min(...stored.map(progress => progress?.daysTo ?? 0))
  return Math.max(Math.min(now - checksMs, settledTo), now - checksMs - heldBackMs)
}

const floorTo = (at: number, span: number): number => Math.floor(at / span) * span
