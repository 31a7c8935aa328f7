// Writes to the store: revisions of deliveries, and numbered rows of the delivery log. A call is repeated if the store was unavailable.

import { doubled, retry } from '#shared/async/retry.ts'
import { limits } from '#shared/limits/limits.ts'
import type { CounterDocument } from '#shared/store/collections.ts'
import { type Store, StoreError } from '#shared/store/port.ts'
import type { Clock } from '#shared/time/clock.ts'
import type { NotifierContext } from '../context.ts'
import type { Step } from './delivery-document.ts'
import { endedRows, type LogRow } from './log-rows.ts'

/**
 * Calls the store. Retries if the outcome is unknown, so the call must be repeatable: a read, or a put that recognises its own earlier
 * write. Rejects with the last error after limits.notifier.storeTries, and at once with an error for which no retry can help.
 */
export const retryStoreCall = <T>(clock: Clock, call: () => Promise<T>): Promise<T> =>
  retry(call, {
    clock,
    attempts: limits.notifier.storeTries,
    pauseMs: doubled(limits.notifier.storeRetryMs),
    mayPass: error => error instanceof StoreError && error.kind === 'unavailable',
  })

/** Replaces the deliveries of steps. Returns the written steps; another notifier has written the others. Rejects with a StoreError. */
export async function replaceDeliveries<S extends Pick<Step, 'document'>>(
  { store, clock }: Pick<NotifierContext, 'store' | 'clock'>,
  steps: readonly S[],
): Promise<S[]> {
  const documents = steps.map(({ document }) => document)
  const results = await retryStoreCall(clock, () => store.replace('deliveries', documents))
  return steps.filter((_, i) => results[i] === 'written')
}

/**
 * Like `replaceDeliveries`, after the rows of deliveries that end unsent. A row's id does not depend on its writer, so a crash between the
 * two writes loses no row.
 */
export async function storeSteps<S extends Step>(context: NotifierContext, rows: RowWriter, steps: readonly S[]): Promise<S[]> {
  await rows.write(endedRows(steps, context.clock.now()))
  return await replaceDeliveries(context, steps)
}

export interface RowWriter {
  /** Numbers the rows and inserts them. A row whose id is stored already stays as it is. Rejects with a StoreError. */
  write(rows: readonly LogRow[]): Promise<void>
}

export function createRowWriter({ store, clock, logger }: Pick<NotifierContext, 'store' | 'clock' | 'logger'>): RowWriter {
  const takeNumbers = createLogNumbers(store, clock)
  return {
    write: async rows => {
      if (rows.length === 0) return
      const first = await takeNumbers(rows.length)
      const documents = rows.map((row, i) => ({ ...row, number: first + i }))
      const results = await retryStoreCall(clock, () => store.insert('deliveryLog', documents))
      const lost = results.filter(result => result === 'taken').length
      if (lost > 0) logger.error({ rows: lost }, 'delivery log rows dropped, their numbers are in use')
    },
  }
}

const counterId = 'deliveryLog'

/**
 * Returns a function that reserves a block of running numbers by one guarded put, and returns the first number. An unknown outcome may
 * leave a gap. Rejects with a StoreError.
 */
function createLogNumbers(store: Store, clock: Clock): (count: number) => Promise<number> {
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
  return async count => {
    for (let tried = 0; tried < limits.notifier.numberTries; tried++) {
      const first = await retryStoreCall(clock, () => tryOnce(count))
      if (first !== null) return first
    }
    throw new StoreError('unavailable', 'No delivery log number could be taken.')
  }
}
