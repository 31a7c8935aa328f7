// Instants from which the minutes of an escalation count: the confirmation of the incident, or the message that first told of it, if
// maintenance held the first one (v3 10.15).
import type { AlertDocument } from '#shared/contracts/incidents/alert.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Decision } from '#shared/notifications/choose-destinations.ts'
import { pagesOf } from '#shared/store/pages.ts'
import type { Query, Store } from '#shared/store/port.ts'

type Told = Pick<AlertDocument, 'incidentId' | 'number' | 'kind' | 'held' | 'decidedAt'>

/** Returns a function that returns the instant of an alert, ms since the epoch. Reads only incidents with waiting steps. */
export async function readBeginnings(
  store: Store,
  decisions: readonly (Decision & { alert: AlertDocument })[],
): Promise<(alert: AlertDocument) => number> {
  const waiting = decisions.filter(({ chosen }) => chosen.some(({ afterMs }) => afterMs > 0)).map(({ alert }) => alert)
  const later = waiting.filter(({ number }) => number > 1).map(({ incidentId }) => incidentId)
  const earlier: Told[] = []
  if (later.length > 0) {
    const query: Query = {
      where: { incidentId: { in: [...new Set(later)] } },
      sort: [['number', 'asc']],
      limit: limits.notifier.batch,
    }
    for await (const page of pagesOf(query, next => store.find('alerts', next))) earlier.push(...page.map(toldOf))
  }
  return alert => beginningOf(alert, earlier)
}

const toldOf = ({ incidentId, number, kind, held, decidedAt }: AlertDocument): Told => ({
  ...{ incidentId, number, kind, held, decidedAt },
})

/** Returns the confirmation; if maintenance held what was to be said then, the first message that was sent. */
function beginningOf(alert: AlertDocument, others: readonly Told[]): number {
  const { incidentId, number, decidedAt, facts } = alert
  const troubles = others.filter(
    one => one.incidentId === incidentId && one.number < number && (one.kind === 'problem' || one.kind === 'no_data'),
  )
  const first = troubles.find(({ held }) => held === null)
  const isHeldBefore = troubles.some(one => one.held !== null && one.number < (first?.number ?? number))
  return isHeldBefore ? (first?.decidedAt ?? decidedAt) : (facts.confirmedAt ?? decidedAt)
}
