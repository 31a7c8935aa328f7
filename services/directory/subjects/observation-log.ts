// Observation log of a Resource, read by ranges of ids. Only keepers write the rows. Reference: docs/reference/v3.md, 7.8.
import type { PushedObservationDocument } from '#shared/contracts/observations/observation.ts'
import type { ListObservations, ObservationEntry } from '#shared/contracts/observations/observation-log.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { day, hour, limits, minute } from '#shared/limits/limits.ts'
import { pagesOf } from '#shared/store/pages.ts'
import type { Store } from '#shared/store/port.ts'
import { checkedPairs } from '#shared/subjects/checked-pairs.ts'
import {
  checkObservationId,
  endOfPrefix,
  observationPrefix,
  parseCheckObservationId,
  parsePushedObservationId,
  pingBodyId,
  pushedPrefix,
  sourceRange,
} from '#shared/text/ids.ts'
import type { AskAnswerer, DirectoryContext } from '../context.ts'
import { PageItems } from '../documents/page.ts'
import { checkEntry, pushedEntry, type Source } from './observation-entries.ts'

/** Id of a row, its instant (µs since the epoch), its collection and its signal. */
interface Place {
  id: string
  atUs: number
  collection: 'pushedObservations' | 'observations'
  source: Source
}

/** Returns the newest entries, as many as fit into a page. The first entry is returned even if it is larger than a page. */
export const listObservations: AskAnswerer<'list-observations'> = async (
  { store, clock },
  { subjectId, signal, from, to, unaccepted, limit },
) => {
  const [subject = null] = await store.get('subjects', [subjectId])
  if (subject === null || subject.deletedAt !== null) return []
  const wanted = { now: clock.now(), from, to, unaccepted, limit }
  const sources = sourcesOf(subject).filter(source => signal === null || source.signal === signal || source.checked === signal)
  const places = await Promise.all([
    ...sources.map(source => newestPushed(store, subjectId, source, wanted)),
    unaccepted ? [] : newestChecks(store, subjectId, sources, wanted),
  ])
  const isWithin = ({ atUs }: Place) => (from === null || atUs >= from * 1_000) && (to === null || atUs < to * 1_000)
  return await readEntries(store, places.flat().filter(isWithin).sort(newestFirst).slice(0, limit))
}

/** Returns, for each given signal, the newest accepted report. A signal without an accepted report has no entry. */
export async function newestReports(
  { store, clock }: Pick<DirectoryContext, 'store' | 'clock'>,
  subject: SubjectDocument,
  signals: ReadonlySet<string>,
): Promise<ObservationEntry[]> {
  const wanted = { now: clock.now(), from: null, to: null, unaccepted: false, limit: 1 }
  const sources = sourcesOf(subject).filter(({ signal }) => signals.has(signal))
  const places = await Promise.all(sources.map(source => newestPushed(store, subject.id, source, wanted)))
  return await readEntries(store, places.flat())
}

const newestFirst = (one: Place, other: Place): number =>
  one.atUs === other.atUs ? (one.id < other.id ? 1 : -1) : other.atUs - one.atUs

const sourcesOf = (subject: SubjectDocument): Source[] => [
  ...checkedPairs(subject).map(({ key, signal, locationId, source }) => ({
    key,
    signal: key,
    locationId,
    source,
    checked: signal,
  })),
  ...(subject.custom?.signals ?? []).map(({ key, slug }) => ({
    ...{ key, signal: slug },
    ...{ locationId: null, source: null, checked: null },
  })),
]

interface WantedObservations extends Pick<ListObservations, 'from' | 'to' | 'unaccepted' | 'limit'> {
  now: number
}

/**
 * Returns the places of a signal's newest rows. Subjects of generation 2 also have rows of refused reports. A page has either accepted or
 * refused reports, so reports of the other kind are skipped; a limit bounds the rows read.
 */
async function newestPushed(store: Store, subjectId: string, source: Source, wanted: WantedObservations): Promise<Place[]> {
  const { now, from, to, unaccepted, limit } = wanted
  const prefixAt = (at: number) => pushedPrefix(subjectId, source.key, Math.max(0, at) * 1_000)
  const all = pushedPrefix(subjectId, source.key)
  const acceptedEnd = pushedPrefix(subjectId, source.key, (now + limits.intake.clockSkewMs) * 1_000 + 1)
  const end = to !== null ? prefixAt(to) : unaccepted ? endOfPrefix(all) : acceptedEnd
  const where = { id: { gte: from === null ? all : prefixAt(from), lt: end } }
  const query = { where, sort: [['id', 'desc']] as const, select: ['rejectReason'], limit: Math.max(limit, rowsPerRead) }
  const found: Place[] = []
  let read = 0
  for await (const page of pagesOf(query, paged => store.find('pushedObservations', paged))) {
    for (const { id, rejectReason } of page) {
      const atUs = parsePushedObservationId(id).observedAtUs
      if ((rejectReason !== null) === unaccepted) found.push({ id, atUs, collection: 'pushedObservations', source })
    }
    read += page.length
    if (found.length >= limit || read >= limits.v3.logRowsRead) break
  }
  return found.slice(0, limit)
}

