// Figures for each monitor on a page: what its checks found in the last day, computed from hourly roll-ups only, the share of the last 30
// days without trouble, and when something ends that its checks watch. These are days of UTC, so the first of them begins before the instant 30 days ago.
import type { RollUpDocument } from '#shared/contracts/observations/roll-up.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { day, hour, second } from '#shared/limits/limits.ts'
import { type Bucket, emptyBucket, mergeBucket, quantile } from '#shared/roll-up/bucket.ts'
import { unpackBuckets } from '#shared/roll-up/packed.ts'
import { parseRollUpId, rowRange, spans } from '#shared/roll-up/roll-up-ids.ts'
import { uptimeOf } from '#shared/roll-up/trouble.ts'
import type { Store } from '#shared/store/port.ts'
import { type CheckedPair, checkedPairs } from '#shared/subjects/checked-pairs.ts'
import { type CheckedValue, checkedValues } from '#shared/subjects/checked-values.ts'
import { presentSignals } from '#shared/subjects/resource-checks.ts'
import type { AskAnswerer } from '../context.ts'
import { readTrouble } from './trouble.ts'

const uptimeMs = 30 * day

/** Returns figures by id. Ids outside the workspace are omitted. */
export const getFigures: AskAnswerer<'get-figures'> = async (context, { workspaceId, subjectIds }) => {
  const { store, clock } = context
  const now = clock.now()
  const found = await store.get('subjects', [...new Set(subjectIds)])
  const mine = found.filter(subject => subject !== null && subject.workspaceId === workspaceId && subject.deletedAt === null)
  const figures = await Promise.all(
    (mine as SubjectDocument[]).map(async subject => {
      const { uptime, uptimeSince } = await readUptime(store, subject, now)
      const values = checkedValues({ check: subject.check, checks: presentSignals(subject.templated) })
      const figures = { p95: await p95Of(store, subject, now), ends: await endOf(store, subject, values, now) }
      return [subject.id, { ...figures, unit: values[0]?.unit ?? null, uptime, uptimeSince }] as const
    }),
  )
  return Object.fromEntries(figures)
}

/** Returns the uptime of the last 30 days and the instant (ms) since which it counts; `uptime` null: the subject is too new. */
export async function readUptime(
  store: Store,
  subject: Pick<SubjectDocument, 'id' | 'createdAt'>,
  now: number,
): Promise<{ uptime: number | null; uptimeSince: number }> {
  const from = Math.max(Math.floor((now - uptimeMs) / day) * day, subject.createdAt)
  const { days, completeSince } = await readTrouble(store, subject.id, from, now)
  const uptimeSince = Math.max(from, completeSince)
  return { uptime: uptimeOf(days, uptimeSince, now), uptimeSince }
}

/** Returns the 95th percentile of the values of the first check from all locations, in the unit of its kind. Null: nothing was measured, or nothing is rolled up yet. */
async function p95Of(store: Store, subject: SubjectDocument, now: number): Promise<number | null> {
  const { id } = subject
  const pairs = checkedPairs(subject)
  const to = Math.floor(now / hour) * hour
  const all = emptyBucket()
  for (const { source } of pairs.filter(({ signal }) => signal === pairs[0]?.signal)) {
    const where = { id: rowRange(id, { kind: 'location', id: source }, 'hour', to - day, to) }
    for (const { data } of await store.find('rollUps', { where, limit: day / hour }))
      for (const bucket of unpackBuckets(data, spans.hour.row / spans.hour.bucket)) if (bucket !== null) mergeBucket(all, bucket)
  }
  return quantile(all, 0.95)
}

/**
 * Returns what the checks of the first signal of such a kind find to end, at the location where it ends first. Reads one row of roll-ups for
 * each location. Null: no check finds an end, or none has found one yet.
 */
async function endOf(store: Store, subject: SubjectDocument, values: readonly CheckedValue[], now: number) {
  const found = values.find(({ ends }) => ends !== undefined)
  if (found?.ends === undefined) return null
  const { what, unitMs } = found.ends
  const pairs = checkedPairs(subject).filter(({ signal }) => signal === found.signal)
  const ends = await Promise.all(
    pairs.map(async pair => {
      const newest = await newestValue(store, subject, pair, now)
      return newest === null ? [] : [newest.at + newest.value * unitMs]
    }),
  )
  const at = Math.min(...ends.flat())
  return Number.isFinite(at) ? { what, at: Math.round(at) } : null
}

/**
 * Returns the newest known value of a check at a location. The stored reading may be old, because a result that changes no verdict is not
 * stored with its subject. A check of the last hour may not be rolled up yet.
 */
async function newestValue(store: Store, { id, readings }: SubjectDocument, { source, everySeconds }: CheckedPair, now: number) {
  const { at = null, totalMs: value = null } = readings[source] ?? {}
  const read = at === null || value === null ? null : { at, value }
  const where = { id: rowRange(id, { kind: 'location', id: source }, 'hour', now - reach(everySeconds), now) }
  const [row] = await store.find('rollUps', { where, sort: [['id', 'desc']], limit: 1 })
  const rolled = row === undefined ? null : lastMeasured(row)
  return rolled === null || (read !== null && read.at >= rolled.at) ? read : rolled
}

/** Time in which the newest roll-up of a check is searched, ms: two checks, and the hours until they are rolled up. */
const reach = (everySeconds: number): number => 2 * Math.max(everySeconds * second, hour) + 2 * hour

/** Returns the least value of the last bucket with values. Buckets are 5 minutes long. */
function lastMeasured({ id, data }: RollUpDocument): { at: number; value: number } | null {
  const { row, bucket } = spans.hour
  const buckets = unpackBuckets(data, row / bucket)
  const last = buckets.findLastIndex(one => one !== null && one.measured > 0)
  return last === -1 ? null : { at: parseRollUpId(id).at + last * bucket, value: (buckets[last] as Bucket).min }
}
