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
import { createProlonger, type Sending } from './prolong.ts'
import { retryDelay, systemJitter } from './retry-delay.ts'
import type { Sender } from './sender.ts'

export type Deliverer = ReturnType<typeof createDeliverer>

/** When `stop` fires, running sends end without an outcome, and their claims are released. */
export function createDeliverer(context: NotifierContext, sender: Sender, recorder: Recorder, stop: AbortSignal) {
  const { clock, lanes, metrics, logger } = context
  const jitter = context.options.jitter ?? systemJitter
  const aboutOf = createLogNames(context)
  const tokenOf = createTokenMaker(context)
  const prolong = createProlonger(context, stop)
  const running = new Map<Sending, Promise<void>>()

  const send = async ({ job: { document, destination }, lost }: Sending): Promise<Outcome> => {
    const until = AbortSignal.any([stop, lost.signal])
    if (!isWithToken(document.request)) return sender.send(messageOf(document, destination), until)
    const token = await tokenOf(document).catch(error => {
      logger.warn({ error: String(error) }, 'key of acknowledge links could not be read')
      return null
    })
    return token === null ? keyUnread : sender.send(messageOf(document, destination, token), until)
  }
  const run = async (sending: Sending) => {
    const { document, destination } = sending.job
    await sending.prolonging
    if (sending.lost.signal.aborted) return lanes.release(document.id)
    const outcome = await send(sending)
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
    await sending.prolonging
    recorder.add({ ...sending.job, event, mayHaveArrived })
  }
  const prolongAll = () => prolong(running.keys())

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
        const sending: Sending = { job, lost: new AbortController(), prolonging: null }
        const begun = Promise.resolve().then(() => run(sending))
        running.set(
          sending,
          begun.finally(() => running.delete(sending)),
        )
      }
      if (!context.isSeen()) prolongAll()
    },
    /** Lets the claims of all running attempts end only at their deadlines. Called when this notifier may seem absent. */
    prolongAll,
    /** Resolves when no send is running. */
    idle: async () => {
      while (running.size > 0) await Promise.allSettled(running.values())
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
