// Generated reports in a store, the keeper's roll-up called by hand, and a plain recomputation for comparison.
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { keys } from '#shared/bus/subjects.ts'
import type { RollUpBucket } from '#shared/contracts/observations/roll-up.ts'
import { day, hour, limits, minute } from '#shared/limits/limits.ts'
import type { Source } from '#shared/roll-up/roll-up-ids.ts'
import type { Store } from '#shared/store/port.ts'
import { partitionOf } from '#shared/text/hash.ts'
import { checkObservationId, pushedObservationId } from '#shared/text/ids.ts'
import type { Clock } from '#shared/time/clock.ts'
import { getRollUps } from '../../../services/directory/subjects/roll-ups.ts'
import type { KeeperContext } from '../../../services/keeper/context.ts'
import { createKeeperMetrics } from '../../../services/keeper/metrics.ts'
import { rollUpPartition } from '../../../services/keeper/roll-up/roll-up-partition.ts'
import { Random } from '../../simulation/random.ts'
import { observation, subject } from '../../store/documents.ts'

export const start = 20_000 * day
export const site = 'siteAAAAAA'
export const shop = 'shopAAAAAA'
export const steps = { '5m': 5 * minute, '1h': hour, '1d': day } as const

export interface Report {
  subjectId: string
  source: Source
  at: number
  ok: boolean
  value: number | null
  accepted: boolean
}

const location = (id: string): Source => ({ kind: 'location', id })
export const signal = (id: string): Source => ({ kind: 'signal', id })

/** Reports of two locations and three signals over `days` days, `everyMs` apart on average. */
export function generateReports(seed: number, days: number, everyMs: number): Report[] {
  const random = new Random(seed, 'reports')
  const series: [string, Source][] = [
    [site, location('aaaa')],
    [site, location('bbbb')],
    [site, location('aaaa6')],
    [site, location('aaaaz')],
    [shop, signal('s1')],
    [shop, signal('s2')],
    [shop, signal('s12')],
  ]
  const reports: Report[] = []
  for (const [subjectId, source] of series) {
    for (let at = start; at < start + days * day; at += random.integer(1_000, 2 * everyMs)) {
      if (random.chance(0.01)) at += random.integer(0, 3 * hour)
      if (at >= start + days * day) break
      const ok = random.chance(0.9)
      const accepted = source.kind === 'location' || random.chance(0.9)
      reports.push({ subjectId, source, at, ok, accepted, value: numberOf(random, source, ok) })
    }
  }
  return reports
}

function numberOf(random: Random, { kind, id }: Source, ok: boolean): number | null {
  if (kind === 'location') return ok ? random.integer(0, 30_000) : null
  if (id === 's2') return random.chance(0.2) ? null : random.integer(-50, 50)
  if (id === 's1') return (random.next() - 0.5) * 10 ** random.integer(-200, 200)
  return null
}

export async function store(into: Store, reports: readonly Report[]): Promise<void> {
  const checks = reports.filter(report => report.source.kind === 'location')
  const slice = 500
  for (let from = 0; from < checks.length; from += slice) {
    const rows = checks.slice(from, from + slice).map(({ subjectId, source, at, ok, value }) => {
      const id = checkObservationId(subjectId, source.id, at)
      return observation(id, { ok: ok ? 1 : 0, totalMs: value ?? 10_000 })
    })
    await into.insert('observations', rows)
  }
  const pushed = reports.filter(report => report.source.kind === 'signal')
  for (let from = 0; from < pushed.length; from += slice) {
    const rows = pushed.slice(from, from + slice).map(({ subjectId, source, at, ok, value, accepted }) => ({
      id: pushedObservationId(subjectId, source.id, {}, at * 1_000),
      receivedAtUs: at * 1_000,
      ok: ok ? (1 as const) : (0 as const),
      value,
      error: null,
      labels: null,
      rejectReason: accepted ? null : ('late' as const),
      expireAt: accepted ? null : 4e12,
      sentId: null,
      body: null,
      source: null,
    }))
    await into.upsert('pushedObservations', rows)
  }
}

export async function storeSubjects(into: Store): Promise<void> {
  const signals = ['s1', 's2', 's12'].map(key => {
    const kind = 'custom_event' as const
    return { key, slug: `signal-${key}`, name: key, kind, meta: '{}', addedAt: start }
  })
  await into.insert('subjects', [
    subject(site, { partition: partitionOf(site) }),
    subject(shop, { partition: partitionOf(shop), kind: 'custom', custom: { signals, observed: {} } as never }),
  ])
}

