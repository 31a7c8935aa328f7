// Who was told of an incident, by the deliveries of its first messages. Pure.
import type { DeliveryDocument } from '#shared/contracts/notifications/delivery.ts'
import type { Routing } from './choose-destinations.ts'

/** Counts deliveries that are being sent now. `deliveries`: of one incident, about openings, problems and silence. */
export function toldIn(
  deliveries: readonly DeliveryDocument[],
): Required<Pick<Routing, 'openedAt' | 'toldAt' | 'waitingAt' | 'triggeredAt' | 'aliveAt'>> {
  const openings = deliveries.filter(({ alertKind }) => alertKind === 'opened')
  const troubles = deliveries.filter(({ alertKind }) => alertKind !== 'opened')
  const placesOf = (some: readonly DeliveryDocument[]) => new Set(some.map(({ destinationId }) => destinationId))
  return {
    openedAt: placesOf(openings.filter(({ snapshot: { value } }) => value === 'delivered' || value === 'sending')),
    toldAt: placesOf(troubles.filter(({ snapshot }) => snapshot.context.attempts > 0)),
    waitingAt: placesOf(troubles.filter(isWaitingStep)),
    triggeredAt: placesOf(
      troubles.filter(({ opens, open, snapshot }) => opens && (open === 1 || snapshot.value === 'delivered')),
    ),
    aliveAt: placesOf(troubles.filter(mayBeOpenThere)),
  }
}

/** Whether the delivery is a step of an escalation that was never tried, so that it has no message yet. */
export const isWaitingStep = ({ step, body, open }: DeliveryDocument): boolean =>
  step !== undefined && body === null && open === 1

/** Whether the message opened something over there, or may have opened it. */
export const mayBeOpenThere = ({ opens, reached, snapshot: { value } }: DeliveryDocument): boolean =>
  opens === true && (reached === true || value === 'delivered' || value === 'sending')
