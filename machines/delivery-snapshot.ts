// Stored snapshots of a delivery: the first one, and the one after each event. The machine itself is in `delivery.ts`, which imports only
// `xstate`, so that other tools can open that file.
import type { DeliveryContext, DeliverySnapshot } from '#shared/contracts/notifications/delivery.ts'
import { type DeliveryEffect, type DeliveryEvent, type DeliveryInput, deliveryMachine, deliveryVersion } from './delivery.ts'
import { initialTransition, transition } from './transition.ts'

/** Returns a new delivery, due at once. */
export function openDelivery(input: DeliveryInput): DeliverySnapshot {
  const [state] = initialTransition(deliveryMachine, input)
  return persisted(state)
}

/**
 * Returns the snapshot after an event and the resulting orders. An event that the state does not accept (or a claim before its time)
 * returns the same snapshot object and no orders. Throws on a snapshot of another machine or version.
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
