// Records of an incident for a replay: the incident and its history. Only keepers write them.
import type { AskRequest } from '#shared/contracts/ask/ask.ts'
import type { HeldIncident, IncidentRecords } from '#shared/contracts/ask/ask-subjects.ts'
import type { HistoryDocument, IncidentDocument } from '#shared/contracts/incidents/incident.ts'
import { createIncidentIds } from '#shared/incidents/incident-ids.ts'
import { limits } from '#shared/limits/limits.ts'
import { type Store, UnreadableDocument } from '#shared/store/port.ts'
import type { AskAnswerer, DirectoryContext } from '../context.ts'
import { PageItems } from '../documents/page.ts'
import { recipientsOf } from './incident-recipients.ts'

/**
 * Returns the incident, or null if no incident has this id, and a page of its history after `afterSequence`. The last page also contains
 * the subject's copy of the incident.
 */
export const getIncidentRecords: AskAnswerer<'get-incident-records'> = async (context, request) => {
  try {
    return await readRecords(context, request)
  } catch (error) {
    if (!(error instanceof UnreadableDocument)) throw error
    return { ...nothing, unreadable: `${error.collection} ${error.id}` }
  }
}

const nothing: IncidentRecords = { incident: null, history: [], more: false, held: null, unreadable: null }

async function readRecords({ store, incidentSalt }: DirectoryContext, { id, afterSequence }: AskRequest<'get-incident-records'>) {
  const incidentId = id.includes('.') ? id : createIncidentIds(incidentSalt).decode(id)?.incidentId
  const [incident = null] = incidentId === undefined ? [] : await store.get('incidents', [incidentId])
  if (incident === null) return nothing
  const found = await historyOf(store, incident.id, afterSequence)
  const page = new PageItems<HistoryDocument>()
  const tooMany = found.findIndex(entry => !page.add(entry))
  const { items: history } = page
  const more = tooMany >= 0 || found.length === limits.directory.historyPage
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

/** Reads a page of the history. Entries contain evidence and are large, so a page has only few entries. */
const historyOf = (store: Store, incidentId: string, afterSequence: number) =>
  store.find('history', {
    where: { incidentId, sequence: { gt: afterSequence } },
    sort: [['sequence', 'asc']],
    limit: limits.directory.historyPage,
  })
