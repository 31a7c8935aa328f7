// What expires is removed in slices, by the holder of partition 0 alone, where the store does not do it by itself.
import type { Cancel } from '#shared/clock.ts'
import { observationPrefix } from '#shared/ids.ts'
import { limits } from '#shared/limits.ts'
import type { Core } from './core.ts'
import { rawLeavesBefore } from './roll-up/progress.ts'

/** Removes expired observations, alerts and inputs set aside; a slice at a time, with a pause between slices. */
export function startHousekeeping(core: Core, isOurs: () => boolean): { stop(): void } {
  let cancel: Cancel = () => undefined
  const again = (delayMs: number) => {
    cancel = core.clock.after(delayMs, () => {
      const slice = isOurs() ? expireSlice(core) : Promise.resolve(false)
      void slice
        .catch(error => {
          core.logger.warn({ err: error }, 'expired documents could not be removed; tried again later')
          return false
        })
        .then(isMore => again(isMore ? limits.keeper.expireSliceMs : limits.keeper.expireMs))
    })
  }
  again(limits.keeper.expireMs)
  return { stop: () => cancel() }
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
    await core.store.expire('series', now, slice),
  ]
  return removed.some(count => count >= slice)
}
