// Deliverer of claimed deliveries: sends their messages and passes the outcomes to the recorder. Does not send a message if the claim of
// its delivery could end during the attempt.

import type { DeliveryEvent } from '#machines/delivery.ts'
import { isWithToken } from '#shared/channels/acknowledge-slot.ts'
import { limits } from '#shared/limits/limits.ts'
import type { LaneResponse } from '../claim/lanes.ts'
import type { NotifierContext } from '../context.ts'
import { createLogNames, messageOf } from '../record/delivery-document.ts'
import type { Job, Recorder } from '../record/record.ts'
import { createTokenMaker } from './acknowledge-links.ts'
import { type Outcome, unreachable } from './outcome.ts'
import { retryDelay, systemJitter } from './retry-delay.ts'
import type { Sender } from './sender.ts'

export type Deliverer = ReturnType<typeof createDeliverer>

/** When `stop` fires, running sends end without an outcome, and their claims are released. */
export function createDeliverer(context: NotifierContext, sender: Sender, recorder: Recorder, stop: AbortSignal) {
  const { clock, lanes, metrics, logger } = context
  const jitter = context.options.jitter ?? systemJitter
  const aboutOf = createLogNames(context)
  const tokenOf = createTokenMaker(context)
  const running = new Set<Promise<void>>()

  const send = async ({ document, destination }: Job): Promise<Outcome> => {
    if (!isWithToken(document.request)) return sender.send(messageOf(document, destination), stop)
    const token = await tokenOf(document).catch(error => {
      logger.warn({ error: String(error) }, 'key of acknowledge links could not be read')
      return null
    })
    return token === null ? keyUnread : sender.send(messageOf(document, destination, token), stop)
  }
  const run = async (job: Job) => {
    const { document, destination } = job
    const outcome = await send(job)
    const result = outcome.kind === 'refused' && !outcome.answered ? 'unreachable' : outcome.kind
    metrics.attempts.inc({ result })
    if (outcome.kind === 'refused') {
      const { error: reason, retryable } = outcome
      logger.warn({ ...aboutOf(document, destination), reason, retryable }, 'message not taken')
    }
    const event = eventOf(outcome, document.snapshot.context.attempts, clock.now(), jitter)
    // Lets the next delivery of the lane begin before this attempt is written.
    lanes.settle(document.id, responseOf(outcome))
    const mayHaveArrived = outcome.kind !== 'refused' || outcome.mayHaveArrived === true
    recorder.add({ ...job, event, mayHaveArrived })
  }

  return {
    /** Sends the jobs. The caller has reserved capacity for them in their lanes. */
    start: (jobs: readonly Job[]): void => {
      for (const job of jobs) {
        const claimEndsAt = job.document.dueAt ?? 0
        if (clock.now() + limits.notifier.sendMs >= claimEndsAt) {
          // The claim was written so late that it could end during the attempt.
          lanes.release(job.document.id)
          continue
        }
        const sending: Promise<void> = run(job).finally(() => running.delete(sending))
        running.add(sending)
      }
    },
    /** Resolves when no send is running. */
    idle: async () => {
      while (running.size > 0) await Promise.allSettled(running)
    },
  }
}

/** The next attempt reads the key again. */
const keyUnread = unreachable('the key of its link could not be read')

function eventOf(outcome: Outcome, attempt: number, at: number, jitter: () => number): DeliveryEvent {
  if (outcome.kind === 'delivered') return { type: 'attempt.delivered', at, ...(outcome.isAccepted ? { accepted: true } : {}) }
  if (outcome.kind === 'abandoned') return { type: 'claim.released', at }
  const { retryable, error, retryAfterMs } = outcome
  return { type: 'attempt.refused', at, retryable, error, retryMs: retryDelay(attempt, jitter(), retryAfterMs) }
}

function responseOf(outcome: Outcome): LaneResponse {
  if (outcome.kind !== 'refused') return outcome.kind === 'delivered' ? 'took' : null
  if (!outcome.retryable) return 'refused'
  const { answered, retryAfterMs, isRate = false } = outcome
  return answered ? { busy: true, retryAfterMs, isRate } : 'silent'
}
