// Writes what came of attempts: first the log rows, then the deliveries' next revision, both in bulk. Keeps trying while the
// store does not answer, because the message is out and only this knows it.
import type { DeliveryEvent } from '#machines/delivery.ts'
import type { DeliveryLogDocument } from '#shared/contracts/delivery.ts'
import type { DestinationDocument } from '#shared/contracts/destination.ts'
import { limits } from '#shared/limits.ts'
import { StoreError } from '#shared/store/port.ts'
import { createBatchLoop } from './batch-loop.ts'
import { nextRevision, type Step } from './delivery-document.ts'
import type { FollowUp } from './follow-up.ts'
import { createLogNumbers } from './log-numbers.ts'
import type { Parts } from './parts.ts'
import { persistently } from './persistently.ts'

/** A claimed delivery as it is stored, and where it goes. */
export interface Job {
  document: Step['document']
  destination: DestinationDocument
}

export interface Finished extends Job {
  event: DeliveryEvent
  /** As `Lanes.release` takes it. */
  answered: boolean | null
}

export interface Recorder {
  add(finished: Finished): void
  /** Resolves when everything is written, or given up. */
  idle(): Promise<void>
  /** From now on a batch that the store refuses to answer is given up: its claims lapse. */
  giveUp(): void
}

/** `onRoom` is called when deliveries have left their lanes. */
export function createRecorder(parts: Parts, followUp: FollowUp, onRoom: () => void): Recorder {
  const { store, clock, logger, lanes, metrics, options } = parts
  const numbers = createLogNumbers(store, clock)
  let givingUp = false

  const writeLog = async (rows: Omit<DeliveryLogDocument, 'number'>[]) => {
    if (rows.length === 0) return
    const first = await numbers.take(rows.length)
    const documents = rows.map((row, i) => ({ ...row, number: first + i }))
    const results = await persistently(clock, () => store.insert('deliveryLog', documents))
    const lost = results.filter(result => result === 'taken').length
    if (lost > 0) logger.error({ rows: lost }, 'Delivery log rows met numbers that are in use and were dropped')
  }

  const write = async (steps: readonly Step[], rows: Omit<DeliveryLogDocument, 'number'>[]): Promise<Step[]> => {
    for (let logged = false; ; ) {
      try {
        if (!logged) await writeLog(rows)
        logged = true
        const results = await persistently(clock, () =>
          store.replace(
            'deliveries',
            steps.map(({ document }) => document),
          ),
        )
        return steps.filter((_, i) => results[i] === 'written')
      } catch (error) {
        logger.warn({ error: String(error), attempts: steps.length }, 'Could not write what came of attempts')
        const isUnavailable = error instanceof StoreError && error.kind === 'unavailable'
        if (givingUp || (!isUnavailable && logged)) return []
        // Rows that the store will never take must not hold the deliveries back.
        logged ||= !isUnavailable
      }
    }
  }

  const handle = async (batch: Finished[]) => {
    const steps: Step[] = []
    const rows: Omit<DeliveryLogDocument, 'number'>[] = []
    for (const finished of batch) {
      const step = nextRevision(finished.document, [finished.event], options.notifierId)
      if (step === null) continue
      steps.push(step)
      rows.push(...logRows(step, finished.destination))
    }
    const stored = steps.length > 0 ? await write(steps, rows) : []
    if (stored.length < steps.length) metrics.overtaken.inc(steps.length - stored.length)
    for (const { document, answered } of batch) lanes.release(document.id, answered)
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

/** One row per attempt (spec D 2, Delivery log): the destination as it was called then, the exact body, never the address. */
function logRows({ document, effects }: Step, destination: DestinationDocument): Omit<DeliveryLogDocument, 'number'>[] {
  return effects
    .filter(effect => effect.type === 'logAttempt')
    .map(({ params }) => ({
      id: `${document.id}.${params.attempt}`,
      rev: 1,
      workspaceId: document.workspaceId,
      destinationId: destination.id,
      destinationName: destination.name,
      destinationType: destination.type,
      alertKind: document.alertKind,
      status: params.status,
      payload: document.body ?? '',
      error: params.error,
      incidentId: document.incidentId,
      at: params.at,
      expireAt: params.at + limits.notifier.logMs,
    }))
}
