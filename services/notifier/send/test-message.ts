// Sender of test messages on request: one attempt without a retry, a time-out of 3 s, and one row of the delivery log. A test message is no
// delivery: it waits for no other message, and no message waits for it.

import { waitAtMost } from '#shared/async/wait-at-most.ts'
import { serve } from '#shared/bus/clients/serve.ts'
import type { Subscription } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import { testTitle, testWords } from '#shared/channels/message/words.ts'
import { channelOf, isOfV2, staysOpen } from '#shared/channels/registry.ts'
import type { AlertDocument } from '#shared/contracts/incidents/alert.ts'
import { TestMessage, type TestMessageResult } from '#shared/contracts/notifications/delivery.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { StoreError } from '#shared/store/port.ts'
import { randomId } from '#shared/text/ids.ts'
import { wallOf } from '#shared/time/clock.ts'
import { notPrepared } from '../claim/claim-step.ts'
import type { NotifierContext } from '../context.ts'
import { type LogRow, placeOf, reasonOf, withNote } from '../record/log-rows.ts'
import type { RowWriter } from '../record/row-writer.ts'
import { messageTo } from './message.ts'
import type { MadeMessage, MessageMaker } from './message-maker.ts'
import { type Outcome, unreachable } from './outcome.ts'
import type { Sender } from './sender.ts'
import { signatureOf } from './signature.ts'

const { testMs, testsAtOnce, testLogMs, logMs } = limits.notifier

interface Collaborators {
  maker: MessageMaker
  sender: Sender
  rows: RowWriter
  /** When this signal fires, running tests fail. */
  stop: AbortSignal
}

/** Resolves once tests are served. `close` waits for running tests. */
export function serveTestMessages(
  context: NotifierContext,
  queue: string,
  { maker, sender, rows, stop }: Collaborators,
): Promise<Subscription> {
  const { bus, clock, logger } = context
  let running = 0

  const test = async ({ destinationId }: TestMessage): Promise<TestMessageResult> => {
    const destination = await readDestination(context, destinationId)
    const alert = testAlert(destination, wallOf(clock))
    await maker.prepare([alert], [destination]).catch(refuseUnread)
    const made = maker.make(alert, destination)
    const startedAt = clock.monotonic()
    const opened = made === null ? unprepared : await send(sender, destination, alert, made, { stop, timeoutMs: testMs })
    // What a test opens over there is ended at once.
    const end = opened.kind === 'delivered' && staysOpen(destination.type) ? maker.make(asEnded(alert), destination) : null
    const timeoutMs = Math.max(1, testMs - (clock.monotonic() - startedAt))
    const outcome = end === null ? opened : await send(sender, destination, asEnded(alert), end, { stop, timeoutMs })
    context.metrics.tests.inc({ result: outcome.kind })
    // A failed test does not show that other messages fail, so only a successful test is noted.
    if (outcome.kind === 'delivered') context.noteAttempt(destination, { isDelivered: true, at: clock.now() })
    const row = rowOf(destination, alert, made, outcome, clock.now())
    await waitForRow(context, rows.write([row]))
    if (row.status === 'accepted') return { delivered: true, accepted: true }
    if (row.status === 'delivered') return { delivered: true }
    logger.info({ destinationId, reason: row.error }, 'test message not taken')
    return { delivered: false, error: row.error }
  }
  return serve(bus, {
    subject: subjects.testMessage,
    queue,
    contractOf: () => TestMessage,
    logger,
    serve: async body => {
      // A request refused here has sent nothing, so the caller may repeat it.
      if (running >= testsAtOnce || context.stopping()) throw new AppError('busy', 'Too many test messages at once')
      running += 1
      try {
        return await test(body as TestMessage)
      } finally {
        running -= 1
      }
    },
  })
}

