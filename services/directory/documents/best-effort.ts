// Tidying behind a change that is done already: what a store that does not answer leaves undone reads as if it were done.
import { StoreError } from '#shared/store/port.ts'

/** Waits for the work; that the store was unavailable is nobody's business, any other failure is. */
export async function tidily(work: Promise<void>): Promise<void> {
  await work.catch(error => {
    if (!(error instanceof StoreError) || error.kind !== 'unavailable') throw error
  })
}
