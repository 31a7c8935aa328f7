// Housekeeping by the holder of partition 0: removes expired documents in slices, and judged reports from the stream.

import { repeat } from '#shared/async/repeat.ts'
import { limits } from '#shared/limits/limits.ts'
import { observationPrefix } from '#shared/text/ids.ts'
import type { KeeperContext } from '../context.ts'
import { purgeJudged } from '../partition/purge.ts'
import { rawLeavesBefore } from '../roll-up/progress.ts'

/**
 * Removes judged reports, and expired observations, alerts, dead letters and removed tags: a slice at a time, with a pause between slices.
 */
export function startHousekeeping(context: KeeperContext, isOurs: () => boolean): { stop(): void } {
  const { clock, logger } = context
  const onError = (error: unknown) => logger.warn({ err: error }, 'expired documents could not be removed')
  const chores = [
    repeat({ clock, everyMs: limits.keeper.expireMs, onError }, async () => {
      const isMore = isOurs() && (await expireSlice(context))
      return isMore ? limits.keeper.expireSliceMs : limits.keeper.expireMs
    }),
    repeat({ clock, everyMs: limits.stream.purgeMs, onError }, async () => {
      if (isOurs()) await purgeJudged(context)
    }),
  ]
  return {
    stop: () => {
      for (const chore of chores) void chore.stop()
    },
  }
}

/** Removes one slice of each kind. Returns whether more documents are to be removed. */
async function expireSlice(context: KeeperContext): Promise<boolean> {
  const now = context.clock.now()
  const slice = limits.keeper.deletionSlice
  const oldest = observationPrefix(await rawLeavesBefore(context.store, now))
  const removed = [
    await context.store.deleteRange('observations', '', oldest, slice),
    await context.store.expire('alerts', now, slice),
    await context.store.expire('deadLetters', now, slice),
    await context.store.expire('pushedObservations', now, slice),
    await context.store.expire('series', now, slice),
    await context.store.expire('subjectTags', now, slice),
  ]
  return removed.some(count => count >= slice)
}
