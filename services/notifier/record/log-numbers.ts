// The running number of delivery log rows: each batch of rows takes its block by one guarded put.

import { limits } from '#shared/limits/limits.ts'
import type { CounterDocument } from '#shared/store/collections.ts'
import { type Store, StoreError } from '#shared/store/port.ts'
import type { Clock } from '#shared/time/clock.ts'
import { retryStoreCall } from './retry-store-call.ts'

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
