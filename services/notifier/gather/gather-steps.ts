// Steps of escalations that are due in a storm: their first messages are gathered, too (v3 10.19).
import type { DeliveryDocument } from '#shared/contracts/notifications/delivery.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import { isWaitingStep } from '#shared/notifications/told-in.ts'
import type { NotifierContext } from '../context.ts'
import type { Step } from '../record/delivery-document.ts'
import { gatheredStep } from './digest-document.ts'
import type { Gathering } from './gathering.ts'

interface Before {
  /** Deliveries before the steps. */
  due: readonly DeliveryDocument[]
  destinations: ReadonlyMap<string, DestinationDocument>
}

/** Returns the steps, those of first messages that a digest tells in the place of their claims. Rejects with a StoreError. */
export async function withGatheredSteps(
  { clock, options }: Pick<NotifierContext, 'clock' | 'options'>,
  gathering: Gathering,
  steps: readonly Step[],
  { due, destinations }: Before,
): Promise<Step[]> {
  const first = new Map(due.filter(isWaitingStep).map(document => [document.id, document]))
  const isFirst = ({ document, effects }: Step) => first.has(document.id) && effects.some(({ type }) => type === 'send')
  const places = steps.filter(isFirst).flatMap(({ document }) => destinations.get(document.destinationId) ?? [])
  if (places.length === 0) return [...steps]
  const round = await gathering.open(places)
  const moved = steps.map(step => {
    const before = first.get(step.document.id)
    const destination = destinations.get(step.document.destinationId)
    const slot = before && destination && isFirst(step) ? round.slotOf(destination, false) : null
    const gathered = slot === null || before === undefined ? null : gatheredStep(before, slot, { ...options, at: clock.now() })
    return gathered === null ? step : { ...gathered, destination }
  })
  await round.store()
  return moved
}
