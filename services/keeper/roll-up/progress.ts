// Progress of a partition's roll-ups: the hours and days that are done or due, and the observations that must stay for roll-ups.
import { keys } from '#shared/bus/subjects.ts'
import type { RollUpProgressDocument } from '#shared/contracts/observations/roll-up.ts'
import { day, hour, limits } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import { randomId } from '#shared/text/ids.ts'

/** Ends of the hours and days that are rolled up, as in `RollUpProgressDocument`. */
type RolledUpTo = Pick<RollUpProgressDocument, 'hoursTo' | 'daysTo'>

const { settleMs, spreadMs, settleDayMs, spreadDayMs } = limits.rollUp

/** Returns the instants up to which a partition is due for roll-up at `now` (ms). Each partition has its own minute of the hour. */
export function rollUpDue(partition: number, now: number): RolledUpTo {
  const share = partition / limits.partitions
  return {
    hoursTo: floorTo(now - settleMs - share * spreadMs, hour),
    daysTo: floorTo(now - settleDayMs - settleMs - share * spreadDayMs, day),
  }
}

/**
 * Returns the progress from which to continue. Without stored progress, the progress begins with the oldest raw checks. The progress also
 * begins with the oldest raw checks if the stored progress lies after `now`: a clock was ahead, so periods were rolled up before their end.
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
 * Returns the day (ms) before which raw check results may be removed. Results are removed once their retention is over and all partitions
 * have rolled them up for good. Some days after the retention, they are removed in any case.
 */
export async function rawLeavesBefore(store: Store, now: number): Promise<number> {
  const partitions = Array.from({ length: limits.partitions }, (_, number) => number)
  const stored = await store.get('rollUpProgress', partitions.map(keys.lease))
  const { checksMs, heldBackMs } = limits.retention
  const settledTo = Math.min(...stored.map(progress => progress?.daysTo ?? 0))
  return Math.max(Math.min(now - checksMs, settledTo), now - checksMs - heldBackMs)
}

const floorTo = (at: number, span: number): number => Math.floor(at / span) * span
