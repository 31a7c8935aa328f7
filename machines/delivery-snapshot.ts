// Stored snapshots of a delivery: the first snapshot, and the snapshot after each event. The machine itself is in `delivery.ts`. That file
// imports only `xstate`, so other tools can open it.
import type { DeliveryContext, DeliverySnapshot } from '#shared/contracts/notifications/delivery.ts'
import { type DeliveryEffect, type DeliveryEvent, type DeliveryInput, deliveryMachine, deliveryVersion } from './delivery.ts'
import { initialTransition, transition } from './transition.ts'

/** Returns a new delivery. */
export function openDelivery(input: DeliveryInput): DeliverySnapshot {
  const [state] = initialTransition(deliveryMachine, input)
  return persisted(state)
}

/**
 * Returns the snapshot after an event, and the orders that result from the event. If the state does not accept the event, or if a claim
 * comes too early, returns the same snapshot object and no orders. Throws if the snapshot comes from another machine, or from another
 * version of this machine.
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
  // Every transition changes the state or the deadline, so if both are unchanged, the event was not accepted.
  if (next.value === snapshot.value && next.context.deadlineAt === snapshot.context.deadlineAt) return { snapshot, effects: [] }
  const effects = actions.map(({ type, params }) => ({ type, params }) as DeliveryEffect)
  return { snapshot: persisted(next), effects }
}

export const isTerminal = (snapshot: DeliverySnapshot): boolean => snapshot.value === 'delivered' || snapshot.value === 'failed'

function persisted(state: { value: DeliverySnapshot['value']; context: DeliveryContext }): DeliverySnapshot {
  return { machine: 'delivery', version: deliveryVersion, value: state.value, context: state.context }
}
