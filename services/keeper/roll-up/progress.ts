// Progress of a partition's roll-ups: the hours and days that are done or due, and the observations that must stay for roll-ups.
import { keys } from '#shared/bus/subjects.ts'
import type { RollUpProgressDocument } from '#shared/contracts/observations/roll-up.ts'
import { day, hour, limits } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import { parseCheckObservationId, randomId } from '#shared/text/ids.ts'

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
 * `rawFrom`: instant before which the store has no raw observations, ms; 0: not known.
 */
export function progressOf(
  stored: RollUpProgressDocument | null,
  partition: number,
  now: number,
  rawFrom = 0,
): RollUpProgressDocument {
  const isAhead = stored !== null && stored.hoursTo > now
  const oldest = floorTo(Math.max(now - limits.retention.checksMs, Math.min(rawFrom, now)), day)
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
 * Returns an instant before which the store has no raw observations, ms, so that a new installation does not search the days before its
 * first start for each of its subjects. Senders may name earlier instants: if any has reported, returns 0.
 */
export async function rawBeginsAt(store: Pick<Store, 'find'>, now: number): Promise<number> {
  const first = { select: [], limit: 1 }
  const [pushed] = await store.find('pushedObservations', first)
  if (pushed !== undefined) return 0
  const [check] = await store.find('observations', first)
  return check === undefined ? now : parseCheckObservationId(check.id).slotAt
}

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
