// Reads of roll-ups, completed from raw observations where nothing is rolled up yet. Their keeper alone writes them.
import { keys } from '#shared/bus/subjects.ts'
import type { AskRequest } from '#shared/contracts/ask/ask.ts'
import type { RollUpBucket, RollUpProgressDocument, RollUps } from '#shared/contracts/observations/roll-up.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { AppError } from '#shared/errors.ts'
import { day, hour, limits, minute } from '#shared/limits/limits.ts'
import { type Bucket, mergeBucket, quantile, relativeError } from '#shared/roll-up/bucket.ts'
import { unpackBuckets } from '#shared/roll-up/packed.ts'
import { type Buckets, bucketAt, readRaw } from '#shared/roll-up/raw-reports.ts'
import { type Level, parseRollUpId, rowRange, type Source, spans } from '#shared/roll-up/roll-up-ids.ts'
import type { Store } from '#shared/store/port.ts'
import { partitionOf } from '#shared/text/hash.ts'
import type { DirectoryContext } from '../context.ts'

type Request = AskRequest<'get-roll-ups'>

const stepMs = { '5m': 5 * minute, '1h': hour, '1d': day } as const

interface Series {
  subjectId: string
  source: Source
  /** Ms. */
  step: number
}

export async function getRollUps({ store, clock }: DirectoryContext, request: Request): Promise<RollUps | null> {
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

/** Whole steps. */
function rangeOf(request: Request, step: number): [from: number, to: number] {
  const from = Math.floor(request.from / step) * step
  const to = Math.ceil(request.to / step) * step
  const { bucketsPerAnswer } = limits.rollUp
  if (request.from < request.to && (to - from) / step <= bucketsPerAnswer && to <= idsEnd) return [from, to]
  throw new AppError('validation', 'Invalid range', {
    details: `to must lie behind from, and at most ${bucketsPerAnswer} steps of ${request.step} may lie between them.`,
  })
}

/** Days that the ids of roll-ups can have. */
const idsEnd = 62 ** 3 * day - day

function sourceOf(subject: SubjectDocument, { source }: Request): Source | null {
  if ('location' in source) return { kind: 'location', id: source.location }
  const signal = subject.custom?.signals.find(({ slug }) => slug === source.signal)
  return signal === undefined ? null : { kind: 'signal', id: signal.key }
}

/**
 * Checks of a day are few enough to be read raw, so that also late ones are seen; of a signal only what is not rolled up yet. Before
 * what is kept there is nothing to read.
 */
function rawFromOf(source: Source, progress: RollUpProgressDocument | null, now: number): number {
  const { checksMs, heldBackMs, pushedMs } = limits.retention
  const isLocation = source.kind === 'location'
  const kept = now - (isLocation ? checksMs + heldBackMs : pushedMs)
  const recent = now - (isLocation ? limits.rollUp.rawChecksMs : 0)
  const from = Math.max(kept, Math.min(progress?.hoursTo ?? 0, recent))
  return from - (from % (from === kept ? day : hour))
}

/** Whole days where they are settled and the step permits it, else hours. */
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

/** A row may begin before `since`: its buckets before it are left out. */
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