async function readDestination({ store }: NotifierContext, id: string): Promise<DestinationDocument> {
  const [found = null] = await store.get('destinations', [id]).catch(refuseUnread)
  if (found === null) throw new AppError('not_found', 'Destination not found', { details: 'There is no such destination' })
  return found
}

function refuseUnread(error: unknown): never {
  if (error instanceof StoreError) throw new AppError('unavailable', 'The store does not answer', { cause: error })
  throw error
}

async function send(
  sender: Sender,
  destination: DestinationDocument,
  alert: AlertDocument,
  made: MadeMessage,
  { stop, timeoutMs }: { stop: AbortSignal; timeoutMs: number },
): Promise<Outcome> {
  const idempotencyKey = `msg_${randomId(27)}`
  const madeAt = alert.decidedAt
  const { request } = made
  const signature = signatureOf(destination.secrets, { id: idempotencyKey, madeAt, body: request.body })
  const marks = { idempotencyKey, madeAt, signature }
  const message = messageTo(channelOf(destination.type), destination, request, marks, { event: alert.kind })
  const outcome = await sender.send(message, stop, timeoutMs)
  return outcome.kind === 'abandoned' ? unreachable('no answer before the notifier stopped') : outcome
}

/** Returns the alert by which the test ends what it has opened. */
const asEnded = (alert: AlertDocument): AlertDocument => ({ ...alert, kind: 'recovery' })

const unprepared: Outcome = { kind: 'refused', retryable: false, answered: false, error: notPrepared, retryAfterMs: null }

function rowOf(
  destination: DestinationDocument,
  alert: AlertDocument,
  made: MadeMessage | null,
  outcome: Outcome,
  at: number,
): LogRow {
  const error = outcome.kind === 'refused' ? outcome.error : ''
  return {
    id: alert.id,
    rev: 1,
    workspaceId: destination.workspaceId,
    ...placeOf(destination),
    alertKind: 'problem',
    event: 'test',
    status: outcome.kind !== 'delivered' ? 'failed' : outcome.isAccepted ? 'accepted' : 'delivered',
    reason: reasonOf(error),
    shownInV2: isOfV2(destination.type) ? 1 : 0,
    payload: made?.request.body ?? '',
    error: withNote(error, made?.note),
    note: made?.note ?? null,
    incidentId: null,
    at,
    expireAt: at + logMs,
  }
}

/** Waits until the log row is written, but no longer than the caller waits for the reply. The row is written in any case. */
async function waitForRow({ clock, logger }: NotifierContext, written: Promise<void>): Promise<void> {
  const logged = written.catch(error => {
    logger.warn({ error: String(error) }, 'log row of a test message could not be written')
  })
  await waitAtMost(clock, testLogMs, logged)
}

const subjectName = testTitle
const subjectId = 'test000000'

/**
 * Returns an alert with a new id about a problem of a subject that does not exist. Title, colour and text of the message say that it is a
 * test; its data, and the fields of payload templates, are those of a problem.
 * `at`: ms since the epoch.
 */
function testAlert({ workspaceId }: DestinationDocument, at: number): AlertDocument {
  const incidentId = `${subjectId}.1`
  const troubleSince = at - limits.policy.holdMs
  return {
    id: `test.${randomId(16)}`,
    rev: 1,
    workspaceId,
    subjectId,
    incidentId,
    number: 1,
    kind: 'problem',
    reminder: false,
    held: null,
    decidedAt: at,
    facts: {
      subjectName,
      subjectSlug: 'test',
      ruleKey: 'test',
      ruleName: '',
      template: null,
      url: '',
      fields: {},
      fieldsOmitted: 0,
      evidence: { inputs: [], omitted: 0, truncated: false },
      failing: [],
      unknown: [],
      ok: [],
      problems: [],
      silence: null,
      isTest: true,
      error: testWords,
      explanation: testWords,
      troubleSince,
      confirmedAt: at,
      wellSince: null,
      closedAt: null,
    },
    state: 'dispatched',
    deliveries: null,
    expireAt: at,
  }
}
