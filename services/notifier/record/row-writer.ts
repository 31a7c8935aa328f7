// Writes rows of the delivery log: numbers them and inserts them. Shared by what became of deliveries and of test messages.

import type { DeliveryLogDocument } from '#shared/contracts/notifications/delivery.ts'
import { limits } from '#shared/limits/limits.ts'
import type { CounterDocument } from '#shared/store/collections.ts'
import { type Store, StoreError } from '#shared/store/port.ts'
import type { Clock } from '#shared/time/clock.ts'
import type { NotifierContext } from '../context.ts'
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

const counterId = 'deliveryLog'

export interface LogNumbers {
  /** The first of `count` numbers that nobody else has. An unknown outcome may leave a gap. Rejects with a StoreError. */
  take(count: number): Promise<number>
}

export function createLogNumbers(store: Store, clock: Clock): LogNumbers {
  let known: CounterDocument | null = null

  const tryOnce = async (count: number): Promise<number | null> => {
    known ??= (await store.get('counters', [counterId]))[0] ?? { id: counterId, rev: 0, next: 1 }
    const first = known.next
    const taken = { ...known, rev: known.rev + 1, next: first + count }
    known = null
    const [result] = await store.replace('counters', [taken])
    if (result !== 'written') return null
    known = taken
    return first
  }
  return {
    take: async count => {
      for (let tried = 0; tried < limits.notifier.numberTries; tried++) {
        const first = await retryStoreCall(clock, () => tryOnce(count))
        if (first !== null) return first
      }
      throw new StoreError('unavailable', 'No delivery log number could be taken.')
    },
  }
}
