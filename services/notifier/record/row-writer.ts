// Writes to the store: revisions of deliveries, and numbered rows of the delivery log. A call is repeated if the store was unavailable.

import { doubled, retry } from '#shared/async/retry.ts'
import { limits } from '#shared/limits/limits.ts'
import type { CounterDocument } from '#shared/store/collections.ts'
import { type Store, StoreError } from '#shared/store/port.ts'
import { subjectOfIncident } from '#shared/text/ids.ts'
import type { Clock } from '#shared/time/clock.ts'
import type { NotifierContext } from '../context.ts'
import type { Step } from './delivery-document.ts'
import { endedRows, type LogRow } from './log-rows.ts'

/**
 * Calls the store, and retries if the outcome is unknown. So the call must be repeatable: a read, or a put that recognises its own earlier
 * write. Rejects with the last error after limits.notifier.storeTries attempts. If no retry can help, rejects at once.
 */
export const retryStoreCall = <T>(clock: Clock, call: () => Promise<T>): Promise<T> =>
  retry(call, {
    clock,
    attempts: limits.notifier.storeTries,
    pauseMs: doubled(limits.notifier.storeRetryMs),
    mayPass: error => error instanceof StoreError && error.kind === 'unavailable',
  })

/**
 * Replaces stored deliveries by the documents of these steps. Returns the steps that were written. Leaves out steps whose delivery another
 * notifier has changed. Rejects with a StoreError.
 */
export async function replaceDeliveries<S extends Pick<Step, 'document'>>(
  { store, clock }: Pick<NotifierContext, 'store' | 'clock'>,
  steps: readonly S[],
): Promise<S[]> {
  const documents = steps.map(({ document }) => document)
  const results = await retryStoreCall(clock, () => store.replace('deliveries', documents))
  return steps.filter((_, i) => results[i] === 'written')
}

/**
 * Writes the log rows of deliveries that end unsent, then the deliveries as `replaceDeliveries` does. After a crash between the two writes,
 * another notifier writes the rows again under the same ids.
 */
export async function storeSteps<S extends Step>(context: NotifierContext, rows: RowWriter, steps: readonly S[]): Promise<S[]> {
  await rows.write(endedRows(steps, context.clock.now()))
  return await replaceDeliveries(context, steps)
}

export interface RowWriter {
  /**
   * Numbers the rows and inserts them. If a row with the same id is stored already, the stored row stays unchanged. Rejects with a
   * StoreError.
   */
  write(rows: readonly LogRow[]): Promise<void>
}

export function createRowWriter({ store, clock, logger }: Pick<NotifierContext, 'store' | 'clock' | 'logger'>): RowWriter {
  const takeNumbers = createLogNumbers(store, clock)
  return {
    write: async rows => {
      if (rows.length === 0) return
      const first = await takeNumbers(rows.length)
      const documents = rows.map((row, i) => ({ ...row, subjectId: subjectOf(row), number: first + i }))
      const results = await retryStoreCall(clock, () => store.insert('deliveryLog', documents))
      const lost = results.filter(result => result === 'taken').length
      if (lost > 0) logger.error({ rows: lost }, 'delivery log rows dropped, their numbers are in use')
    },
  }
}

const subjectOf = ({ incidentId }: LogRow): string | null => (incidentId === null ? null : subjectOfIncident(incidentId))

const counterId = 'deliveryLog'

/**
 * Returns a function that reserves `count` consecutive numbers by one guarded put. The function returns the first of these numbers. If the
 * outcome of the put is unknown, some numbers may remain unused. Rejects with a StoreError.
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
