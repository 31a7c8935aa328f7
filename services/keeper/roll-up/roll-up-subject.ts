// Roll-up of one subject: hours from raw observations, days from hours. Each roll-up is computed completely, so a repeat counts nothing
// twice.
import type { RollUpDocument } from '#shared/contracts/observations/roll-up.ts'
import { day, hour } from '#shared/limits/limits.ts'
import { type Bucket, emptyBucket, mergeBucket } from '#shared/roll-up/bucket.ts'
import { packBuckets, unpackBuckets } from '#shared/roll-up/packed.ts'
import { type Buckets, readRaw } from '#shared/roll-up/raw-reports.ts'
import { parseRollUpId, rollUpId, rowRange, type Source, spans } from '#shared/roll-up/roll-up-ids.ts'
import type { RetryingStore } from './retrying-store.ts'
import { rawSources, rolledUpSources } from './sources.ts'

const bucketsPerHour = spans.hour.row / spans.hour.bucket
const bucketsPerDay = spans.day.row / spans.day.bucket

type Hour = (Bucket | null)[]

/** Returns the rows of the hours from `from` to `to` (whole hours of one day, ms) that differ from the stored rows. */
export async function rollUpHours(store: RetryingStore, subjectId: string, from: number, to: number): Promise<RollUpDocument[]> {
  const rows: RollUpDocument[] = []
  for (const source of await rawSources(store, subjectId, from))
    rows.push(...(await hoursOf(store, subjectId, source, from, to)).changed)
  return rows
}

/** Returns the rows of a day (its start, ms) and of all its hours that differ from the stored rows. */
export async function settleDay(store: RetryingStore, subjectId: string, start: number): Promise<RollUpDocument[]> {
  const rows: RollUpDocument[] = []
  const known = [...(await rawSources(store, subjectId, start)), ...(await rolledUpSources(store, subjectId))]
  for (const source of new Map(known.map(one => [one.kind + one.id, one])).values()) {
    const { changed, hours } = await hoursOf(store, subjectId, source, start, start + day)
    rows.push(...changed)
    if (hours.size === 0) continue
    const totals = Array.from({ length: bucketsPerDay }, (_, index) => totalOf(hours.get(start + index * hour)))
    rows.push({ id: rollUpId(subjectId, source, 'day', start), data: packBuckets(totals) })
  }
  return rows
}

/**
 * Returns the changed rows of hours, and all hours. If a stored hour counts more reports than there are raw rows, some raw rows have
 * expired, so the stored hour is kept. Any other stored hour is replaced.
 */
async function hoursOf(store: RetryingStore, subjectId: string, source: Source, from: number, to: number) {
  const raw: Buckets = new Map()
  const range = { subjectId, source, from, to, step: spans.hour.bucket, rowsMax: Number.POSITIVE_INFINITY }
  await readRaw(store, range, raw)
  const where = { id: rowRange(subjectId, source, 'hour', from, to) }
  const stored = await store.find('rollUps', { where, limit: bucketsPerDay })
  const hours = new Map(stored.map(row => [parseRollUpId(row.id).at, unpackBuckets(row.data, bucketsPerHour)]))
  const dataOf = new Map(stored.map(row => [row.id, row.data]))
  const changed: RollUpDocument[] = []
  for (let at = from; at < to; at += hour) {
    const counted = Array.from({ length: bucketsPerHour }, (_, index) => raw.get(at + index * spans.hour.bucket) ?? null)
    if (countOf(counted) === 0 || countOf(counted) < countOf(hours.get(at))) continue
    hours.set(at, counted)
    const row = { id: rollUpId(subjectId, source, 'hour', at), data: packBuckets(counted) }
    if (dataOf.get(row.id) !== row.data) changed.push(row)
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
