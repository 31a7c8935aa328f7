// Sends the operator's messages: one at a time, each condition's in their order, retried with doubled pauses until they are given up.
// Nothing here repeats the receiver's address.

import type { ConditionDocument, OperatorMessage } from '#shared/contracts/incidents/condition.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Cancel } from '#shared/time/clock.ts'
import type { Outcome } from '../send/outcome.ts'
import { retryDelay } from '../send/retry-delay.ts'
import type { Sender } from '../send/send.ts'
import { signatureOf } from '../send/signature.ts'
import type { Conditions } from './conditions.ts'
import type { OperatorContext } from './context.ts'
import type { OperatorMetrics } from './metrics.ts'

export interface Outbox {
  /** Sends what this process has just claimed by its put. */
  send(claimed: ConditionDocument): void
  /** Claims and sends what is due: a retry, or what a dead notifier left. */
  sendDue(): void
  /** Sends a message that the store could not take, and repeats it from memory. */
  sendUnstored(message: OperatorMessage): void
  /** Resolves when nothing is being sent. */
  idle(): Promise<void>
  stop(): void
}

interface Collaborators {
  context: OperatorContext
  conditions: Conditions
  sender: Sender
  metrics: OperatorMetrics
  /** A send that runs when it fires ends without an outcome. */
  cutOff: AbortSignal
}

/** How a message stands after an attempt. */
interface Standing {
  isOver: boolean
  attempts: number
  dueAt: number
}

export function createOutbox(collaborators: Collaborators): Outbox {
  const { context, conditions } = collaborators
  const { enqueue, later, idle, stop } = createTurns(context)

  const deliver = async (claimed: ConditionDocument): Promise<void> => {
    const [message] = claimed.unsent
    if (message === undefined || context.webhook === null) return
    const standing = await attempt(collaborators, message, claimed.attempts)
    const stored = await record(conditions, claimed, message, standing)
    if (stored !== null && stored.dueAt !== null) later(stored.dueAt - context.clock.now(), () => claim(stored.id))
  }
  const claim = async (id: string): Promise<void> => {
    const present = conditions.byId(id)
    if (present === null || context.webhook === null || !isDue(present, context.clock.now())) return
    const over = { claimedBy: context.notifierId, dueAt: context.clock.now() + limits.operator.claimMs }
    const claimed = await conditions.put(present, over)
    if (claimed !== null) await deliver(claimed)
  }
  /** Asked for by every look while they wait for their turn. */
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
    send: claimed =>
      enqueue(async () => {
        // Its turn may have come so late that another notifier takes it: then the next look finds it due.
        if (context.clock.now() + limits.notifier.sendMs < (claimed.dueAt ?? 0)) await deliver(claimed)
      }),
    sendDue: () => {
      const now = context.clock.now()
      for (const one of conditions.all()) if (isDue(one, now)) claimInTurn(one.id)
    },
    sendUnstored: message => enqueue(() => unstored(message, 0)),
    idle,
    stop,
  }
}

const isDue = ({ dueAt }: ConditionDocument, now: number): boolean => dueAt !== null && dueAt <= now

/** One after the other: an operator's receiver gets few messages, in the order of what happened. */
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

/** One attempt and what follows from it, logged and counted. `attempts`: those before it. */
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
  { webhook }: OperatorContext,
  sender: Sender,
  { id, at, body }: OperatorMessage,
  cutOff: AbortSignal,
): Promise<Outcome> {
  if (webhook === null) return { kind: 'abandoned' }
  const secrets = webhook.secret === null ? [] : [{ id: '', secret: webhook.secret, createdAt: 0, expiresAt: null }]
  const signature = signatureOf(secrets, { id, madeAt: at, body })
  return sender.send({ url: webhook.url, body, idempotencyKey: id, madeAt: at, signature }, cutOff)
}

/** The document may have got another message while this one was sent. Null where the message is not the first any more. */
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
