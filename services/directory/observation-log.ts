// The Observation log of a Resource, read by ranges of ids. Their keeper alone writes the rows. Rule: docs/reference/v3.md, 7.8.
import type { ListObservations, ObservationEntry } from '#shared/contracts/observation-log.ts'
import type { SubjectDocument } from '#shared/contracts/subject.ts'
import { endOfPrefix, observationPrefix, parseCheckObservationId, parsePushedObservationId, pushedPrefix } from '#shared/ids.ts'
import { day, hour, limits, minute } from '#shared/limits.ts'
import { platformSignalKey } from '#shared/resource-signals.ts'
import { pagesOf } from '#shared/store/pages.ts'
import type { Store } from '#shared/store/port.ts'
import type { DirectoryContext } from './context.ts'
import { checkEntry, pushedEntry, type Source } from './observation-entries.ts'

/** Where a row lies, and of which instant it is (µs). */
interface Place {
  id: string
  atUs: number
  collection: 'pushedObservations' | 'observations'
  source: Source
}

/** A single entry that is larger than a page is one all the same. Entries that a page has no room for are left out. */
export async function listObservations(
  { store, clock }: DirectoryContext,
  { subjectId, signal, limit }: ListObservations,
): Promise<ObservationEntry[]> {
  const [subject = null] = await store.get('subjects', [subjectId])
  if (subject === null || subject.deletedAt !== null) return []
  const now = clock.now()
  const sources = sourcesOf(subject).filter(source => signal === null || source.signal === signal)
  const places = await Promise.all([
    ...sources.map(source => newestPushed(store, subjectId, source, { now, limit })),
    newestChecks(store, subjectId, sources, { now, limit }),
  ])
  return await readEntries(store, places.flat().sort(newestFirst).slice(0, limit))
}

const newestFirst = (one: Place, other: Place): number =>
  one.atUs === other.atUs ? (one.id < other.id ? 1 : -1) : other.atUs - one.atUs

/** The signals that the Resource has. */
const sourcesOf = ({ check, custom }: SubjectDocument): Source[] => [
  ...(check?.locations ?? []).map(locationId => {
    const key = platformSignalKey(locationId)
    return { key, signal: key, locationId }
  }),
  ...(custom?.signals ?? []).map(({ key, slug }) => ({ key, signal: slug, locationId: null })),
]

interface Wanted {
  now: number
  limit: number
}

/** Generation 2 also keeps reports that it does not accept: they are none of the log, and few of them are passed over. */
async function newestPushed(store: Store, subjectId: string, source: Source, { now, limit }: Wanted): Promise<Place[]> {
  const endUs = (now + limits.intake.clockSkewMs) * 1_000 + 1
  const where = { id: { gte: pushedPrefix(subjectId, source.key), lt: pushedPrefix(subjectId, source.key, endUs) } }
  const query = { where, sort: [['id', 'desc']] as const, select: ['rejectReason'], limit: Math.max(limit, rowsPerRead) }
  const found: Place[] = []
  let read = 0
  for await (const page of pagesOf(query, paged => store.find('pushedObservations', paged))) {
    for (const { id, rejectReason } of page) {
      const atUs = parsePushedObservationId(id).observedAtUs
      if (rejectReason === null) found.push({ id, atUs, collection: 'pushedObservations', source })
    }
    read += page.length
    if (found.length >= limit || read >= limits.v3.logRowsRead) break
  }
  return found.slice(0, limit)
}

/** Where many were not accepted, a short log takes no read for each. */
const rowsPerRead = 50

/** Ids of checks begin with their day: one day after the other, back to the oldest that are kept. */
async function newestChecks(
  store: Store,
  subjectId: string,
  sources: readonly Source[],
  { now, limit }: Wanted,
): Promise<Place[]> {
  const checked = sources.filter(({ locationId }) => locationId !== null)
  if (checked.length === 0) return []
  const oldest = now - limits.retention.checksMs - limits.retention.heldBackMs
  const found: Place[] = []
  // Slots follow the bus's clock, which may be ahead.
  for (let at = now + minute; at > oldest - day; at -= day) {
    const prefix = observationPrefix(at, subjectId)
    const where = { id: { gte: prefix, lt: endOfPrefix(prefix) } }
    const [first] = await store.find('observations', { where, select: [], limit: 1 })
    if (first === undefined) continue
    found.push(...(await Promise.all(checked.map(source => checksOfDay(store, prefix, source, limit)))).flat())
    // A check may end some time after its slot, and so a day later.
    const settledUs = (at - (at % day) + hour) * 1_000
    if (found.filter(({ atUs }) => atUs >= settledUs).length >= limit) break
  }
  return found
}

async function checksOfDay(store: Store, prefix: string, source: Source, limit: number): Promise<Place[]> {
  const ofLocation = prefix + source.locationId
  const where = { id: { gte: ofLocation, lt: endOfPrefix(ofLocation) } }
  const rows = await store.find('observations', { where, sort: [['id', 'desc']], select: ['delayMs'], limit })
  return rows.map(({ id, delayMs }) => {
    const atUs = (parseCheckObservationId(id).slotAt + delayMs) * 1_000
    return { id, atUs, collection: 'observations', source }
  })
}

/** A few rows at a time: bodies may be large. A row that has left meanwhile is left out. */
async function readEntries(store: Store, places: readonly Place[]): Promise<ObservationEntry[]> {
  const entries: ObservationEntry[] = []
  let bytes = 0
  for (let from = 0; from < places.length; from += perRead) {
    for (const entry of await entriesOf(store, places.slice(from, from + perRead))) {
      bytes += Buffer.byteLength(JSON.stringify(entry)) + 1
      if (entries.length > 0 && bytes > limits.request.pageBytes) return entries
      entries.push(entry)
    }
  }
  return entries
}

const perRead = 25

async function entriesOf(store: Store, places: readonly Place[]): Promise<ObservationEntry[]> {
  const idsOf = (wanted: Place['collection']) => places.filter(({ collection }) => collection === wanted).map(({ id }) => id)
  const [pushedIds, checkIds] = [idsOf('pushedObservations'), idsOf('observations')]
  const [pushed, checks] = await Promise.all([
    pushedIds.length === 0 ? [] : store.get('pushedObservations', pushedIds),
    checkIds.length === 0 ? [] : store.get('observations', checkIds),
  ])
  const pushedById = new Map(pushedIds.map((id, i) => [id, pushed[i] ?? null]))
  const checksById = new Map(checkIds.map((id, i) => [id, checks[i] ?? null]))
  return places.flatMap(({ id, atUs, source }) => {
    const [row, check] = [pushedById.get(id) ?? null, checksById.get(id) ?? null]
    if (row !== null) return [pushedEntry(row, atUs, source)]
    return check === null ? [] : [checkEntry(check, atUs, source)]
  })
}
