// Reads raw observations into buckets, page by page, for the keeper's roll-ups and for the directory's reads of recent observations. A
// failed check counts without a value, because its duration is no response time. A pushed observation counts only if it was accepted.

import { day, limits } from '#shared/limits/limits.ts'
import { addReport, type Bucket, emptyBucket } from '#shared/roll-up/bucket.ts'
import type { Source } from '#shared/roll-up/roll-up-ids.ts'
import { pagesOf } from '#shared/store/pages.ts'
import type { Query, Store } from '#shared/store/port.ts'
import {
  checkObservationId,
  parseCheckObservationId,
  parsePushedObservationId,
  pushedPrefix,
  sourceRange,
} from '#shared/text/ids.ts'

/** Value of `ok` in an Observation with the state `no_data`. */
const noData = 2

export type Buckets = Map<number, Bucket>

export interface RawRange {
  subjectId: string
  source: Source
  /** Range of instants, ms since the epoch; `to` is exclusive. */
  from: number
  to: number
  /** Length of a bucket, ms. */
  step: number
  /** Approximate number of rows after which reading stops. */
  rowsMax: number
}

/** Returns the bucket that begins at `at`; creates it if missing. */
export function bucketAt(buckets: Buckets, at: number): Bucket {
  let bucket = buckets.get(at)
  if (bucket === undefined) {
    bucket = emptyBucket()
    buckets.set(at, bucket)
  }
  return bucket
}

/**
 * Adds a range of raw observations to `buckets`. Returns the instant up to which observations were read: `to`, or an earlier instant if
 * `rowsMax` was reached.
 */
export async function readRaw(store: Pick<Store, 'find'>, range: RawRange, buckets: Buckets): Promise<number> {
  return await (range.source.kind === 'location' ? readChecks(store, range, buckets) : readPushed(store, range, buckets))
}

/** Reads checks day by day, because the id of a check's observation begins with the day. */
async function readChecks(store: Pick<Store, 'find'>, range: RawRange, buckets: Buckets): Promise<number> {
  const { subjectId, source, step } = range
  let rows = 0
  for (let from = range.from; from < range.to; from = startOfDay(from) + day) {
    const to = Math.min(range.to, startOfDay(from) + day)
    const { lt } = to % day === 0 ? sourceRange(from, subjectId, source.id) : { lt: checkObservationId(subjectId, source.id, to) }
    const where = { id: { gte: checkObservationId(subjectId, source.id, from), lt } }
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
      // An Observation with the state `no_data` counts neither as ok nor as failed.
      if (rejectReason === null && ok !== noData) addReport(bucketAt(buckets, at - (at % step)), ok === 1, value)
    }
    rows += page.length
    if (rows >= range.rowsMax) return at
  }
  return range.to
}

const startOfDay = (at: number): number => at - (at % day)
