// Reads of roll-ups. Periods that are not rolled up yet are computed from raw observations. Only keepers write roll-ups.
import { keys } from '#shared/bus/subjects.ts'
import type { AskRequest } from '#shared/contracts/ask/ask.ts'
import type { RollUpBucket, RollUpProgressDocument } from '#shared/contracts/observations/roll-up.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { refusal } from '#shared/errors.ts'
import { day, hour, limits, minute } from '#shared/limits/limits.ts'
import { type Bucket, mergeBucket, quantile, relativeError } from '#shared/roll-up/bucket.ts'
import { unpackBuckets } from '#shared/roll-up/packed.ts'
import { type Buckets, bucketAt, readRaw } from '#shared/roll-up/raw-reports.ts'
import { type Level, parseRollUpId, rowRange, type Source, spans } from '#shared/roll-up/roll-up-ids.ts'
import type { Store } from '#shared/store/port.ts'
import { checkedPairs } from '#shared/subjects/checked-pairs.ts'
import { isPlatformKey } from '#shared/subjects/resource-signals.ts'
import { partitionOf } from '#shared/text/hash.ts'
import type { AskAnswerer } from '../context.ts'

type Request = AskRequest<'get-roll-ups'>

const stepMs = { '5m': 5 * minute, '1h': hour, '1d': day } as const

interface Series {
  subjectId: string
  source: Source
  /** Length of a returned bucket, ms. */
  step: number
}

export const getRollUps: AskAnswerer<'get-roll-ups'> = async ({ store, clock }, request) => {
  const step = stepMs[request.step]
  const [from, to] = rangeOf(request, step)
  const { subjectId } = request
  const [subject = null] = await store.get('subjects', [subjectId])
  const source = subject === null || subject.deletedAt !== null ? null : sourceOf(subject, request)
  if (source === null) return null
  const [progress = null] = await store.get('rollUpProgress', [keys.lease(partitionOf(subjectId))])
  const now = clock.now()
  const rawTo = Math.min(to, Math.ceil(now / step) * step)
  const rawFrom = Math.min(Math.max(rawFromOf(source, progress, now), from), rawTo)
  const series: Series = { subjectId, source, step }
  const buckets: Buckets = new Map()
  await readRolledUp(store, series, { from, to: rawFrom, daysTo: progress?.daysTo ?? 0 }, buckets)
  const rowsMax = limits.rollUp.rawRowsPerAnswer
  const readTo = await readRaw(store, { ...series, from: rawFrom, to: rawTo, rowsMax }, buckets)
  const completeTo = Math.min(readTo === rawTo ? to : readTo - (readTo % step), now)
  const known = [...buckets].filter(([at]) => at < completeTo).sort(([one], [other]) => one - other)
  return { buckets: known.map(([at, bucket]) => viewOf(at, bucket)), completeTo }
}

/** Returns the range, extended to whole steps. Throws `validation` for an invalid or too long range. */
function rangeOf(request: Request, step: number): [from: number, to: number] {
  const from = Math.floor(request.from / step) * step
  const to = Math.ceil(request.to / step) * step
  const { bucketsPerAnswer } = limits.rollUp
  if (request.from < request.to && (to - from) / step <= bucketsPerAnswer && to <= idsEnd) return [from, to]
  throw refusal(
    'validation',
    'Invalid range',
    `to must lie behind from, and at most ${bucketsPerAnswer} steps of ${request.step} may lie between them.`,
  )
}

/** End of the last day that the id of a roll-up can express, ms since the epoch. */
const idsEnd = 62 ** 3 * day - day

function sourceOf(subject: SubjectDocument, { source }: Request): Source | null {
  if ('location' in source) return { kind: 'location', id: source.location }
  if (isPlatformKey(source.signal)) {
    const pair = checkedPairs(subject).find(({ key }) => key === source.signal)
    return pair === undefined ? null : { kind: 'location', id: pair.source }
  }
  const signal = subject.custom?.signals.find(({ slug }) => slug === source.signal)
  return signal === undefined ? null : { kind: 'signal', id: signal.key }
}

/**
 * Returns the instant from which raw observations are read. Checks of the last day are read from the raw rows, so that late checks count.
 * Reports to a signal are read from the raw rows only if they are not rolled up yet. Rows that are older than the retention period are not
 * read.
 */
function rawFromOf(source: Source, progress: RollUpProgressDocument | null, now: number): number {
  const { checksMs, heldBackMs, pushedMs } = limits.retention
  const isLocation = source.kind === 'location'
  const kept = now - (isLocation ? checksMs + heldBackMs : pushedMs)
  const recent = now - (isLocation ? limits.rollUp.rawChecksMs : 0)
  const from = Math.max(kept, Math.min(progress?.hoursTo ?? 0, recent))
  return from - (from % (from === kept ? day : hour))
}

/**
 * Adds the buckets of stored roll-ups to `buckets`. Reads roll-ups of days where days are complete and the step is at least a day, and
 * roll-ups of hours for the rest.
 */
async function readRolledUp(
  store: Store,
  series: Series,
  { from, to, daysTo }: { from: number; to: number; daysTo: number },
  buckets: Buckets,
): Promise<void> {
  const wholeDays = series.step >= spans.day.bucket
  const settledTo = wholeDays ? Math.max(from, Math.min(to - (to % day), daysTo)) : from
  await Promise.all([
    readRows(store, series, 'day', { from: from - (from % day), to: settledTo }, from, buckets),
    readRows(store, series, 'hour', { from: wholeDays ? settledTo : from - (from % hour), to }, from, buckets),
  ])
}

/** Adds the buckets that begin at or after `since`. A stored row has many buckets, so it may begin before `since`. */
async function readRows(
  store: Store,
  { subjectId, source, step }: Series,
  level: Level,
  { from, to }: { from: number; to: number },
  since: number,
  buckets: Buckets,
): Promise<void> {
  const span = spans[level]
  const end = Math.ceil(to / span.row) * span.row
  if (from >= end || since >= to) return
  const where = { id: rowRange(subjectId, source, level, from, end) }
  for (const { id, data } of await store.find('rollUps', { where, limit: limits.store.findMax })) {
    const start = parseRollUpId(id).at
    for (const [index, bucket] of unpackBuckets(data, span.row / span.bucket).entries()) {
      const at = start + index * span.bucket
      if (bucket !== null && at >= since && at < to) mergeBucket(bucketAt(buckets, at - (at % step)), bucket)
    }
  }
}

function viewOf(at: number, bucket: Bucket): RollUpBucket {
  const { count, ok, measured, min, max, sum } = bucket
  const none = measured === 0
  return {
    at,
    count,
    ok,
    measured,
    min: none ? null : min,
    mean: none ? null : sum / measured,
    max: none ? null : max,
    p95: quantile(bucket, 0.95),
    p95Error: relativeError(bucket),
  }
}
