// Reads raw observations into buckets, page by page: what the keeper rolls up and what the directory adds where nothing is rolled up yet.
// Failed checks count and bring no number: how fast a refusal comes says nothing about a website. Of pushed observations those count
// that were accepted.
import { observationPrefix, parseCheckObservationId, parsePushedObservationId, pushedPrefix, toBase62 } from '#shared/ids.ts'
import { day, limits } from '#shared/limits.ts'
import { addReport, type Bucket, emptyBucket } from '#shared/roll-up/bucket.ts'
import type { Source } from '#shared/roll-up/roll-up-ids.ts'
import { pagesOf } from '#shared/store/pages.ts'
import type { Query, Store } from '#shared/store/port.ts'

/** `ok` of an Observation that reports no data. */
const noData = 2

export type Buckets = Map<number, Bucket>

export interface RawRange {
  subjectId: string
  source: Source
  /** Ms; `to` is not included. */
  from: number
  to: number
  /** Length of a bucket, ms. */
  step: number
  /** Reading stops once about this many rows are read. */
  rowsMax: number
}

/** The bucket of a map that begins at `at`, made where it is missing. */
export function bucketAt(buckets: Buckets, at: number): Bucket {
  let bucket = buckets.get(at)
  if (bucket === undefined) {
    bucket = emptyBucket()
    buckets.set(at, bucket)
  }
  return bucket
}

/** Adds a range of raw observations to `buckets`. Answers up to which instant it has read: `to`, or where it had to stop. */
export async function readRaw(store: Pick<Store, 'find'>, range: RawRange, buckets: Buckets): Promise<number> {
  return await (range.source.kind === 'location' ? readChecks(store, range, buckets) : readPushed(store, range, buckets))
}

/** An id begins with its day, so each day is a range of its own. */
async function readChecks(store: Pick<Store, 'find'>, range: RawRange, buckets: Buckets): Promise<number> {
  const { subjectId, source, step } = range
  let rows = 0
  for (let from = range.from; from < range.to; from = startOfDay(from) + day) {
    const prefix = observationPrefix(from, subjectId) + source.id
    const to = Math.min(range.to, startOfDay(from) + day)
    const end = to % day === 0 ? '~' : toBase62(to % day, 5)
    const where = { id: { gte: prefix + toBase62(from % day, 5), lt: prefix + end } }
    const query: Query = { where, select: ['ok', 'totalMs'], limit: limits.rollUp.checksPerRead }
    for await (const page of pagesOf(query, paged => store.find('observations', paged))) {
      let at = from
      for (const { id, ok, totalMs } of page) {
        at = parseCheckObservationId(id).slotAt
        addReport(bucketAt(buckets, at - (at % step)), ok === 1, ok === 1 ? totalMs : null)
      }
      rows += page.length
      if (rows >= range.rowsMax) return at
    }
  }
  return range.to
}

async function readPushed(store: Pick<Store, 'find'>, range: RawRange, buckets: Buckets): Promise<number> {
  const { subjectId, source, step } = range
  const [gte, lt] = [range.from, range.to].map(at => pushedPrefix(subjectId, source.id, at * 1_000)) as [string, string]
  const query: Query = {
    where: { id: { gte, lt } },
    select: ['ok', 'value', 'rejectReason'],
    limit: limits.rollUp.pushedPerRead,
  }
  let rows = 0
  for await (const page of pagesOf(query, paged => store.find('pushedObservations', paged))) {
    let at = range.from
    for (const { id, ok, value, rejectReason } of page) {
      at = Math.floor(parsePushedObservationId(id).observedAtUs / 1_000)
      // No data says nothing of how it is.
      if (rejectReason === null && ok !== noData) addReport(bucketAt(buckets, at - (at % step)), ok === 1, value)
    }
    rows += page.length
    if (rows >= range.rowsMax) return at
  }
  return range.to
}

const startOfDay = (at: number): number => at - (at % day)
