// Sends claimed deliveries and hands what came of it to the recorder. Sends nothing whose claim could end meanwhile.
import type { DeliveryEvent } from '#machines/delivery.ts'
import { limits } from '#shared/limits/limits.ts'
import type { News } from '../claim/lanes.ts'
import type { NotifierContext } from '../context.ts'
import { createLogNames, messageOf } from '../record/delivery-document.ts'
import type { Job, Recorder } from '../record/record.ts'
import type { Outcome } from './outcome.ts'
import { retryDelay, systemJitter } from './retry-delay.ts'
import type { Sender } from './send.ts'

export interface Deliverer {
  /** The jobs' room is taken already; it is given back when they are recorded. */
  start(jobs: readonly Job[]): void
  /** Resolves when no send runs. */
  idle(): Promise<void>
}

/** Once `stop` fires, running sends end without an outcome, and their claims are given back. */
export function createDeliverer(context: NotifierContext, sender: Sender, recorder: Recorder, stop: AbortSignal): Deliverer {
  const { clock, lanes, metrics, logger } = context
  const jitter = context.options.jitter ?? systemJitter
  const aboutOf = createLogNames(context)
  const running = new Set<Promise<void>>()

  const run = async (job: Job) => {
    const { document, destination } = job
    const outcome = await sender.send(messageOf(document, destination.url), stop)
    const result = outcome.kind === 'refused' && !outcome.answered ? 'unreachable' : outcome.kind
    metrics.attempts.inc({ result })
    if (outcome.kind === 'refused') {
      const { error: reason, retryable } = outcome
      logger.warn({ ...aboutOf(document, destination), reason, retryable }, 'message not taken')
    }
    const event = eventOf(outcome, document.snapshot.context.attempts, clock.now(), jitter)
    // The next one need not wait until this one is written.
    lanes.settle(document.id, newsOf(outcome))
    recorder.add({ ...job, event })
  }

  return {
    start: jobs => {
      for (const job of jobs) {
        const claimEndsAt = job.document.dueAt ?? 0
        if (clock.now() + limits.notifier.sendMs >= claimEndsAt) {
          // Committing took so long that the claim could end while the message is under way.
          lanes.release(job.document.id)
          continue
        }
        const sending: Promise<void> = run(job).finally(() => running.delete(sending))
        running.add(sending)
      }
    },
    idle: async () => {
      while (running.size > 0) await Promise.allSettled(running)
    },
  }
}

function eventOf(outcome: Outcome, attempt: number, at: number, jitter: () => number): DeliveryEvent {
  if (outcome.kind === 'delivered') return { type: 'attempt.delivered', at }
  if (outcome.kind === 'abandoned') return { type: 'claim.released', at }
  const { retryable, error, retryAfterMs } = outcome
  return { type: 'attempt.refused', at, retryable, error, retryMs: retryDelay(attempt, jitter(), retryAfterMs) }
}

function newsOf(outcome: Outcome): News {
  if (outcome.kind !== 'refused') return outcome.kind === 'delivered' ? 'took' : null
  if (!outcome.retryable) return 'refused'
  return outcome.answered ? 'busy' : 'silent'
}