/** Smallest number of rows in one read. If reads were smaller, many skipped rows would need many reads. */
const rowsPerRead = 50

/**
 * Returns the places of the newest checks. The id of a check begins with its day, so days are read one by one, from the newest back to the
 * oldest stored day.
 */
async function newestChecks(
  store: Store,
  subjectId: string,
  sources: readonly Source[],
  { now, from, to, limit }: WantedObservations,
) {
  const checked = sources.filter(({ source }) => source !== null)
  if (checked.length === 0) return []
  // A check's id contains its slot, which is earlier than the check's end. The range of slots therefore begins an hour before `from`.
  const oldest = Math.max(now - limits.retention.checksMs - limits.retention.heldBackMs, (from ?? 0) - hour)
  const found: Place[] = []
  // Slots are on bus time, which may be ahead of this clock.
  const newest = Math.min(to ?? Number.POSITIVE_INFINITY, now + minute)
  for (let at = newest; at > oldest - day; at -= day) {
    const prefix = observationPrefix(at, subjectId)
    const where = { id: { gte: prefix, lt: endOfPrefix(prefix) } }
    const [first] = await store.find('observations', { where, select: [], limit: 1 })
    if (first === undefined) continue
    const ofDay = { at, isCut: at === to, limit }
    found.push(...(await Promise.all(checked.map(source => checksOfDay(store, subjectId, source, ofDay)))).flat())
    // A check may end on the day after its slot. Checks that ended at least an hour after the start of this day are certainly newer
    // than all checks of earlier days.
    const settledUs = (at - (at % day) + hour) * 1_000
    if (found.filter(({ atUs }) => atUs >= settledUs).length >= limit) break
  }
  return found
}

/** Number of extra rows to read for one source, because checks with a slot before `at` may end after `at`. */
const endedLater = 5

interface OfDay {
  at: number
  /** True if only slots before `at` are read. */
  isCut: boolean
  limit: number
}

async function checksOfDay(store: Store, subjectId: string, source: Source, { at, isCut, limit }: OfDay): Promise<Place[]> {
  const { gte, lt } = sourceRange(at, subjectId, source.source ?? '')
  const where = { id: { gte, lt: isCut ? checkObservationId(subjectId, source.source ?? '', at) : lt } }
  const most = isCut ? limit + endedLater : limit
  const rows = await store.find('observations', { where, sort: [['id', 'desc']], select: ['delayMs'], limit: most })
  return rows.map(({ id, delayMs }) => {
    const atUs = (parseCheckObservationId(id).slotAt + delayMs) * 1_000
    return { id, atUs, collection: 'observations', source }
  })
}

/** Reads the rows at these places, a few at a time, because a row may be large. Rows that were deleted meanwhile are omitted. */
async function readEntries(store: Store, places: readonly Place[]): Promise<ObservationEntry[]> {
  const page = new PageItems<ObservationEntry>()
  for (let from = 0; from < places.length; from += perRead) {
    for (const entry of await entriesOf(store, places.slice(from, from + perRead))) if (!page.add(entry)) return page.items
  }
  return page.items
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
  const bodies = await bodiesOfPings(store, pushed)
  return places.flatMap(({ id, atUs, source }) => {
    const [row, check] = [pushedById.get(id) ?? null, checksById.get(id) ?? null]
    if (row !== null) return [pushedEntry({ ...row, body: bodies.get(id) ?? row.body }, atUs, source)]
    return check === null ? [] : [checkEntry(check, atUs, source)]
  })
}

/** Returns the bodies that are kept of these pings, as JSON by the ids of their rows. */
async function bodiesOfPings(store: Store, rows: readonly (PushedObservationDocument | null)[]): Promise<Map<string, string>> {
  const pings = rows.flatMap(row => (row?.source === 'ping' ? [parsePushedObservationId(row.id)] : []))
  const ids = new Set(pings.flatMap(({ subjectId, signalKey }) => places.map(place => pingBodyId(subjectId, signalKey, place))))
  const found = ids.size === 0 ? [] : await store.get('pingBodies', [...ids])
  return new Map(found.flatMap(one => (one === null ? [] : [[one.rowId, JSON.stringify({ text: one.text, bytes: one.bytes })]])))
}

const places = [...Array(limits.pings.bodiesKept).keys(), 'problem'] as const
