// Two figures for each monitor on a page: what its checks found in the last day, computed from hourly roll-ups only, and the share of the last
// 30 days without trouble. These are days of UTC, so the first of them begins before the instant 30 days ago.
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { day, hour } from '#shared/limits/limits.ts'
import { emptyBucket, mergeBucket, quantile } from '#shared/roll-up/bucket.ts'
import { unpackBuckets } from '#shared/roll-up/packed.ts'
import { rowRange, spans } from '#shared/roll-up/roll-up-ids.ts'
import { uptimeOf } from '#shared/roll-up/trouble.ts'
import type { Store } from '#shared/store/port.ts'
import { checkedPairs } from '#shared/subjects/checked-pairs.ts'
import { checkedValues } from '#shared/subjects/checked-values.ts'
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
      const [value] = checkedValues({ check: subject.check, checks: presentSignals(subject.templated) })
      return [subject.id, { p95: await p95Of(store, subject, now), unit: value?.unit ?? null, uptime, uptimeSince }] as const
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
