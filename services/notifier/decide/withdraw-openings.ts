// Withdrawal of unsent openings of incidents that have been confirmed or closed (v3 10.5).

import type { AlertDocument } from '#shared/contracts/incidents/alert.ts'
import { limits } from '#shared/limits/limits.ts'
import { overtaken } from '../claim/claim-step.ts'
import type { NotifierContext } from '../context.ts'
import { nextRevision, type Step } from '../record/delivery-document.ts'
import { type RowWriter, storeSteps } from '../record/row-writer.ts'
import type { OpenSibling } from './siblings.ts'

/**
 * Withdraws unsent openings and returns the stored steps. `siblings`: open deliveries of the alerts' incidents. A delivery that is being
 * sent is withdrawn later, when it is claimed again. Rejects with a StoreError.
 */
export async function withdrawOpenings(
  context: NotifierContext,
  rows: RowWriter,
  alerts: readonly AlertDocument[],
  siblings: readonly OpenSibling[],
): Promise<Step[]> {
  const { store, clock, options } = context
  const moving = alerts.filter(({ kind }) => kind !== 'opened' && kind !== 'acknowledged')
  const moved = new Set(moving.map(({ incidentId }) => incidentId))
  const ids = siblings.filter(one => one.alertKind === 'opened' && moved.has(one.incidentId)).map(({ id }) => id)
  const withdrawn: Step[] = []
  for (let from = 0; from < ids.length; from += limits.notifier.batch) {
    const found = await store.get('deliveries', ids.slice(from, from + limits.notifier.batch))
    const open = found.filter(document => document !== null)
    const destinations = await store.get('destinations', [...new Set(open.map(({ destinationId }) => destinationId))])
    const event = { type: 'delivery.withdrawn', at: clock.now(), error: overtaken } as const
    const steps = open.flatMap((document): Step[] => {
      const step = nextRevision(document, [event], options.notifierId)
      const destination = destinations.find(one => one?.id === document.destinationId) ?? undefined
      return step === null ? [] : [{ ...step, isNeedless: true, destination }]
    })
    if (steps.length > 0) withdrawn.push(...(await storeSteps(context, rows, steps)))
  }
  return withdrawn
}
