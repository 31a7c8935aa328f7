// What is kept of an incident: itself and its history, for whoever replays it. The keeper alone writes them.
import type { AskRequest, AskResults } from '#shared/contracts/ask.ts'
import type { HistoryDocument } from '#shared/contracts/incident.ts'
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
  const found = await historyOf(store, incident.id, afterSequence)
  const history = fitting(found)
  return { incident, history, more: history.length < found.length || found.length === limits.directory.historyPage }
}

/** As many as a page holds, the first in any case. */
function fitting(entries: readonly HistoryDocument[]): HistoryDocument[] {
  let bytes = 0
  const tooMany = entries.findIndex((entry, i) => {
    bytes += Buffer.byteLength(JSON.stringify(entry)) + 1
    return i > 0 && bytes > limits.request.pageBytes
  })
  return tooMany < 0 ? [...entries] : entries.slice(0, tooMany)
}

/** An entry carries its evidence, so a page has few of them. */
const historyOf = (store: Store, incidentId: string, afterSequence: number) =>
  store.find('history', {
    where: { incidentId, sequence: { gt: afterSequence } },
    sort: [['sequence', 'asc']],
    limit: limits.directory.historyPage,
  })
