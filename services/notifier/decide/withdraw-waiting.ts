// Withdrawal of unsent messages that are no longer needed: openings of incidents that have been confirmed or closed (v3 10.5), and steps of
// an escalation whose incident ended, was taken, or is told otherwise now (v3 10.15). A delivery that is being sent is withdrawn later, when
// it is claimed again.

import type { AlertDocument } from '#shared/contracts/incidents/alert.ts'
import type { DeliveryDocument } from '#shared/contracts/notifications/delivery.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Decision } from '#shared/notifications/choose-destinations.ts'
import { isWaitingStep } from '#shared/notifications/told-in.ts'
import { endedFirst, overtaken, superseded, takenFirst } from '../claim/claim-step.ts'
import type { NotifierContext } from '../context.ts'
import { nextRevision, type Step } from '../record/delivery-document.ts'
import { type RowWriter, storeSteps } from '../record/row-writer.ts'
import type { OpenSibling } from './siblings.ts'

/**
 * Withdraws what the alerts themselves make needless, and returns the stored steps. `siblings`: open deliveries of the alerts' incidents.
 * Rejects with a StoreError.
 */
export function withdrawNeedless(
  context: NotifierContext,
  rows: RowWriter,
  alerts: readonly AlertDocument[],
  siblings: readonly OpenSibling[],
): Promise<Step[]> {
  const incidentsOf = (some: readonly AlertDocument[]) => new Set(some.map(({ incidentId }) => incidentId))
  const moved = incidentsOf(alerts.filter(({ kind }) => kind !== 'opened' && kind !== 'acknowledged'))
  const ended = incidentsOf(alerts.filter(({ kind }) => kind === 'recovery' || kind === 'withdrawn'))
  const taken = incidentsOf(alerts.filter(({ kind }) => kind === 'acknowledged'))
  const reasonOf = ({ alertKind, incidentId }: OpenSibling): string | null => {
    if (alertKind === 'opened') return moved.has(incidentId) ? overtaken : null
    if (!isTrouble(alertKind)) return null
    return ended.has(incidentId) ? endedFirst : taken.has(incidentId) ? takenFirst : null
  }
  return withdraw(context, rows, reasonsBy(siblings, reasonOf))
}

/** Withdraws waiting steps about no data at the destinations that hear of the problem instead. Rejects with a StoreError. */
export function withdrawSuperseded(
  context: NotifierContext,
  rows: RowWriter,
  decisions: readonly (Decision & { alert: AlertDocument })[],
  siblings: readonly OpenSibling[],
): Promise<Step[]> {
  const told = decisions.filter(({ alert }) => alert.kind === 'problem' && !alert.reminder)
  const reasonOf = ({ alertKind, incidentId, destinationId, number }: OpenSibling): string | null => {
    const isReplaced = told.some(
      ({ alert, chosen }) =>
        alert.incidentId === incidentId &&
        number < alert.number &&
        chosen.some(({ destination }) => destination.id === destinationId),
    )
    return alertKind === 'no_data' && isReplaced ? superseded : null
  }
  return withdraw(context, rows, reasonsBy(siblings, reasonOf))
}

const isTrouble = (kind: OpenSibling['alertKind']): boolean => kind === 'problem' || kind === 'no_data'

const reasonsBy = (siblings: readonly OpenSibling[], reasonOf: (one: OpenSibling) => string | null): Map<string, string> =>
  new Map(
    siblings.flatMap(one => {
      const reason = reasonOf(one)
      return reason === null ? [] : [[one.id, reason] as const]
    }),
  )

/**
 * Withdraws those of the deliveries that are openings, wait for their instant, or would open something elsewhere. `reasons`: by the id of the
 * delivery.
 */
async function withdraw(context: NotifierContext, rows: RowWriter, reasons: ReadonlyMap<string, string>): Promise<Step[]> {
  const { store, clock, options } = context
  const ids = [...reasons.keys()]
  const withdrawn: Step[] = []
  for (let from = 0; from < ids.length; from += limits.notifier.batch) {
    const found = await store.get('deliveries', ids.slice(from, from + limits.notifier.batch))
    const open = found.filter(document => document !== null).filter(isUnsent)
    const destinations = await store.get('destinations', [...new Set(open.map(({ destinationId }) => destinationId))])
    const steps = open.flatMap((document): Step[] => {
      const event = { type: 'delivery.withdrawn', at: clock.now(), error: reasons.get(document.id) ?? '' } as const
      const step = nextRevision(document, [event], options.notifierId)
      const destination = destinations.find(one => one?.id === document.destinationId) ?? undefined
      return step === null ? [] : [{ ...step, isNeedless: true, destination }]
    })
    if (steps.length > 0) withdrawn.push(...(await storeSteps(context, rows, steps)))
  }
  return withdrawn
}

const isUnsent = (document: DeliveryDocument): boolean =>
  document.alertKind === 'opened' || document.opens === true || isWaitingStep(document)