/** Marks every partition as rolled up and settled up to this day (start in ms since the epoch). */
export async function storeProgress(into: Store, to: number): Promise<void> {
  const numbers = Array.from({ length: limits.partitions }, (_, number) => number)
  const done = { rev: 1, hoursTo: to, daysTo: to, writer: '' }
  await into.upsert(
    'rollUpProgress',
    numbers.map(number => ({ id: keys.lease(number), ...done })),
  )
}

/** Context of a keeper for its roll-up, on a stopped clock. `onTrouble` is called with every failed attempt. */
export function contextOn(into: Store, now: () => number, onTrouble: () => void = () => undefined): KeeperContext {
  const schedule: Clock['schedule'] = (_delayMs, run) => {
    const waiting = setImmediate(run)
    return () => clearImmediate(waiting)
  }
  const clock: Clock = { now, monotonic: now, schedule }
  const logger = { ...pino({ level: 'silent' }), warn: onTrouble }
  return { store: into, clock, logger, metrics: createKeeperMetrics(new Registry()), mayCommit: () => true } as never
}

/** Rolls up what is due at `now` in the partitions of both subjects. */
export async function rollUp(
  into: Store,
  now: number,
  mayGoOn = () => true,
  context = contextOn(into, () => now),
): Promise<void> {
  for (const partition of new Set([site, shop].map(partitionOf))) {
    const [progress = null] = await into.get('rollUpProgress', [`p.${partition}`])
    await rollUpPartition(context, partition, progress, mayGoOn)
  }
}

export type Step = keyof typeof steps

export async function read(
  from: Store,
  now: number,
  of: Pick<Report, 'subjectId' | 'source'>,
  step: Step,
  range: [number, number],
) {
  const { kind, id } = of.source
  const source = kind === 'location' ? { location: id } : { signal: `signal-${id}` }
  const context = { store: from, clock: { now: () => now } } as never
  return await getRollUps(context, { subjectId: of.subjectId, source, step, from: range[0], to: range[1] })
}

/** Returns the buckets, computed in the plainest way from the reports. The p95 is exact. */
export function recompute(reports: readonly Report[], of: Report, step: Step, [from, to]: [number, number]): RollUpBucket[] {
  const groups = new Map<number, Report[]>()
  for (const report of reports) {
    const isSame = report.subjectId === of.subjectId && report.source.id === of.source.id && report.accepted
    if (!isSame || report.at < from || report.at >= to) continue
    const at = Math.floor(report.at / steps[step]) * steps[step]
    groups.set(at, [...(groups.get(at) ?? []), report])
  }
  return [...groups].sort(([one], [other]) => one - other).map(([at, group]) => plainBucket(at, group))
}

function plainBucket(at: number, group: readonly Report[]): RollUpBucket {
  const values = group.flatMap(report => report.value ?? []).sort((a, b) => a - b)
  const sum = values.reduce((total, value) => total + value, 0)
  const none = values.length === 0
  return {
    at,
    count: group.length,
    ok: group.filter(report => report.ok).length,
    measured: values.length,
    min: values[0] ?? null,
    mean: none ? null : sum / values.length,
    max: values.at(-1) ?? null,
    p95: values[Math.ceil(0.95 * values.length) - 1] ?? null,
    p95Error: 0,
  }
}

/** Returns the difference between two lists of buckets. Null: the lists agree, with p95 within its stated error. */
export function difference(found: readonly RollUpBucket[] | undefined, wanted: readonly RollUpBucket[]): string | null {
  if (found?.length !== wanted.length) return `${found?.length} buckets instead of ${wanted.length}`
  for (const [index, one] of found.entries()) {
    const other = wanted[index] as RollUpBucket
    const { mean, p95, p95Error, ...exact } = one
    const isExact = Object.entries(exact).every(([field, value]) => other[field as keyof RollUpBucket] === value)
    const scale = Math.max(Math.abs(other.min ?? 0), Math.abs(other.max ?? 0))
    const isMean = Math.abs((mean ?? 0) - (other.mean ?? 0)) <= 1e-9 * scale
    const isQuantile = Math.abs((p95 ?? 0) - (other.p95 ?? 0)) <= (p95Error + 1e-9) * Math.abs(other.p95 ?? 0)
    if (!isExact || !isMean || !isQuantile) return `${JSON.stringify(one)} instead of ${JSON.stringify(other)}`
  }
  return null
}

/** Returns the instant at which the whole day that began at `at` is settled. */
export const settledAt = (at: number): number =>
  at + day + limits.rollUp.settleDayMs + limits.rollUp.settleMs + limits.rollUp.spreadDayMs
