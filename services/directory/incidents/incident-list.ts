// Reads of Incidents for generation 3: lists and single Incidents. Only keepers write Incidents. Reference: docs/reference/v3.md,
// sections 5 and 9.
import type { IncidentFilters } from '#shared/contracts/ask/ask-incidents.ts'
import type { Page } from '#shared/contracts/ask/reply.ts'
import type { IncidentRecord } from '#shared/contracts/incidents/incident-views.ts'
import { facetsWithin } from '#shared/incidents/incident-facets.ts'
import { incidentRecord } from '#shared/incidents/incident-record.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Query, Store } from '#shared/store/port.ts'
import type { AskAnswerer } from '../context.ts'
import { type Cursor, formatCursor, PageItems, parseCursor } from '../documents/page.ts'
import { namesOf, type ResourcesBehind, resourcesBehind } from './incident-resources.ts'
import { type IncidentEntry, newestIncidents, positionOf } from './newest-incidents.ts'
import { withOlderCauses } from './older-causes.ts'

/**
 * Returns an Incident by its internal id, open or closed. Null: the workspace has no Incident of this id, or the Incident's Resource
 * is deleted.
 */
export const readIncident: AskAnswerer<'read-incident'> = async ({ store }, { workspaceId, incidentId }) => {
  const [incident = null] = await store.get('incidents', [incidentId])
  if (incident === null || incident.workspaceId !== workspaceId) return null
  const subject = (await namesOf(store, [incident.subjectId])).get(incident.subjectId)
  if (subject === undefined) return null
  const [caused = incident] = await withOlderCauses(store, [incident])
  return incidentRecord(caused, subject)
}

/**
 * Returns a page, newest first. At most `limits.incidentLists.lookedAt` Incidents are read for a page, so a filtered page may have fewer
 * items than `limit`.
 */
export const listIncidents: AskAnswerer<'list-incidents'> = async (context, { workspaceId, filters, after, limit }) => {
  const { store } = context
  const resources = await resourcesBehind(context, workspaceId, filters)
  const { wheres, fits } = rangesOf(workspaceId, filters, resources.ids)
  const page = new PageItems<IncidentRecord>(limit)
  let last = parseCursor(after)
  let looked = 0
  const perRead = readsOf(wheres.length, fits === null ? limit + 1 : limits.incidentLists.perRead)
  for await (const entries of chunksOf(newestIncidents(store, wheres, { after: last, perRead }), limit + 1)) {
    const records = await recordsOf(store, fits === null ? entries : entries.filter(fits), resources)
    for (const entry of entries) {
      const record = records.get(entry.id)
      if (record !== undefined && !page.add(record)) return pageTo(page, last)
      last = positionOf(entry)
      if (++looked === limits.incidentLists.lookedAt) return pageTo(page, last)
    }
  }
  return pageTo(page, null)
}

/**
 * Returns the number of Incidents that one read takes from one range. If there are many ranges, one range contributes only a few Incidents
 * to the page, so this number is small.
 */
const readsOf = (ranges: number, wanted: number): number =>
  ranges <= 8 ? wanted : Math.min(wanted, Math.max(16, Math.ceil((4 * wanted) / ranges)))

const pageTo = ({ items }: PageItems<IncidentRecord>, last: Cursor | null): Page<IncidentRecord> => ({
  items,
  next: formatCursor(last),
})

interface Ranges {
  wheres: NonNullable<Query['where']>[]
  /** Returns true if an entry of the ranges matches the filters; null: all entries of the ranges match. */
  fits: ((entry: IncidentEntry) => boolean) | null
}

/**
 * Returns the index ranges to read. For few Resources, one range for each Resource; otherwise, one range of the workspace for each wanted
 * combination of open, confirmed and acknowledged (facets).
 */
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

/** Returns the records of these entries by id. Omits deleted Incidents, and Incidents of Resources that are not shown. */
async function recordsOf(store: Store, entries: readonly IncidentEntry[], resources: ResourcesBehind) {
  const records = new Map<string, IncidentRecord>()
  if (entries.length === 0) return records
  const subjects = await resources.shown(entries.map(({ subjectId }) => subjectId))
  const found = await store.get(
    'incidents',
    entries.filter(({ subjectId }) => subjects.has(subjectId)).map(({ id }) => id),
  )
  const present = found.filter(incident => incident !== null)
  for (const incident of await withOlderCauses(store, present)) {
    const subject = subjects.get(incident.subjectId)
    if (subject !== undefined) records.set(incident.id, incidentRecord(incident, subject))
  }
  return records
}
