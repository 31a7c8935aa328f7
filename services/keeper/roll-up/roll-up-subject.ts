// Roll-up of a few subjects: hours from raw observations, days from hours. Each roll-up is computed completely, so a repeat counts nothing
// twice.
import type { RollUpDocument } from '#shared/contracts/observations/roll-up.ts'
import { day, hour } from '#shared/limits/limits.ts'
import { type Bucket, emptyBucket, mergeBucket } from '#shared/roll-up/bucket.ts'
import { packBuckets, unpackBuckets } from '#shared/roll-up/packed.ts'
import { type Buckets, readRaw } from '#shared/roll-up/raw-reports.ts'
import { rollUpId, type Source, spans } from '#shared/roll-up/roll-up-ids.ts'
import type { RetryingStore } from './retrying-store.ts'
import { rawSources, rolledUpSources } from './sources.ts'

const bucketsPerHour = spans.hour.row / spans.hour.bucket
const bucketsPerDay = spans.day.row / spans.day.bucket

type Hour = (Bucket | null)[]

/** The sources of one subject whose rows are computed. */
interface Sources {
  subjectId: string
  sources: readonly Source[]
}

/**
 * Returns for each subject the rows of the hours from `from` to `to` (whole hours of one day, ms) that differ from the stored rows. The
 * stored rows of all subjects are read at once.
 */
export async function rollUpHours(
  store: RetryingStore,
  subjectIds: readonly string[],
  from: number,
  to: number,
): Promise<RollUpDocument[][]> {
  const found = await Promise.all(
    subjectIds.map(async subjectId => ({ subjectId, sources: await rawSources(store, subjectId, from) })),
  )
  const hours = await hoursOf(store, found, from, to)
  return hours.map(ofSubject => ofSubject.flatMap(({ changed }) => changed))
}

/** Returns for each subject the rows of a day (its start, ms) and of all its hours that differ from the stored rows. */
export async function settleDay(store: RetryingStore, subjectIds: readonly string[], start: number): Promise<RollUpDocument[][]> {
  const found = await Promise.all(
    subjectIds.map(async subjectId => {
      const known = [...(await rawSources(store, subjectId, start)), ...(await rolledUpSources(store, subjectId))]
      return { subjectId, sources: [...new Map(known.map(one => [one.kind + one.id, one])).values()] }
    }),
  )
  const hours = await hoursOf(store, found, start, start + day)
  return found.map(({ subjectId, sources }, index) =>
    sources.flatMap((source, at) => {
      const { changed, hours: ofDay } = hours[index]?.[at] ?? nothing
      if (ofDay.size === 0) return changed
      const totals = Array.from({ length: bucketsPerDay }, (_, hourOfDay) => totalOf(ofDay.get(start + hourOfDay * hour)))
      return [...changed, { id: rollUpId(subjectId, source, 'day', start), data: packBuckets(totals) }]
    }),
  )
}

/** Hours of one source: the rows that differ from the stored rows, and all hours by their starts. */
interface Hours {
  changed: RollUpDocument[]
  hours: Map<number, Hour>
}

const nothing: Hours = { changed: [], hours: new Map() }

/** Returns the hours of each source of each subject, in the order of `subjects` and their sources. */
async function hoursOf(store: RetryingStore, subjects: readonly Sources[], from: number, to: number): Promise<Hours[][]> {
  const starts = Array.from({ length: (to - from) / hour }, (_, index) => from + index * hour)
  const ids = subjects.flatMap(({ subjectId, sources }) =>
    sources.flatMap(source => starts.map(at => rollUpId(subjectId, source, 'hour', at))),
  )
  const stored = ids.length === 0 ? [] : await store.get('rollUps', ids)
  const dataOf = new Map(stored.flatMap(row => (row === null ? [] : [[row.id, row.data]])))
  return await Promise.all(
    subjects.map(({ subjectId, sources }) =>
      Promise.all(sources.map(source => hoursOfSource(store, { subjectId, source, from, to }, starts, dataOf))),
    ),
  )
}

/**
 * If a stored hour counts more reports than there are raw rows, some raw rows have expired, so the stored hour is kept. Any other stored
 * hour is replaced.
 */
async function hoursOfSource(
  store: RetryingStore,
  { subjectId, source, from, to }: { subjectId: string; source: Source; from: number; to: number },
  starts: readonly number[],
  dataOf: ReadonlyMap<string, string>,
): Promise<Hours> {
  const raw: Buckets = new Map()
  const range = { subjectId, source, from, to, step: spans.hour.bucket, rowsMax: Number.POSITIVE_INFINITY }
  await readRaw(store, range, raw)
  const hours = new Map<number, Hour>()
  const changed: RollUpDocument[] = []
  for (const at of starts) {
    const id = rollUpId(subjectId, source, 'hour', at)
    const data = dataOf.get(id)
    const known = data === undefined ? undefined : unpackBuckets(data, bucketsPerHour)
    if (known !== undefined) hours.set(at, known)
    const counted = Array.from({ length: bucketsPerHour }, (_, index) => raw.get(at + index * spans.hour.bucket) ?? null)
    if (countOf(counted) === 0 || countOf(counted) < countOf(known)) continue
    hours.set(at, counted)
    const row = { id, data: packBuckets(counted) }
    if (data !== row.data) changed.push(row)
  }
  return { changed, hours }
}

const countOf = (buckets: Hour = []): number => buckets.reduce((sum, bucket) => sum + (bucket?.count ?? 0), 0)

function totalOf(buckets: Hour = []): Bucket | null {
  if (countOf(buckets) === 0) return null
  const total = emptyBucket()
  for (const bucket of buckets) if (bucket !== null) mergeBucket(total, bucket)
  return total
}
