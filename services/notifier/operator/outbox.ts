// Outbox of messages to the operator. Sends one message at a time, and the messages of one condition in their order. After each failed
// attempt the pause doubles, until the outbox gives the message up. Never logs the receiver's address.

import { plainChannel } from '#shared/channels/registry.ts'
import type { ConditionDocument, OperatorMessage } from '#shared/contracts/incidents/condition.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Cancel } from '#shared/time/clock.ts'
import { messageTo } from '../send/message.ts'
import type { Outcome } from '../send/outcome.ts'
import { retryDelay } from '../send/retry-delay.ts'
import type { Sender } from '../send/sender.ts'
import { signatureOf } from '../send/signature.ts'
import type { Conditions } from './conditions.ts'
import type { OperatorContext } from './context.ts'
import type { OperatorMetrics } from './metrics.ts'

export type Outbox = ReturnType<typeof createOutbox>

interface Collaborators {
  context: OperatorContext
  conditions: Conditions
  sender: Sender
  metrics: OperatorMetrics
  /** When this signal fires, a running send ends without an outcome. */
  cutOff: AbortSignal
}

/** State of a message after an attempt. */
interface Standing {
  isOver: boolean
  attempts: number
  dueAt: number
}

export function createOutbox(collaborators: Collaborators) {
  const { context, conditions } = collaborators
  const { enqueue, later, idle, stop } = createTurns(context)

  const deliver = async (claimed: ConditionDocument): Promise<void> => {
    const [message] = claimed.unsent
    if (message === undefined || context.receiver === null) return
    const standing = await attempt(collaborators, message, claimed.attempts)
    const stored = await record(conditions, claimed, message, standing)
    if (stored !== null && stored.dueAt !== null) later(stored.dueAt - context.clock.now(), () => claim(stored.id))
  }
  const claim = async (id: string): Promise<void> => {
    const present = conditions.byId(id)
    if (present === null || context.receiver === null || !isDue(present, context.clock.now())) return
    const over = { claimedBy: context.notifierId, dueAt: context.clock.now() + limits.operator.claimMs }
    const claimed = await conditions.put(present, over)
    if (claimed !== null) await deliver(claimed)
  }
  /**
   * Ids of conditions with a due message that waits for its turn. Each check finds due messages again, so this set prevents that one waits
   * twice.
   */
  const waiting = new Set<string>()
  const claimInTurn = (id: string) => {
    if (waiting.has(id)) return
    waiting.add(id)
    enqueue(async () => {
      waiting.delete(id)
      await claim(id)
    })
  }
  const unstored = async (message: OperatorMessage, attempts: number): Promise<void> => {
    const standing = await attempt(collaborators, message, attempts)
    if (!standing.isOver) later(standing.dueAt - context.clock.now(), () => unstored(message, standing.attempts))
  }
  return {
    /** Sends the message of this condition. This process claimed the message when it stored the document of the condition. */
    send: (claimed: ConditionDocument): void =>
      enqueue(async () => {
        // Sends only if the attempt ends before the claim does. After the claim's end the message is due again, and another notifier may
        // send it.
        if (context.clock.now() + limits.notifier.sendMs < (claimed.dueAt ?? 0)) await deliver(claimed)
      }),
    /** Claims and sends due messages: retries, and messages of a dead notifier. */
    sendDue: (): void => {
      const now = context.clock.now()
      for (const one of conditions.all()) if (isDue(one, now)) claimInTurn(one.id)
    },
    /** Sends a message that the store could not store. Its retries exist only in memory. */
    sendUnstored: (message: OperatorMessage): void => enqueue(() => unstored(message, 0)),
    /** Resolves when no message is being sent. */
    idle,
    stop,
  }
}

const isDue = ({ dueAt }: ConditionDocument, now: number): boolean => dueAt !== null && dueAt <= now

/** Runs work one after another, so that the operator's receiver gets messages in the order of the changes. */
function createTurns({ clock, logger, stopping }: OperatorContext) {
  const timers = new Set<Cancel>()
  let last: Promise<void> = Promise.resolve()

  const enqueue = (work: () => Promise<void>) => {
    last = last
      .then(() => (stopping() ? undefined : work()))
      .catch(error => logger.warn({ error: String(error) }, 'operator message not recorded'))
  }
  const later = (delayMs: number, work: () => Promise<void>) => {
    if (stopping()) return
    const cancel = clock.schedule(Math.max(0, delayMs), () => {
      timers.delete(cancel)
      enqueue(work)
    })
    timers.add(cancel)
  }
  const stop = () => {
    for (const cancel of timers) cancel()
    timers.clear()
  }
  return { enqueue, later, stop, idle: () => last }
}

/**
 * Makes one attempt to send the message. Logs and counts the attempt, and returns the new state of the message. `attempts`: number of
 * earlier attempts.
 */
async function attempt(
  { context, sender, metrics, cutOff }: Collaborators,
  message: OperatorMessage,
  attempts: number,
): Promise<Standing> {
  const outcome = await post(context, sender, message, cutOff)
  const now = context.clock.now()
  if (outcome.kind === 'abandoned') return { isOver: false, attempts, dueAt: now }
  const about = { type: message.type, messageId: message.id, attempts: attempts + 1 }
  if (outcome.kind === 'delivered') {
    metrics.messages.inc({ outcome: 'delivered' })
    context.logger.info(about, 'operator message delivered')
    return { isOver: true, attempts: 0, dueAt: now }
  }
  const dueAt = now + retryDelay(attempts + 1, context.jitter(), outcome.retryAfterMs)
  const isOver = !outcome.retryable || dueAt > message.at + limits.operator.giveUpMs
  metrics.messages.inc({ outcome: isOver ? 'failed' : 'retried' })
  const why = { ...about, reason: outcome.error }
  if (isOver) context.logger.error(why, 'operator message given up')
  else context.logger.warn(why, 'operator message not taken')
  return { isOver, attempts: isOver ? 0 : attempts + 1, dueAt }
}

async function post(
  { receiver }: OperatorContext,
  sender: Sender,
  { id, at, body }: OperatorMessage,
  cutOff: AbortSignal,
): Promise<Outcome> {
  if (receiver === null) return { kind: 'abandoned' }
  const { type, carry } = plainChannel
  const secrets = receiver.secret === null ? [] : [{ id: '', secret: receiver.secret, createdAt: 0, expiresAt: null }]
  const marks = { idempotencyKey: id, madeAt: at, signature: signatureOf(secrets, { id, madeAt: at, body }) }
  const destination = { type, url: receiver.url, channel: '', sendOnOpen: false }
  return sender.send(messageTo(plainChannel, destination, carry({ contentType: 'application/json', body }), marks), cutOff)
}

/**
 * Stores the state of a message after an attempt. Further messages may have been added to the document meanwhile. Returns null if the
 * message is no longer the document's first.
 */
async function record(
  conditions: Conditions,
  claimed: ConditionDocument,
  message: OperatorMessage,
  { isOver, attempts, dueAt }: Standing,
): Promise<ConditionDocument | null> {
  let present: ConditionDocument | null = conditions.byId(claimed.id)
  for (let tried = 0; tried < limits.operator.guardedTries && present?.unsent[0]?.id === message.id; tried++) {
    const unsent = isOver ? present.unsent.slice(1) : present.unsent
    const next = { unsent, attempts, claimedBy: null, dueAt: unsent.length === 0 ? null : dueAt }
    const stored = await conditions.put(present, next)
    if (stored !== null) return stored
    present = await conditions.read(claimed.id)
  }
  return null
}
