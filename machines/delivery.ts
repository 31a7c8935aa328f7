// Delivery machine: one alert on its way to one destination, from queued to delivered or failed. Pure: events contain instants and delays
// with jitter. The context contains a deadline in place of a timer. Never sends, never writes, never reads a clock.

import { assign, setup } from 'xstate'
import type { DeliveryContext } from '#shared/contracts/notifications/delivery.ts'
import type { attemptStatuses } from '#shared/contracts/notifications/delivery-status.ts'

/** Version of the persisted snapshot. Raise this number when old snapshots no longer fit the states or the context. */
export const deliveryVersion = 1

/** `at`: instant of the event. All instants are in ms since the epoch. */
export type DeliveryEvent =
  /** A notifier has claimed the delivery and sends it now; the claim ends at `until`. */
  | { type: 'delivery.claimed'; at: number; until: number }
  /** `accepted`: the far end took the message, and does not say whether it arrived. */
  | { type: 'attempt.delivered'; at: number; accepted?: true }
  /** The attempt failed. `retryMs`: pause before the next attempt, ms; jitter and the receiver's Retry-After are applied already. */
  | { type: 'attempt.refused'; at: number; retryable: boolean; error: string; retryMs: number }
  /** The claim ended without an outcome, because its notifier crashed or lost the store. */
  | { type: 'claim.lapsed'; at: number }
  /** The notifier that holds the claim gives the delivery back without an outcome, because the notifier stops. */
  | { type: 'claim.released'; at: number }
  /** The delivery is due, but not to be sent yet; it is due again at `until`. */
  | { type: 'delivery.postponed'; at: number; until: number }
  /** The delivery can no longer be sent: the destination was disabled or deleted, or no body can be made. */
  | { type: 'delivery.withdrawn'; at: number; error: string }

/** Effects that the notifier carries out, in sequence. */
export type DeliveryEffect =
  | { type: 'send'; params: { attempt: number } }
  | { type: 'logAttempt'; params: LoggedAttempt }
  | { type: 'wakeAt'; params: { at: number } }
  /** The delivery is terminal: the next message of its incident to this destination can be sent. */
  | { type: 'startNext'; params: undefined }

export interface LoggedAttempt {
  attempt: number
  status: (typeof attemptStatuses)[number]
  error: string
  at: number
}

export interface DeliveryInput {
  /** Instant from which the delivery is due, ms: that of its opening, or a later one. */
  at: number
  /** If an attempt fails at or after this instant, it is not retried; ms since the epoch. */
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
    // A claim that ended before `giveUpAt` does not end the delivery: it gets another attempt, even if a notifier notices the end of the
    // claim later than `giveUpAt`.
    isDueAndWasLastChance: ({ context: { deadlineAt, giveUpAt }, event }) =>
      deadlineAt !== null && event.at >= deadlineAt && deadlineAt >= giveUpAt,
  },
  actions: {
    holdClaim: assign(({ context, event }) =>
      event.type === 'delivery.claimed' ? { attempts: context.attempts + 1, deadlineAt: event.until } : {},
    ),
    /** The time in which a failed attempt is retried begins later, too. */
    postpone: assign(({ context, event }) =>
      event.type === 'delivery.postponed'
        ? { deadlineAt: event.until, giveUpAt: context.giveUpAt + event.until - (context.deadlineAt ?? event.until) }
        : {},
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
    logAttempt: (_, _params: LoggedAttempt) => {},
    wakeAt: (_, _params: { at: number }) => {},
    startNext: () => {},
  },
})

/** Events that a delivery accepts while it waits for an attempt. */
const beforeAttempt = {
  'delivery.claimed': {
    guard: 'isDue',
    target: 'sending',
    actions: [
      'holdClaim',
      { type: 'send', params: ({ context }: { context: DeliveryContext }) => ({ attempt: context.attempts }) },
    ],
  },
  'delivery.postponed': { guard: 'isDue', actions: 'postpone' },
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
  // `input` may be missing, because `transition.ts` creates an actor without input. This actor is never started.
  context: ({ input }) => ({ attempts: 0, deadlineAt: input?.at ?? 0, giveUpAt: input?.giveUpAt ?? 0, lastError: null }),
  initial: 'queued',
  states: {
    queued: {
      description:
        'Due since it was opened, or at an instant of its own; waits for a notifier, for room, or for its predecessor.',
      on: beforeAttempt,
    },
    sending: {
      description: 'One notifier holds the claim until the deadline.',
      on: {
        'attempt.delivered': {
          target: 'delivered',
          actions: {
            type: 'logAttempt',
            params: ({ context, event }) => ({
              attempt: context.attempts,
              status: event.accepted ? 'accepted' : 'delivered',
              error: '',
              at: event.at,
            }),
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
