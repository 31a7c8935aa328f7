// Records of an Incident for generation 3: its states, and the transitions of its history. If there are very many records, only the first
// ones and the latest ones are returned. Reference: docs/reference/v3.md, 5.2, 5.4, 5.7 and 5.8.
import type { HistoryDocument, IncidentState } from '#shared/contracts/incidents/incident.ts'
import type { IncidentOutline, PathStep, RecordedTransition } from '#shared/contracts/incidents/incident-views.ts'
import { historyEntry } from '#shared/incidents/incident-history.ts'
import { limits } from '#shared/limits/limits.ts'
import { pagesOf } from '#shared/store/pages.ts'
import type { Query, Store } from '#shared/store/port.ts'
import type { AskAnswerer } from '../context.ts'
import { PageItems } from '../documents/page.ts'

const { first: firstMost, latest: latestMost } = limits.incidentLists

export const outlineIncident: AskAnswerer<'outline-incident'> = async ({ store }, { incidentId }) => {
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

/**
 * Returns the first and the latest records in ascending order, and the number of omitted records between them. Sequence numbers have no
 * gaps, so this number is computed without a read of the omitted records.
 */
async function endsOf(store: Store, incidentId: string): Promise<{ shown: HistoryDocument[]; omitted: number }> {
  const latest = await read(store, { where: { incidentId }, sort: [['sequence', 'desc']] }, latestMost)
  latest.reverse()
  const [oldest] = latest
  if (oldest === undefined) return { shown: [], omitted: 0 }
  const where = { incidentId, sequence: { lt: oldest.sequence } }
  const first = oldest.sequence === 1 ? [] : await read(store, { where, sort: [['sequence', 'asc']] }, firstMost)
  return { shown: [...first, ...latest], omitted: oldest.sequence - 1 - first.length }
}

/** Reads up to `most` records. Records contain evidence and are large, so few are read at once. */
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

/** Returns the requested transitions in order until a page is full, but at least one. A missing record is skipped. */
export const readTransitions: AskAnswerer<'read-transitions'> = async ({ store }, { incidentId, sequences }) => {
  const page = new PageItems<RecordedTransition>()
  for (let i = 0; i < sequences.length; i += limits.directory.historyPage) {
    const ids = sequences.slice(i, i + limits.directory.historyPage).map(sequence => `${incidentId}.${sequence}`)
    for (const record of await store.get('history', ids)) {
      if (record === null) continue
      if (!page.add({ sequence: record.sequence, ...historyEntry(record) })) return page.items
    }
  }
  return page.items
}
