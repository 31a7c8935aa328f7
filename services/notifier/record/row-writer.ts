// Writes rows of the delivery log: numbers them and inserts them. Shared by what became of deliveries and of test messages.
import type { DeliveryLogDocument } from '#shared/contracts/notifications/delivery.ts'
import type { NotifierContext } from '../context.ts'
import { createLogNumbers } from './log-numbers.ts'
import { retryStoreCall } from './retry-store-call.ts'

export type LogRow = Omit<DeliveryLogDocument, 'number'>

export interface RowWriter {
  /** Rejects with a StoreError; a row whose id is there already is left as it is. */
  write(rows: readonly LogRow[]): Promise<void>
}

export function createRowWriter({ store, clock, logger }: Pick<NotifierContext, 'store' | 'clock' | 'logger'>): RowWriter {
  const numbers = createLogNumbers(store, clock)
  return {
    write: async rows => {
      if (rows.length === 0) return
      const first = await numbers.take(rows.length)
      const documents = rows.map((row, i) => ({ ...row, number: first + i }))
      const results = await retryStoreCall(clock, () => store.insert('deliveryLog', documents))
      const lost = results.filter(result => result === 'taken').length
      if (lost > 0) logger.error({ rows: lost }, 'delivery log rows dropped, their numbers are in use')
    },
  }
}

/** The error of a row; a delivered one has none, whatever is to be said of its body. */
export const withNote = (error: string, note: string | null | undefined): string =>
  error === '' || !note ? error : `${error}; ${note}`
