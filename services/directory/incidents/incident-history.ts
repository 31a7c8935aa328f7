// The records of an Incident as generation 3 shows them: its states, and the transitions that its history lists. Of thousands the first and
// the latest. Rules: docs/reference/v3.md, 5.2, 5.4, 5.7 and 5.8.
import type { AskRequest } from '#shared/contracts/ask/ask.ts'
import type { HistoryDocument, IncidentState } from '#shared/contracts/incidents/incident.ts'
import type { IncidentOutline, PathStep, RecordedTransition } from '#shared/contracts/incidents/incident-views.ts'
import { historyEntry } from '#shared/incidents/incident-history.ts'
import { limits } from '#shared/limits/limits.ts'
import { pagesOf } from '#shared/store/pages.ts'
import type { Query, Store } from '#shared/store/port.ts'
import type { DirectoryContext } from '../context.ts'

const { first: firstMost, latest: latestMost } = limits.incidentLists

export async function outlineIncident(
  { store }: DirectoryContext,
  { incidentId }: AskRequest<'outline-incident'>,
): Promise<IncidentOutline> {
  const { shown, omitted: pathOmitted } = await endsOf(store, incidentId)
  const path = shown.map(stepOf)
  if (pathOmitted === 0)
    return { path, pathOmitted, listed: shown.filter(({ listed }) => listed === 1).map(sequenceOf), listedOmitted: 0 }
  return { path, pathOmitted, ...(await listedOf(store, incidentId)) }
}

const sequenceOf = ({ sequence }: Pick<HistoryDocument, 'sequence'>) => sequence
const stepOf = ({ state, event }: HistoryDocument): PathStep => ({
  state: state as IncidentState,
  at: event.at,
  event: event.type,
})

/** The first and the latest records, ascending. Sequences have no gap, so the last one counts them. */
async function endsOf(store: Store, incidentId: string): Promise<{ shown: HistoryDocument[]; omitted: number }> {
  const latest = await read(store, { where: { incidentId }, sort: [['sequence', 'desc']] }, latestMost)
  latest.reverse()
  const [oldest] = latest
  if (oldest === undefined) return { shown: [], omitted: 0 }
  const where = { incidentId, sequence: { lt: oldest.sequence } }
  const first = oldest.sequence === 1 ? [] : await read(store, { where, sort: [['sequence', 'asc']] }, firstMost)
  return { shown: [...first, ...latest], omitted: oldest.sequence - 1 - first.length }
}

/** Whole records carry their evidence: few are read at once. */
async function read(store: Store, query: Omit<Query, 'limit'>, most: number): Promise<HistoryDocument[]> {
  const records: HistoryDocument[] = []
  const paged = { ...query, limit: limits.directory.historyPage }
  for await (const page of pagesOf(paged, one => store.find('history', one))) {
    records.push(...page)
    if (records.length >= most) break
  }
  return records.slice(0, most)
}

async function listedOf(store: Store, incidentId: string): Promise<Pick<IncidentOutline, 'listed' | 'listedOmitted'>> {
  const where = { incidentId, listed: 1 }
  const select = ['sequence']
  const latest = (await store.find('history', { where, sort: [['sequence', 'desc']], limit: latestMost, select }))
    .map(sequenceOf)
    .reverse()
  const [oldest = 1] = latest
  const earlier = { ...where, sequence: { lt: oldest } }
  const first = (await store.find('history', { where: earlier, sort: [['sequence', 'asc']], limit: firstMost, select })).map(
    sequenceOf,
  )
  const before = first.length < firstMost ? first.length : await store.count('history', earlier)
  return { listed: [...first, ...latest], listedOmitted: before - first.length }
}

/** As many of the first as a page holds, one at least; a record that is gone is left out with its place. */
export async function readTransitions(
  { store }: DirectoryContext,
  { incidentId, sequences }: AskRequest<'read-transitions'>,
): Promise<RecordedTransition[]> {
  const transitions: RecordedTransition[] = []
  let bytes = 0
  for (let i = 0; i < sequences.length; i += limits.directory.historyPage) {
    const ids = sequences.slice(i, i + limits.directory.historyPage).map(sequence => `${incidentId}.${sequence}`)
    for (const record of await store.get('history', ids)) {
      if (record === null) continue
      const transition = { sequence: record.sequence, ...historyEntry(record) }
      bytes += Buffer.byteLength(JSON.stringify(transition)) + 1
      if (transitions.length > 0 && bytes > limits.request.pageBytes) return transitions
      transitions.push(transition)
    }
  }
  return transitions
}
