// Recorder of ended attempts: writes their log rows, then the next revisions of their deliveries, in bulk. Retries while the store is
// unavailable, because only this process knows that the messages were sent.

import type { DeliveryEvent } from '#machines/delivery.ts'
import type { DeliveryDocument } from '#shared/contracts/notifications/delivery.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import { limits } from '#shared/limits/limits.ts'
import { StoreError } from '#shared/store/port.ts'
import { createBatchLoop } from '../batch-loop.ts'
import type { NotifierContext } from '../context.ts'
import type { FollowUp } from '../decide/follow-up.ts'
import { asReached, nextRevision, type Step } from './delivery-document.ts'
import { attemptRows, type LogRow } from './log-rows.ts'
import { type RowWriter, replaceDeliveries } from './row-writer.ts'

/** A claimed delivery as it is stored, and its destination. */
export interface Job {
  document: DeliveryDocument
  destination: DestinationDocument
}

interface Finished extends Job {
  event: DeliveryEvent
  /** Whether the receiver got the message, or may have got it. */
  mayHaveArrived: boolean
}

export type Recorder = ReturnType<typeof createRecorder>

/** `onRoom` is called when the lanes have free capacity again. */
export function createRecorder(context: NotifierContext, log: RowWriter, followUp: FollowUp, onRoom: () => void) {
  const { logger, lanes, metrics, options } = context
  let givingUp = false

  const write = async (steps: readonly Step[], rows: LogRow[]): Promise<Step[]> => {
    for (let logged = false; ; ) {
      try {
        if (!logged) await log.write(rows)
        logged = true
        return await replaceDeliveries(context, steps)
      } catch (error) {
        logger.warn({ error: String(error), attempts: steps.length }, 'attempt results could not be written')
        const isUnavailable = error instanceof StoreError && error.kind === 'unavailable'
        if (givingUp || (!isUnavailable && logged)) return []
        // If the store is available but refuses the rows, the deliveries are recorded without rows.
        logged ||= !isUnavailable
      }
    }
  }
  const handle = async (batch: Finished[]) => {
    // The attempts have freed their capacity, so the next deliveries are claimed while the attempts are written.
    onRoom()
    const steps: Step[] = []
    const rows: LogRow[] = []
    for (const { document, destination, event, mayHaveArrived } of batch) {
      const step = nextRevision(mayHaveArrived ? asReached(document) : document, [event], options.notifierId)
      if (step === null) continue
      steps.push({ ...step, destination })
      rows.push(...attemptRows(step, destination))
    }
    const stored = steps.length > 0 ? await write(steps, rows) : []
    if (stored.length < steps.length) metrics.overtaken.inc(steps.length - stored.length)
    for (const { document, destination, event } of batch) {
      lanes.release(document.id)
      const isDelivered = event.type === 'attempt.delivered'
      // Servers that cannot take a message away are well.
      const isFailed = event.type === 'attempt.refused' && document.alertKind !== 'withdrawn'
      if (isDelivered || isFailed) context.noteAttempt(destination, { isDelivered, at: event.at })
    }
    onRoom()
    await followUp.run(stored)
  }
  const loop = createBatchLoop<Finished>(limits.notifier.batch, handle)
  return {
    add: (finished: Finished) => loop.add([finished]),
    /** Resolves when all attempts are written or given up. */
    idle: loop.idle,
    /** Stops the retries of a batch that the store does not accept. The claims of the batch's deliveries then end by themselves. */
    giveUp: () => {
      givingUp = true
    },
  }
}
