// Records of an incident: itself and its history, for a replay. The keeper alone writes them.
import type { AskRequest } from '#shared/contracts/ask/ask.ts'
import type { HeldIncident, IncidentRecords } from '#shared/contracts/ask/ask-subjects.ts'
import type { HistoryDocument, IncidentDocument } from '#shared/contracts/incidents/incident.ts'
import { createIncidentIds } from '#shared/incidents/incident-ids.ts'
import { limits } from '#shared/limits/limits.ts'
import { type Store, UnreadableDocument } from '#shared/store/port.ts'
import type { DirectoryContext } from '../context.ts'
import { recipientsOf } from './incident-recipients.ts'

/**
 * Returns the incident (null if there is none) and a page of its history behind `afterSequence`. The last page also has what its subject
 * holds.
 */
export async function getIncidentRecords(
  context: DirectoryContext,
  request: AskRequest<'get-incident-records'>,
): Promise<IncidentRecords> {
  try {
    return await readRecords(context, request)
  } catch (error) {
    if (!(error instanceof UnreadableDocument)) throw error
    return { ...nothing, unreadable: `${error.collection} ${error.id}` }
  }
}

const nothing: IncidentRecords = { incident: null, history: [], more: false, held: null, unreadable: null }

async function readRecords(
  { store, incidentSalt }: DirectoryContext,
  { id, afterSequence }: AskRequest<'get-incident-records'>,
): Promise<IncidentRecords> {
  const incidentId = id.includes('.') ? id : createIncidentIds(incidentSalt).decode(id)?.incidentId
  const [incident = null] = incidentId === undefined ? [] : await store.get('incidents', [incidentId])
  if (incident === null) return nothing
  const found = await historyOf(store, incident.id, afterSequence)
  const history = fitting(found)
  const more = history.length < found.length || found.length === limits.directory.historyPage
  return { incident, history, more, held: more ? null : await heldOf(store, incident), unreadable: null }
}

async function heldOf(store: Store, incident: IncidentDocument): Promise<HeldIncident | null> {
  const [subject = null] = await store.get('subjects', [incident.subjectId])
  const rule = subject?.rules.find(candidate => candidate.incident?.context.incidentId === incident.id)
  if (subject === null || rule?.incident == null) return null
  const mutedTo = subject.maintenance?.context.deadlineAt ?? null
  const recipients = await recipientsOf(store, subject, rule, incident)
  return { ruleKey: rule.key, snapshot: rule.incident, verdict: rule.verdict, mutedTo, recipients }
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
