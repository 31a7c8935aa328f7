// Writes what came of attempts: first the log rows, then the deliveries' next revision, both in bulk. Keeps trying while the
// store does not answer, because the message is out and only this knows it.
import type { DeliveryEvent } from '#machines/delivery.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import { limits } from '#shared/limits/limits.ts'
import { StoreError } from '#shared/store/port.ts'
import { createBatchLoop } from '../batch-loop.ts'
import type { NotifierContext } from '../context.ts'
import type { FollowUp } from '../decide/follow-up.ts'
import { nextRevision, type Step } from './delivery-document.ts'
import { attemptRows } from './log-rows.ts'
import { retryStoreCall } from './retry-store-call.ts'
import type { LogRow, RowWriter } from './row-writer.ts'

/** A claimed delivery as it is stored, and where it goes. */
export interface Job {
  document: Step['document']
  destination: DestinationDocument
}

export interface Finished extends Job {
  event: DeliveryEvent
}

export interface Recorder {
  add(finished: Finished): void
  /** Resolves when everything is written, or given up. */
  idle(): Promise<void>
  /** From now on a batch that the store refuses to answer is given up: its claims lapse. */
  giveUp(): void
}

/** `onRoom` is called when others may be sent. */
export function createRecorder(context: NotifierContext, log: RowWriter, followUp: FollowUp, onRoom: () => void): Recorder {
  const { store, clock, logger, lanes, metrics, options } = context
  let givingUp = false

  const write = async (steps: readonly Step[], rows: LogRow[]): Promise<Step[]> => {
    for (let logged = false; ; ) {
      try {
        if (!logged) await log.write(rows)
        logged = true
        const results = await retryStoreCall(clock, () =>
          store.replace(
            'deliveries',
            steps.map(({ document }) => document),
          ),
        )
        return steps.filter((_, i) => results[i] === 'written')
      } catch (error) {
        logger.warn({ error: String(error), attempts: steps.length }, 'attempt results could not be written')
        const isUnavailable = error instanceof StoreError && error.kind === 'unavailable'
        if (givingUp || (!isUnavailable && logged)) return []
        // Rows that the store will never take must not hold the deliveries back.
        logged ||= !isUnavailable
      }
    }
  }

  const handle = async (batch: Finished[]) => {
    // Their room is free already: what follows them is claimed while they are written, as many at once.
    onRoom()
    const steps: Step[] = []
    const rows: LogRow[] = []
    for (const finished of batch) {
      const step = nextRevision(finished.document, [finished.event], options.notifierId)
      if (step === null) continue
      steps.push({ ...step, destination: finished.destination })
      rows.push(...attemptRows(step, finished.destination))
    }
    const stored = steps.length > 0 ? await write(steps, rows) : []
    if (stored.length < steps.length) metrics.overtaken.inc(steps.length - stored.length)
    for (const { document, destination, event } of batch) {
      lanes.release(document.id)
      const isDelivered = event.type === 'attempt.delivered'
      if (isDelivered || event.type === 'attempt.refused') context.noteAttempt(destination, { isDelivered, at: event.at })
    }
    onRoom()
    await followUp.run(stored)
  }

  const loop = createBatchLoop<Finished>(limits.notifier.batch, handle)
  return {
    add: finished => loop.add([finished]),
    idle: loop.idle,
    giveUp: () => {
      givingUp = true
    },
  }
}
