// Best-effort clean-up after a committed change. If the store is unavailable, the clean-up is allowed to fail, because readers ignore the
// documents that remain.
import { StoreError } from '#shared/store/port.ts'

/** Waits for the work. Rejects with the work's error, but resolves if the work failed because the store was unavailable. */
export async function bestEffort(work: Promise<void>): Promise<void> {
  await work.catch(error => {
    if (!(error instanceof StoreError) || error.kind !== 'unavailable') throw error
  })
}
