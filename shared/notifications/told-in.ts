// Who was told of an incident, by the deliveries of its first messages. Pure.
import type { DeliveryDocument } from '#shared/contracts/notifications/delivery.ts'
import type { Routing } from './choose-destinations.ts'

/** Counts deliveries that are being sent now. `deliveries`: of one incident, about openings, problems and silence. */
export function toldIn(
  deliveries: readonly DeliveryDocument[],
): Required<Pick<Routing, 'openedAt' | 'toldAt' | 'aloneAt' | 'waitingAt' | 'triggeredAt' | 'aliveAt'>> {
  const openings = deliveries.filter(({ alertKind }) => alertKind === 'opened')
  const troubles = deliveries.filter(({ alertKind }) => alertKind !== 'opened')
  const placesOf = (some: readonly DeliveryDocument[]) => new Set(some.map(({ destinationId }) => destinationId))
  return {
    openedAt: placesOf(openings.filter(mayHaveTold)),
    toldAt: placesOf(troubles.filter(one => one.snapshot.context.attempts > 0 || isToldTogether(one))),
    aloneAt: placesOf(troubles.filter(({ snapshot, gathered }) => snapshot.context.attempts > 0 && gathered === undefined)),
    waitingAt: placesOf(troubles.filter(isWaitingStep)),
    triggeredAt: placesOf(
      troubles.filter(({ opens, open, snapshot }) => opens && (open === 1 || snapshot.value === 'delivered')),
    ),
    aliveAt: placesOf(troubles.filter(mayBeOpenThere)),
  }
}

const mayHaveTold = (one: DeliveryDocument): boolean =>
  one.snapshot.value === 'delivered' || one.snapshot.value === 'sending' || isToldTogether(one)

/** Error of a message that a digest has told. */
export const toldByDigest = 'digest: it was told together with others'

/** Whether a digest has told the message, or will. */
const isToldTogether = ({ gathered, open, snapshot }: DeliveryDocument): boolean =>
  gathered !== undefined && (open === 1 || snapshot.context.lastError === toldByDigest)

/** Whether the delivery is a step of an escalation that was neither tried nor gathered, so that it has no message yet. */
export const isWaitingStep = ({ step, body, open, gathered }: DeliveryDocument): boolean =>
  step !== undefined && body === null && open === 1 && gathered === undefined

/** Whether the message opened something over there, or may have opened it. */
export const mayBeOpenThere = ({ opens, reached, snapshot: { value } }: DeliveryDocument): boolean =>
  opens === true && (reached === true || value === 'delivered' || value === 'sending')
