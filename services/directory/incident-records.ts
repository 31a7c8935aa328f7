// What is kept of an incident: itself and its history, for whoever replays it. The keeper alone writes them.
import type { AskRequest, AskResults } from '#shared/contracts/ask.ts'
import { createIncidentIds } from '#shared/incident-ids.ts'
import { limits } from '#shared/limits.ts'
import type { Store } from '#shared/store/port.ts'
import type { DirectoryContext } from './context.ts'

/** The incident (null where there is none) and a page of its history behind `afterSequence`. */
export async function getIncidentRecords(
  { store, incidentSalt }: DirectoryContext,
  { id, afterSequence }: AskRequest<'get-incident-records'>,
): Promise<AskResults['get-incident-records']> {
  const incidentId = id.includes('.') ? id : createIncidentIds(incidentSalt).decode(id)?.incidentId
  const [incident = null] = incidentId === undefined ? [] : await store.get('incidents', [incidentId])
  if (incident === null) return { incident: null, history: [], more: false }
  const history = await historyOf(store, incident.id, afterSequence)
  return { incident, history, more: history.length === limits.directory.historyPage }
}

/** An entry carries its evidence, so a page has few of them. */
const historyOf = (store: Store, incidentId: string, afterSequence: number) =>
  store.find('history', {
    where: { incidentId, sequence: { gt: afterSequence } },
    sort: [['sequence', 'asc']],
    limit: limits.directory.historyPage,
  })
