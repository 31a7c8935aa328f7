// Figures for each monitor on a page: what its checks found in the last day, computed from hourly roll-ups only, the share of the last 30
// days without trouble, and when something ends that its checks watch. These are days of UTC, so the first of them begins before the instant 30 days ago.
import type { RollUpDocument } from '#shared/contracts/observations/roll-up.ts'
import type { MonitorFigures } from '#shared/contracts/subjects/monitor-state.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { day, hour, limits, second } from '#shared/limits/limits.ts'
import { type Bucket, emptyBucket, mergeBucket, quantile } from '#shared/roll-up/bucket.ts'
import { unpackBuckets } from '#shared/roll-up/packed.ts'
import { parseRollUpId, rollUpId, rowRange, spans } from '#shared/roll-up/roll-up-ids.ts'
import { uptimeOf } from '#shared/roll-up/trouble.ts'
import type { Store } from '#shared/store/port.ts'
import { type CheckedPair, checkedPairs } from '#shared/subjects/checked-pairs.ts'
import { type CheckedValue, checkedValues } from '#shared/subjects/checked-values.ts'
import { presentSignals } from '#shared/subjects/resource-checks.ts'
import type { AskAnswerer } from '../context.ts'
import { readTroubles } from './trouble.ts'

const uptimeMs = 30 * day

/** Returns figures by id. Ids outside the workspace are omitted. */
export const getFigures: AskAnswerer<'get-figures'> = async (context, { workspaceId, subjectIds }) => {
  const { store, clock } = context
  const now = clock.now()
  const found = await store.get('subjects', [...new Set(subjectIds)])
  const mine = found.filter(
    subject => subject !== null && subject.workspaceId === workspaceId && subject.deletedAt === null,
  ) as SubjectDocument[]
  const [uptimes, p95s, figures] = await Promise.all([
    readUptimes(store, mine, now),
    p95sOf(store, mine, now),
    Promise.all(
      mine.map(async subject => {
        const values = checkedValues({ check: subject.check, checks: presentSignals(subject.templated) })
        return { ends: await endOf(store, subject, values, now), unit: values[0]?.unit ?? null }
      }),
    ),
  ])
  return Object.fromEntries(
    mine.map(({ id }, i) => [id, { p95: p95s[i] ?? null, ...(figures[i] as One), ...(uptimes[i] as Uptime) }] as const),
  )
}

type One = Pick<MonitorFigures, 'ends' | 'unit'>
type Uptime = Pick<MonitorFigures, 'uptime' | 'uptimeSince'>

/** Returns for each subject the uptime of the last 30 days and the instant (ms) since which it counts; `uptime` null: the subject is too new. */
export async function readUptimes(
  store: Store,
  subjects: readonly Pick<SubjectDocument, 'id' | 'createdAt'>[],
  now: number,
): Promise<Uptime[]> {
  const firstDay = Math.floor((now - uptimeMs) / day) * day
  const asked = subjects.map(({ id, createdAt }) => ({ subjectId: id, from: Math.max(firstDay, createdAt) }))
  const troubles = await readTroubles(store, asked, now)
  return troubles.map(({ days, completeSince }, index) => {
    const uptimeSince = Math.max(asked[index]?.from ?? 0, completeSince)
    return { uptime: uptimeOf(days, uptimeSince, now), uptimeSince }
  })
}

/**
 * Returns for each subject the 95th percentile of the values of the first check from all locations, in the unit of its kind. Null: nothing
 * was measured, or nothing is rolled up yet.
 */
async function p95sOf(store: Store, subjects: readonly SubjectDocument[], now: number): Promise<(number | null)[]> {
  const to = Math.floor(now / hour) * hour
  const hours = Array.from({ length: day / hour }, (_, index) => to - day + index * hour)
  const idsOf = (subject: SubjectDocument) => {
    const pairs = checkedPairs(subject)
    return pairs
      .filter(({ signal }) => signal === pairs[0]?.signal)
      .flatMap(({ source }) => hours.map(at => rollUpId(subject.id, { kind: 'location', id: source }, 'hour', at)))
  }
  const ids = subjects.map(idsOf)
  const dataOf = await readRollUps(store, ids.flat())
  return ids.map(ofSubject => {
    const all = emptyBucket()
    for (const id of ofSubject)
      for (const bucket of unpackBuckets(dataOf.get(id) ?? '', spans.hour.row / spans.hour.bucket))
        if (bucket !== null) mergeBucket(all, bucket)
    return quantile(all, 0.95)
  })
}

/** Returns the data of the roll-ups that are stored, by id. */
async function readRollUps(store: Store, ids: readonly string[]): Promise<Map<string, string>> {
  const dataOf = new Map<string, string>()
  const size = limits.charts.rollUpsPerRead
  for (let from = 0; from < ids.length; from += size)
    for (const row of await store.get('rollUps', ids.slice(from, from + size))) if (row !== null) dataOf.set(row.id, row.data)
  return dataOf
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
