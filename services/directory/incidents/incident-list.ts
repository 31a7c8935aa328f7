// Lists and single reads of Incidents of generation 3. Their keeper alone writes them. Rules: docs/reference/v3.md, sections 5 and 9.
import type { AskRequest } from '#shared/contracts/ask/ask.ts'
import type { IncidentFilters } from '#shared/contracts/ask/ask-incidents.ts'
import type { Page } from '#shared/contracts/ask/reply.ts'
import type { IncidentRecord } from '#shared/contracts/incidents/incident-views.ts'
import { facetsWithin } from '#shared/incidents/incident-facets.ts'
import { incidentRecord } from '#shared/incidents/incident-record.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Query, Store } from '#shared/store/port.ts'
import type { DirectoryContext } from '../context.ts'
import { type Cursor, formatCursor, parseCursor } from '../documents/page.ts'
import { namesOf, type ResourcesBehind, resourcesBehind } from './incident-resources.ts'
import { type IncidentEntry, newestIncidents, positionOf } from './newest-incidents.ts'

/** By its internal id, open or closed; null: none of the workspace, or its Resource is deleted. */
export async function readIncident(
  { store }: DirectoryContext,
  { workspaceId, incidentId }: AskRequest<'read-incident'>,
): Promise<IncidentRecord | null> {
  const [incident = null] = await store.get('incidents', [incidentId])
  if (incident === null || incident.workspaceId !== workspaceId) return null
  const subject = (await namesOf(store, [incident.subjectId])).get(incident.subjectId)
  return subject === undefined ? null : incidentRecord(incident, subject)
}

/** A page, newest first. It looks at so many Incidents at most, and may be short for that. */
export async function listIncidents(
  context: DirectoryContext,
  { workspaceId, filters, after, limit }: AskRequest<'list-incidents'>,
): Promise<Page<IncidentRecord>> {
  const { store } = context
  const resources = await resourcesBehind(context, workspaceId, filters)
  const { wheres, fits } = rangesOf(workspaceId, filters, resources.ids)
  const page: IncidentRecord[] = []
  let bytes = 0
  let last = parseCursor(after)
  let looked = 0
  const perRead = readsOf(wheres.length, fits === null ? limit + 1 : limits.incidentLists.perRead)
  for await (const entries of chunksOf(newestIncidents(store, wheres, { after: last, perRead }), limit + 1)) {
    const records = await recordsOf(store, fits === null ? entries : entries.filter(fits), resources)
    for (const entry of entries) {
      const record = records.get(entry.id)
      const size = record === undefined ? 0 : Buffer.byteLength(JSON.stringify(record)) + 1
      const isFull = page.length === limit || (page.length > 0 && bytes + size > limits.request.pageBytes)
      if (record !== undefined && isFull) return pageTo(page, last)
      if (record !== undefined) page.push(record)
      bytes += size
      last = positionOf(entry)
      if (++looked === limits.incidentLists.lookedAt) return pageTo(page, last)
    }
  }
  return pageTo(page, null)
}

/** Of many ranges each has but a few of the page's Incidents. */
const readsOf = (ranges: number, wanted: number): number =>
  ranges <= 8 ? wanted : Math.min(wanted, Math.max(16, Math.ceil((4 * wanted) / ranges)))

const pageTo = (items: IncidentRecord[], last: Cursor | null): Page<IncidentRecord> => ({ items, next: formatCursor(last) })

interface Ranges {
  wheres: NonNullable<Query['where']>[]
  /** The test that an entry must pass although its range fits; null: none. */
  fits: ((entry: IncidentEntry) => boolean) | null
}

/** Ranges of an index each. Of few Resources they are their own, else the workspace's by every mix of the facets that is wanted. */
function rangesOf(workspaceId: string, filters: IncidentFilters, resources: ReadonlySet<string> | null): Ranges {
  const { rule } = filters
  const facets = facetsWithin(filters)
  const isFiltered = rule !== null || facets.length < allFacets
  if (resources !== null && resources.size <= limits.incidentLists.merged) {
    const fits = (entry: IncidentEntry) => (rule === null || entry.ruleShown === rule) && facets.includes(entry.facets)
    return { wheres: [...resources].map(subjectId => ({ subjectId })), fits: isFiltered ? fits : null }
  }
  const ofRule = rule === null ? {} : { ruleShown: rule }
  const wheres = isFiltered ? facets.map(one => ({ workspaceId, ...ofRule, facets: one })) : [{ workspaceId }]
  return { wheres, fits: resources === null ? null : ({ subjectId }) => resources.has(subjectId) }
}

const allFacets = facetsWithin({ isOpen: null, isConfirmed: null, isAcknowledged: null }).length

async function* chunksOf<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let chunk: T[] = []
  for await (const item of items) {
    chunk.push(item)
    if (chunk.length < size) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}

/** By id. One that left meanwhile is not among them, nor are those of Resources that are not shown. */
async function recordsOf(
  store: Store,
  entries: readonly IncidentEntry[],
  resources: ResourcesBehind,
): Promise<Map<string, IncidentRecord>> {
  const records = new Map<string, IncidentRecord>()
  if (entries.length === 0) return records
  const subjects = await resources.shown(entries.map(({ subjectId }) => subjectId))
  const found = await store.get(
    'incidents',
    entries.filter(({ subjectId }) => subjects.has(subjectId)).map(({ id }) => id),
  )
  for (const incident of found) {
    const subject = incident === null ? undefined : subjects.get(incident.subjectId)
    if (incident !== null && subject !== undefined) records.set(incident.id, incidentRecord(incident, subject))
  }
  return records
}
