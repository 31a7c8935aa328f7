// Best-effort clean-up after a committed change. Readers ignore leftovers, so an unavailable store may leave them.
import { StoreError } from '#shared/store/port.ts'

/** Waits for the work. Rejects as the work does, unless the store was unavailable. */
export async function bestEffort(work: Promise<void>): Promise<void> {
  await work.catch(error => {
    if (!(error instanceof StoreError) || error.kind !== 'unavailable') throw error
  })
}
