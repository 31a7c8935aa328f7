// What nobody needs any more is removed by the holder of partition 0 alone: what expired in slices, where the store does not do it by
// itself, and what is judged from the stream.
import type { Cancel } from '#shared/clock.ts'
import { observationPrefix } from '#shared/ids.ts'
import { limits } from '#shared/limits.ts'
import type { Core } from './core.ts'
import { purgeJudged } from './purge.ts'
import { rawLeavesBefore } from './roll-up/progress.ts'

/** Removes expired observations, alerts, inputs set aside and tags that are gone, a slice at a time with a pause between slices; and judged reports. */
export function startHousekeeping(core: Core, isOurs: () => boolean): { stop(): void } {
  const chores = [
    repeat(core, limits.keeper.expireMs, async () => {
      const isMore = isOurs() && (await expireSlice(core))
      return isMore ? limits.keeper.expireSliceMs : limits.keeper.expireMs
    }),
    repeat(core, limits.stream.purgeMs, async () => {
      if (isOurs()) await purgeJudged(core)
      return limits.stream.purgeMs
    }),
  ]
  const stop = () => {
    for (const chore of chores) chore.stop()
  }
  return { stop }
}

/** Runs the chore, which answers after how many ms it is to run again; where it fails, after `restMs`. */
function repeat(core: Core, restMs: number, chore: () => Promise<number>): { stop(): void } {
  let stopped = false
  let cancel: Cancel = () => undefined
  const again = (delayMs: number) => {
    if (stopped) return
    cancel = core.clock.after(delayMs, () => {
      void chore()
        .catch(error => {
          core.logger.warn({ err: error }, 'expired documents could not be removed')
          return restMs
        })
        .then(again)
    })
  }
  again(restMs)
  return {
    stop: () => {
      stopped = true
      cancel()
    },
  }
}

/** One slice of everything; answers whether more is left. */
async function expireSlice(core: Core): Promise<boolean> {
  const now = core.clock.now()
  const slice = limits.keeper.deletionSlice
  const oldest = observationPrefix(await rawLeavesBefore(core.store, now))
  const removed = [
    await core.store.deleteRange('observations', '', oldest, slice),
    await core.store.expire('alerts', now, slice),
    await core.store.expire('setAside', now, slice),
    await core.store.expire('pushedObservations', now, slice),
    await core.store.expire('observationIds', now, slice),
    await core.store.expire('series', now, slice),
    await core.store.expire('subjectTags', now, slice),
  ]
  return removed.some(count => count >= slice)
}
