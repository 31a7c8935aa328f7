// Delivery machine: one alert on its way to one destination, from queued to delivered or failed. Pure: instants and jittered delays come in
// events, a timer is the deadline in the context. It never sends, writes or reads a clock.

import { assign, setup } from 'xstate'
import type { DeliveryContext } from '#shared/contracts/notifications/delivery.ts'

/** Version of the persisted snapshot. Raise it when states or context change so that old snapshots no longer fit. */
export const deliveryVersion = 1

/** `at` is the instant of the event; all instants in ms since the epoch. */
export type DeliveryEvent =
  /** A notifier has claimed the delivery and sends it now; the claim ends at `until`. */
  | { type: 'delivery.claimed'; at: number; until: number }
  | { type: 'attempt.delivered'; at: number }
  /** `retryMs`: the pause before the next attempt, ms, including jitter and Retry-After. */
  | { type: 'attempt.refused'; at: number; retryable: boolean; error: string; retryMs: number }
  /** The claim ended without an outcome: its notifier crashed or lost the store. */
  | { type: 'claim.lapsed'; at: number }
  /** The claim's own notifier gives the delivery back without an outcome, because the notifier stops. */
  | { type: 'claim.released'; at: number }
  /** The delivery can no longer be sent: the destination was disabled or deleted, or no body can be made. */
  | { type: 'delivery.withdrawn'; at: number; error: string }

/** Effects that the notifier carries out, in sequence. */
export type DeliveryEffect =
  | { type: 'send'; params: { attempt: number } }
  | { type: 'logAttempt'; params: { attempt: number; status: 'delivered' | 'failed'; error: string; at: number } }
  | { type: 'wakeAt'; params: { at: number } }
  /** The delivery is terminal: the next message of its incident to this destination can be sent. */
  | { type: 'startNext'; params: undefined }

export interface DeliveryInput {
  /** Instant of the opening, ms: the delivery is due at once. */
  at: number
  /** Last instant at which a failed attempt is followed by another attempt, ms. */
  giveUpAt: number
}

export const unknownOutcome = 'not_sent: the notifier stopped while sending, and no time is left for another attempt'

const machine = setup({
  types: {
    context: {} as DeliveryContext,
    events: {} as DeliveryEvent,
    input: {} as DeliveryInput | undefined,
  },
  guards: {
    isDue: ({ context, event }) => event.at >= (context.deadlineAt ?? Number.POSITIVE_INFINITY),
    mayRetry: ({ context, event }) => event.type === 'attempt.refused' && event.retryable && event.at < context.giveUpAt,
    // If the claim ended before `giveUpAt`, the delivery gets another attempt, even if the notifier notices the end later.
    isDueAndWasLastChance: ({ context: { deadlineAt, giveUpAt }, event }) =>
      deadlineAt !== null && event.at >= deadlineAt && deadlineAt >= giveUpAt,
  },
  actions: {
    holdClaim: assign(({ context, event }) =>
      event.type === 'delivery.claimed' ? { attempts: context.attempts + 1, deadlineAt: event.until } : {},
    ),
    becomeDue: assign(({ event }) => ({ deadlineAt: event.at })),
    armRetry: assign(({ context, event }) =>
      event.type === 'attempt.refused'
        ? { deadlineAt: Math.min(event.at + event.retryMs, context.giveUpAt), lastError: event.error }
        : {},
    ),
    rememberError: assign(({ event }) => ('error' in event ? { lastError: event.error } : { lastError: unknownOutcome })),
    clearDeadline: assign({ deadlineAt: null }),
    send: (_, _params: { attempt: number }) => {},
    logAttempt: (_, _params: { attempt: number; status: 'delivered' | 'failed'; error: string; at: number }) => {},
    wakeAt: (_, _params: { at: number }) => {},
    startNext: () => {},
  },
})

/** Events of a delivery that waits for an attempt. */
const beforeAttempt = {
  'delivery.claimed': {
    guard: 'isDue',
    target: 'sending',
    actions: [
      'holdClaim',
      { type: 'send', params: ({ context }: { context: DeliveryContext }) => ({ attempt: context.attempts }) },
    ],
  },
  'delivery.withdrawn': { target: 'failed', actions: 'rememberError' },
} as const

type Refused = { context: DeliveryContext; event: Extract<DeliveryEvent, { type: 'attempt.refused' }> }

const logFailure = {
  type: 'logAttempt',
  params: ({ context: { attempts }, event: { error, at } }: Refused) => ({
    attempt: attempts,
    status: 'failed' as const,
    error,
    at,
  }),
} as const

export const deliveryMachine = machine.createMachine({
  id: 'delivery',
  // The input may be missing: `transition.ts` creates an actor without input, which it never starts.
  context: ({ input }) => ({ attempts: 0, deadlineAt: input?.at ?? 0, giveUpAt: input?.giveUpAt ?? 0, lastError: null }),
  initial: 'queued',
  states: {
    queued: {
      description: 'Due since it was opened; waits for a notifier, for room, or for its predecessor.',
      on: beforeAttempt,
    },
    sending: {
      description: 'One notifier holds the claim until the deadline.',
      on: {
        'attempt.delivered': {
          target: 'delivered',
          actions: {
            type: 'logAttempt',
            params: ({ context, event }) => ({ attempt: context.attempts, status: 'delivered', error: '', at: event.at }),
          },
        },
        'attempt.refused': [
          {
            guard: 'mayRetry',
            target: 'waiting',
            actions: ['armRetry', logFailure, { type: 'wakeAt', params: ({ context }) => ({ at: context.deadlineAt ?? 0 }) }],
          },
          {
            target: 'failed',
            actions: ['rememberError', logFailure],
          },
        ],
        'claim.lapsed': [
          { guard: 'isDueAndWasLastChance', target: 'failed', actions: 'rememberError' },
          { guard: 'isDue', target: 'queued', actions: 'becomeDue' },
        ],
        'claim.released': { target: 'queued', actions: 'becomeDue' },
      },
    },
    waiting: {
      description: 'An attempt failed; the deadline is the next one.',
      on: beforeAttempt,
    },
    delivered: { type: 'final', description: 'The receiver took it.', entry: ['clearDeadline', 'startNext'] },
    failed: { type: 'final', description: 'Given up, or withdrawn.', entry: ['clearDeadline', 'startNext'] },
  },
})
