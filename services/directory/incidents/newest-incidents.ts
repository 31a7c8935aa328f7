// Merge of several ranges of an index into one list of Incidents, newest first. Incidents outside the ranges are not read. Reference:
// docs/reference/v3.md, 9.2 and 9.5.
import type { IncidentDocument } from '#shared/contracts/incidents/incident.ts'
import type { Query, Store } from '#shared/store/port.ts'
import type { Cursor } from '../documents/page.ts'

/** Columns of an Incident. Whole documents are read later, only for the Incidents that are shown. */
export type IncidentEntry = Pick<IncidentDocument, (typeof columns)[number] | 'id'>

const columns = ['troubleSince', 'subjectId', 'ruleShown', 'facets'] as const

interface Source {
  where: NonNullable<Query['where']>
  after: Cursor | null
  buffer: IncidentEntry[]
  isRead: boolean
}

/**
 * Yields the entries that follow `after` in the list, newest first. `wheres` names the ranges of the index; no Incident is in two ranges.
 */
export async function* newestIncidents(
  store: Store,
  wheres: readonly Source['where'][],
  { after, perRead }: { after: Cursor | null; perRead: number },
): AsyncGenerator<IncidentEntry> {
  const sources = wheres.map((where): Source => ({ where, after, buffer: [], isRead: false }))
  for (;;) {
    await Promise.all(sources.map(source => fill(store, source, perRead)))
    let first: Source | null = null
    for (const source of sources) if (isBefore(source, first)) first = source
    const entry = first?.buffer.shift()
    if (entry === undefined) return
    yield entry
  }
}

async function fill(store: Store, source: Source, perRead: number): Promise<void> {
  if (source.buffer.length > 0 || source.isRead) return
  const { where, after } = source
  const query: Query = { where, sort: [['troubleSince', 'desc']], limit: perRead, select: columns }
  source.buffer = await store.find('incidents', after === null ? query : { ...query, after })
  source.isRead = source.buffer.length < perRead
  const last = source.buffer.at(-1)
  if (last !== undefined) source.after = positionOf(last)
}

export const positionOf = ({ troubleSince, id }: IncidentEntry): Cursor => ({ values: [troubleSince], id })

function isBefore({ buffer: [one] }: Source, other: Source | null): boolean {
  const than = other?.buffer[0]
  if (one === undefined || than === undefined) return one !== undefined
  return one.troubleSince === than.troubleSince ? one.id > than.id : one.troubleSince > than.troubleSince
}
