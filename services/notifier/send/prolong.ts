// Running attempts, and the write that lets their claims last although this notifier may seem absent from the bus (ADR 48).
import { doubled, retry } from '#shared/async/retry.ts'
import { limits, second } from '#shared/limits/limits.ts'
import { StoreError } from '#shared/store/port.ts'
import type { NotifierContext } from '../context.ts'
import { lasting } from '../record/delivery-document.ts'
import type { Job } from '../record/record.ts'

/** A running attempt. */
export interface Sending {
  /** The claimed delivery as it is stored. */
  job: Job
  /** Fires when another notifier has taken the claim over: the attempt ends without an outcome. */
  lost: AbortController
  /** Settles when the claim ends only at its deadline, or is lost; null: nobody has asked for that. */
  prolonging: Promise<void> | null
}

/**
 * Returns a function that lets the claims of attempts end only at their deadlines, and cuts off the attempts whose claims another notifier
 * has taken over. It goes on until the store has answered or `stop` fires.
 */
export function createProlonger({ store, clock, logger, options }: NotifierContext, stop: AbortSignal) {
  const stopped = new Promise<void>(resolve => stop.addEventListener('abort', () => resolve(), { once: true }))

  const prolong = async (sendings: readonly Sending[]): Promise<void> => {
    const documents = sendings.map(({ job }) => lasting(job.document, options.notifierId))
    const results = await retry(() => store.replace('deliveries', documents), {
      clock,
      pauseMs: doubled(limits.notifier.storeRetryMs, second),
      mayPass: error => error instanceof StoreError && error.kind === 'unavailable' && !stop.aborted,
    })
    for (const [i, sending] of sendings.entries()) {
      const document = documents[i]
      if (results[i] === 'written' && document !== undefined) sending.job = { ...sending.job, document }
      else sending.lost.abort()
    }
  }
  return (running: Iterable<Sending>): void => {
    const sendings = [...running].filter(({ job, prolonging }) => job.document.whilePresent && prolonging === null)
    if (sendings.length === 0) return
    const prolonged = prolong(sendings).catch(error => {
      logger.warn({ error: String(error), deliveries: sendings.length }, 'claims could not be prolonged')
    })
    const prolonging = Promise.race([prolonged, stopped])
    for (const sending of sendings) sending.prolonging = prolonging
  }
}
