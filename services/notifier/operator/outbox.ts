// Sends the operator's messages: one at a time, each condition's in their order, retried with doubled pauses until they are given up.
// Nothing here repeats the receiver's address.
import type { Cancel } from '#shared/clock.ts'
import type { ConditionDocument, OperatorMessage } from '#shared/contracts/condition.ts'
import { limits } from '#shared/limits.ts'
import type { Outcome } from '../outcome.ts'
import { retryDelay } from '../retry-delay.ts'
import type { Sender } from '../send.ts'
import { signatureOf } from '../signature.ts'
import type { Conditions } from './conditions.ts'
import type { OperatorMetrics } from './metrics.ts'
import type { OperatorParts } from './parts.ts'

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

interface Means {
  parts: OperatorParts
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

export function createOutbox(means: Means): Outbox {
  const { parts, conditions } = means
  const { enqueue, later, idle, stop } = createTurns(parts)

  const deliver = async (claimed: ConditionDocument): Promise<void> => {
    const [message] = claimed.unsent
    if (message === undefined || parts.webhook === null) return
    const standing = await attempt(means, message, claimed.attempts)
    const stored = await record(conditions, claimed, message, standing)
    if (stored !== null && stored.dueAt !== null) later(stored.dueAt - parts.clock.now(), () => claim(stored.id))
  }
  const claim = async (id: string): Promise<void> => {
    const present = conditions.byId(id)
    if (present === null || parts.webhook === null || !isDue(present, parts.clock.now())) return
    const over = { claimedBy: parts.notifierId, dueAt: parts.clock.now() + limits.operator.claimMs }
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
    const standing = await attempt(means, message, attempts)
    if (!standing.isOver) later(standing.dueAt - parts.clock.now(), () => unstored(message, standing.attempts))
  }
  return {
    send: claimed =>
      enqueue(async () => {
        // Its turn may have come so late that another notifier takes it: then the next look finds it due.
        if (parts.clock.now() + limits.notifier.sendMs < (claimed.dueAt ?? 0)) await deliver(claimed)
      }),
    sendDue: () => {
      const now = parts.clock.now()
      for (const one of conditions.all()) if (isDue(one, now)) claimInTurn(one.id)
    },
    sendUnstored: message => enqueue(() => unstored(message, 0)),
    idle,
    stop,
  }
}

const isDue = ({ dueAt }: ConditionDocument, now: number): boolean => dueAt !== null && dueAt <= now

/** One after the other: an operator's receiver gets few messages, in the order of what happened. */
function createTurns({ clock, logger, stopping }: OperatorParts) {
  const timers = new Set<Cancel>()
  let last: Promise<void> = Promise.resolve()

  const enqueue = (work: () => Promise<void>) => {
    last = last
      .then(() => (stopping() ? undefined : work()))
      .catch(error => logger.warn({ error: String(error) }, 'operator message not recorded'))
  }
  const later = (delayMs: number, work: () => Promise<void>) => {
    if (stopping()) return
    const cancel = clock.after(Math.max(0, delayMs), () => {
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
async function attempt({ parts, sender, metrics, cutOff }: Means, message: OperatorMessage, attempts: number): Promise<Standing> {
  const outcome = await post(parts, sender, message, cutOff)
  const now = parts.clock.now()
  if (outcome.kind === 'abandoned') return { isOver: false, attempts, dueAt: now }
  const about = { type: message.type, messageId: message.id, attempts: attempts + 1 }
  if (outcome.kind === 'delivered') {
    metrics.messages.inc({ outcome: 'delivered' })
    parts.logger.info(about, 'operator message delivered')
    return { isOver: true, attempts: 0, dueAt: now }
  }
  const dueAt = now + retryDelay(attempts + 1, parts.jitter(), outcome.retryAfterMs)
  const isOver = !outcome.retryable || dueAt > message.at + limits.operator.giveUpMs
  metrics.messages.inc({ outcome: isOver ? 'failed' : 'retried' })
  const why = { ...about, reason: outcome.error }
  if (isOver) parts.logger.error(why, 'operator message given up')
  else parts.logger.warn(why, 'operator message not taken')
  return { isOver, attempts: isOver ? 0 : attempts + 1, dueAt }
}

async function post(
  { webhook }: OperatorParts,
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
