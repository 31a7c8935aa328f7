// Lists and single reads of Incidents of generation 3. Their keeper alone writes them. Rules: docs/reference/v3.md, sections 5 and 9.
import type { AskRequest } from '#shared/contracts/ask.ts'
import type { IncidentFilters } from '#shared/contracts/ask-incidents.ts'
import type { IncidentRecord } from '#shared/contracts/incident-views.ts'
import type { Page } from '#shared/contracts/page.ts'
import type { SubjectDocument } from '#shared/contracts/subject.ts'
import { facetsWithin } from '#shared/incident-facets.ts'
import { incidentRecord } from '#shared/incident-record.ts'
import { limits } from '#shared/limits.ts'
import type { Query, Store } from '#shared/store/port.ts'
import type { DirectoryContext } from './context.ts'
import { type IncidentEntry, newestIncidents, positionOf } from './newest-incidents.ts'
import { type Cursor, formatCursor, parseCursor } from './page.ts'
import { resolveResources } from './resources.ts'

/** By its internal id, open or closed; null: none of the workspace, or its Resource is deleted. */
export async function readIncident(
  { store }: DirectoryContext,
  { workspaceId, incidentId }: AskRequest<'read-incident'>,
): Promise<IncidentRecord | null> {
  const [incident = null] = await store.get('incidents', [incidentId])
  if (incident === null || incident.workspaceId !== workspaceId) return null
  const subject = (await subjectsOf(store, [incident])).get(incident.subjectId)
  return subject === undefined ? null : incidentRecord(incident, subject)
}

/** A page, newest first. It looks at so many Incidents at most, and may be short for that. */
export async function listIncidents(
  context: DirectoryContext,
  { workspaceId, filters, after, limit }: AskRequest<'list-incidents'>,
): Promise<Page<IncidentRecord>> {
  const { store } = context
  const { wheres, fits } = rangesOf(workspaceId, filters, await resourcesOf(context, workspaceId, filters))
  const page: IncidentRecord[] = []
  let bytes = 0
  let last = parseCursor(after)
  let looked = 0
  const perRead = fits === null ? limit + 1 : limits.incidentLists.perRead
  for await (const entries of chunksOf(newestIncidents(store, wheres, { after: last, perRead }), limit + 1)) {
    const records = await recordsOf(store, fits === null ? entries : entries.filter(fits))
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

const pageTo = (items: IncidentRecord[], last: Cursor | null): Page<IncidentRecord> => ({ items, next: formatCursor(last) })

/** Ids of the Resources whose Incidents are listed; null: of all. */
async function resourcesOf(
  context: DirectoryContext,
  workspaceId: string,
  { resources: references }: IncidentFilters,
): Promise<ReadonlySet<string> | null> {
  if (references.length === 0) return null
  const [first, ...others] = await resolveResources(context, { workspaceId, references })
  return new Set(first != null && others.every(other => other?.id === first.id) ? [first.id] : [])
}

interface Ranges {
  wheres: NonNullable<Query['where']>[]
  /** What the ranges leave to look at; null: nothing. */
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

/** By id. One that left meanwhile is not among them, nor are those of deleted Resources, which are being removed. */
async function recordsOf(store: Store, entries: readonly IncidentEntry[]): Promise<Map<string, IncidentRecord>> {
  const records = new Map<string, IncidentRecord>()
  if (entries.length === 0) return records
  const found = await store.get(
    'incidents',
    entries.map(({ id }) => id),
  )
  const subjects = await subjectsOf(store, entries)
  for (const incident of found) {
    const subject = incident === null ? undefined : subjects.get(incident.subjectId)
    if (incident !== null && subject !== undefined) records.set(incident.id, incidentRecord(incident, subject))
  }
  return records
}

type Named = Pick<SubjectDocument, 'id' | 'slug' | 'name'>

/** Their names alone, without the subjects' documents; deleted ones are left out. */
async function subjectsOf(store: Store, incidents: readonly { subjectId: string }[]): Promise<Map<string, Named>> {
  const ids = [...new Set(incidents.map(({ subjectId }) => subjectId))]
  const where = { id: { in: ids }, deletedAt: null }
  const found = await store.find('subjects', { where, limit: ids.length, select: ['slug', 'name'] })
  return new Map(found.map(({ id, slug, name }) => [id, { id, slug, name }]))
}
