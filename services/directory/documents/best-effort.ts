// Best-effort clean-up after a committed change. Readers ignore leftover documents, so the clean-up may fail if the store is unavailable.
import { StoreError } from '#shared/store/port.ts'

/** Waits for the work. Rejects with the error of the work, except if the store was unavailable. */
export async function bestEffort(work: Promise<void>): Promise<void> {
  await work.catch(error => {
    if (!(error instanceof StoreError) || error.kind !== 'unavailable') throw error
  })
}
