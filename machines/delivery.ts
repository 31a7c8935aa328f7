// The delivery machine: one alert on its way to one destination, from queued to delivered or failed. Pure: instants and
// jittered delays come in events, a timer is the deadline in the context. It never sends, writes or looks at a clock.
import { assign, setup } from 'xstate'
import { initialTransition, transition } from '#machines/transition.ts'
import type { DeliveryContext, DeliverySnapshot } from '#shared/contracts/delivery.ts'

/** Version of the persisted snapshot; a change of states or context that old snapshots do not fit raises it. */
export const deliveryVersion = 1

/** `at` is the instant of the event; all instants in ms since the epoch. */
export type DeliveryEvent =
  /** A notifier took it to send it now; its claim ends at `until`. */
  | { type: 'delivery.claimed'; at: number; until: number }
  | { type: 'attempt.delivered'; at: number }
  /** `retryMs`: the pause before the next attempt, jitter and Retry-After included. */
  | { type: 'attempt.refused'; at: number; retryable: boolean; error: string; retryMs: number }
  /** The claim ended without an outcome: its notifier died or lost the store. */
  | { type: 'claim.lapsed'; at: number }
  /** The claim's own notifier gives it back without knowing an outcome, because it stops. */
  | { type: 'claim.released'; at: number }
  /** It can no longer be sent: the destination was switched off or deleted, or no body can be made. */
  | { type: 'delivery.withdrawn'; at: number; error: string }

/** Orders for the notifier, in the order in which they were given. */
export type DeliveryEffect =
  | { type: 'send'; params: { attempt: number } }
  | { type: 'logAttempt'; params: { attempt: number; status: 'delivered' | 'failed'; error: string; at: number } }
  | { type: 'wakeAt'; params: { at: number } }
  /** The delivery is terminal: the next message of its incident to this destination may go. */
  | { type: 'startNext'; params: undefined }

export interface DeliveryInput {
  /** When it was opened: it is due at once. */
  at: number
  /** The last instant at which a failed attempt is followed by another. */
  giveUpAt: number
}

export const unknownOutcome = 'not_sent: the notifier stopped while sending, and no time is left for another attempt'

export const deliveryMachine = setup({
  types: {
    context: {} as DeliveryContext,
    events: {} as DeliveryEvent,
    input: {} as DeliveryInput | undefined,
  },
  guards: {
    isDue: ({ context, event }) => event.at >= (context.deadlineAt ?? Number.POSITIVE_INFINITY),
    mayRetry: ({ context, event }) => event.type === 'attempt.refused' && event.retryable && event.at < context.giveUpAt,
    // A claim that ended before the give-up instant was found late: it still deserves another attempt.
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
}).createMachine({
  id: 'delivery',
  // Tolerates missing input: `transition.ts` makes an actor without one, which nobody starts.
  context: ({ input }) => ({ attempts: 0, deadlineAt: input?.at ?? 0, giveUpAt: input?.giveUpAt ?? 0, lastError: null }),
  initial: 'queued',
  states: {
    queued: {
      description: 'Due since it was opened; waits for a notifier, for room, or for its predecessor.',
      on: {
        'delivery.claimed': {
          guard: 'isDue',
          target: 'sending',
          actions: ['holdClaim', { type: 'send', params: ({ context }) => ({ attempt: context.attempts }) }],
        },
        'delivery.withdrawn': { target: 'failed', actions: 'rememberError' },
      },
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
            actions: [
              'armRetry',
              {
                type: 'logAttempt',
                params: ({ context, event }) => ({
                  attempt: context.attempts,
                  status: 'failed',
                  error: event.error,
                  at: event.at,
                }),
              },
              { type: 'wakeAt', params: ({ context }) => ({ at: context.deadlineAt ?? 0 }) },
            ],
          },
          {
            target: 'failed',
            actions: [
              'rememberError',
              {
                type: 'logAttempt',
                params: ({ context, event }) => ({
                  attempt: context.attempts,
                  status: 'failed',
                  error: event.error,
                  at: event.at,
                }),
              },
            ],
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
      on: {
        'delivery.claimed': {
          guard: 'isDue',
          target: 'sending',
          actions: ['holdClaim', { type: 'send', params: ({ context }) => ({ attempt: context.attempts }) }],
        },
        'delivery.withdrawn': { target: 'failed', actions: 'rememberError' },
      },
    },
    delivered: { type: 'final', entry: ['clearDeadline', 'startNext'] },
    failed: { type: 'final', entry: ['clearDeadline', 'startNext'] },
  },
})

/** A new delivery, due at once. */
export function openDelivery(input: DeliveryInput): DeliverySnapshot {
  const [state] = initialTransition(deliveryMachine, input)
  return persisted(state)
}

/**
 * The snapshot after an event and the orders that follow from it. An event that the state does not take (or a claim before
 * its time) answers the very same snapshot object and no orders. Throws on a snapshot of another machine or version.
 */
export function advanceDelivery(
  snapshot: DeliverySnapshot,
  event: DeliveryEvent,
): { snapshot: DeliverySnapshot; effects: DeliveryEffect[] } {
  if (snapshot.machine !== 'delivery' || snapshot.version !== deliveryVersion) {
    throw new RangeError(`Cannot continue a ${snapshot.machine} snapshot of version ${snapshot.version}`)
  }
  const state = deliveryMachine.resolveState({ value: snapshot.value, context: snapshot.context })
  const [next, actions] = transition(deliveryMachine, state, event)
  // Every transition of this machine changes its state.
  if (next.value === snapshot.value) return { snapshot, effects: [] }
  const effects = actions.map(({ type, params }) => ({ type, params }) as DeliveryEffect)
  return { snapshot: persisted(next), effects }
}

export const isTerminal = (snapshot: DeliverySnapshot): boolean => snapshot.value === 'delivered' || snapshot.value === 'failed'

function persisted(state: { value: DeliverySnapshot['value']; context: DeliveryContext }): DeliverySnapshot {
  return { machine: 'delivery', version: deliveryVersion, value: state.value, context: state.context }
}
