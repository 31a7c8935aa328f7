// Withdraws undelivered openings of incidents that have been confirmed or closed. Rule:
// docs/reference/v3.md, 10.5.
import type { AlertDocument } from '#shared/contracts/incidents/alert.ts'
import { limits } from '#shared/limits/limits.ts'
import { overtaken } from '../claim/claim-step.ts'
import type { NotifierContext } from '../context.ts'
import { nextRevision, type Step } from '../record/delivery-document.ts'
import { endedRows } from '../record/log-rows.ts'
import { retryStoreCall } from '../record/retry-store-call.ts'
import type { RowWriter } from '../record/row-writer.ts'
import type { OpenSibling } from './siblings.ts'

/**
 * Withdraws undelivered openings and returns the steps. `siblings`: open deliveries of the alerts' incidents. A delivery that is being sent
 * stays: it is withdrawn when it is claimed again. Rejects with a StoreError.
 */
export async function withdrawOpenings(
  { store, clock, options }: NotifierContext,
  rows: RowWriter,
  alerts: readonly AlertDocument[],
  siblings: readonly OpenSibling[],
): Promise<Step[]> {
  const moved = new Set(
    alerts.filter(({ kind }) => kind !== 'opened' && kind !== 'acknowledged').map(({ incidentId }) => incidentId),
  )
  const ids = siblings.filter(one => one.alertKind === 'opened' && moved.has(one.incidentId)).map(({ id }) => id)
  const withdrawn: Step[] = []
  for (let from = 0; from < ids.length; from += limits.notifier.batch) {
    const found = await store.get('deliveries', ids.slice(from, from + limits.notifier.batch))
    const open = found.filter(document => document !== null)
    const destinations = await store.get('destinations', [...new Set(open.map(({ destinationId }) => destinationId))])
    const at = clock.now()
    const steps = open.flatMap((document): Step[] => {
      const step = nextRevision(document, [{ type: 'delivery.withdrawn', at, error: overtaken }], options.notifierId)
      const destination = destinations.find(one => one?.id === document.destinationId) ?? undefined
      return step === null ? [] : [{ ...step, isNeedless: true, destination }]
    })
    if (steps.length === 0) continue
    await rows.write(endedRows(steps, at))
    const results = await retryStoreCall(clock, () =>
      store.replace(
        'deliveries',
        steps.map(({ document }) => document),
      ),
    )
    withdrawn.push(...steps.filter((_, i) => results[i] === 'written'))
  }
  return withdrawn
}
