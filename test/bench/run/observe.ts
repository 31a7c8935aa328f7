// One measurement of a system that runs checks: hits at the target in a window, due instants and cost of the hits, and the judged results.
import { setTimeout as pause } from 'node:timers/promises'
import { fnv1a32 } from '#shared/text/hash.ts'
import { usageOfTree } from './processes.ts'
import type { Hits, Target } from './start-target.ts'
import { histogramQuantile, type Metrics, type Summary, summarize, total } from './statistics.ts'
import type { System } from './system.ts'

/** A check is late if it reaches the target more than this after its slot. */
export const lateMs = 100
/** Time after the window in which a late hit on a slot of the window still counts. */
const tailMs = 1_500
/** A hit can come up to this much before its slot, because the prober knows the bus's clock only to within a round trip. */
const earlyMs = 50

export interface Observed {
  seconds: number
  hitsPerSecond: number
  /** Number of slots in the measured time. */
  due: number
  /** Share of the slots with a hit within `lateMs`, 0 to 1. */
  onTime: number
  /** Time from the slot to the hit at the target, ms, including the connection. */
  lateness: Summary
  /** Absolute difference between the interval and the time between two hits of a path, ms; only with one location. */
  jitter: Summary
  /** Ratio of judged results to hits in the window. */
  judgedShare: number
  /** Time from the end of a check to its commit, ms; upper bounds of histogram buckets. */
  judgingLag: { p50: number; p99: number }
  /** Time from the slot to the start of the check, ms, measured by the prober. */
  proberLatenessP99: number
  shed: number
  skipped: number
  /** CPU of all of the system's processes per 1,000 hits, ms. */
  cpuMsPerThousand: number
  cpuByName: Record<string, number>
  /** CPU of the target and of the measuring process together, per 1,000 hits, ms. */
  loadCpuMsPerThousand: number
  residentBytes: number
  peakBytes: number
}

export interface ObserveOptions {
  system: Pick<System, 'metrics' | 'usage'>
  target: Target
  /** Subject ids by path number. */
  subjectIds: readonly string[]
  intervalMs: number
  seconds: number
  /** Number of locations that check each slot; absent: 1. */
  places?: number
}

export async function observe(options: ObserveOptions): Promise<Observed> {
  const { system, target, seconds } = options
  await target.collect()
  const before = await snapshot(options)
  await pause(seconds * 1_000)
  // A request for figures delays the system for a moment, which must not count as lateness.
  const askedAt = present()
  const after = await snapshot(options)
  await pause(tailMs)
  const hits = await target.hits(before.hits)

  const count = after.hits - before.hits
  const delta = (name: string, ...labels: string[]) =>
    total(after.metrics, name, ...labels) - total(before.metrics, name, ...labels)
  const inMs = (name: string, share: number) => histogramQuantile(before.metrics, after.metrics, name, share) * 1_000
  const cpuByName = Object.fromEntries(
    Object.entries(after.usage.byName).map(([name, { cpuMs }]) => [
      name,
      ((cpuMs - (before.usage.byName[name]?.cpuMs ?? 0)) * 1_000) / count,
    ]),
  )
  const lag = 'watchkeeper_keeper_judging_lag_seconds'
  return {
    seconds: (after.at - before.at) / 1_000,
    hitsPerSecond: (count * 1_000) / (after.at - before.at),
    ...punctuality(hits, options, before.at, askedAt),
    judgedShare: delta('watchkeeper_keeper_inputs_total', 'kind="result"') / count,
    judgingLag: { p50: inMs(lag, 0.5), p99: inMs(lag, 0.99) },
    proberLatenessP99: inMs('watchkeeper_prober_lateness_seconds', 0.99),
    shed: delta('watchkeeper_prober_shed_total'),
    skipped: delta('watchkeeper_prober_skipped_total'),
    cpuMsPerThousand: ((after.usage.cpuMs - before.usage.cpuMs) * 1_000) / count,
    cpuByName,
    loadCpuMsPerThousand: ((after.loadCpuMs - before.loadCpuMs) * 1_000) / count,
    residentBytes: system.usage().residentBytes,
    peakBytes: system.usage().peakBytes,
  }
}

const present = () => performance.timeOrigin + performance.now()

interface Snapshot {
  at: number
  hits: number
  metrics: Metrics
  usage: ReturnType<System['usage']>
  loadCpuMs: number
}

async function snapshot({ system, target }: ObserveOptions): Promise<Snapshot> {
  const metrics = await system.metrics()
  const { count, dropped } = await target.seen()
  if (dropped > 0) throw new Error('The target has more hits than it keeps: measure for fewer seconds.')
  const loadCpuMs = usageOfTree(target.pid).cpuMs + process.cpuUsage().user / 1_000 + process.cpuUsage().system / 1_000
  return { at: present(), hits: count, metrics, usage: system.usage(), loadCpuMs }
}

/**
 * Returns the punctuality of hits. Slots follow from the subject's id (shared/text/hash.ts), so the due instant of every hit is known, and
 * a missing hit is noticed.
 */
export function punctuality(
  { instants, paths }: Hits,
  { subjectIds, intervalMs, places = 1 }: Pick<ObserveOptions, 'subjectIds' | 'intervalMs' | 'places'>,
  from: number,
  to: number,
): Pick<Observed, 'due' | 'onTime' | 'lateness' | 'jitter'> {
  const phases = subjectIds.map(id => fnv1a32(id) % intervalMs)
  const slotsIn = (phase: number, until: number) => Math.ceil((until - phase) / intervalMs)
  const due = places * phases.reduce((sum, phase) => sum + slotsIn(phase, to) - slotsIn(phase, from), 0)
  const lateness: number[] = []
  const jitter: number[] = []
  const lastOf = new Map<number, number>()
  let onTime = 0
  for (let index = 0; index < instants.length; index++) {
    const at = instants[index] as number
    const signed = paths[index] as number
    const path = signed < 0 ? -1 - signed : signed
    const phase = phases[path]
    if (phase === undefined) continue
    const last = lastOf.get(path)
    lastOf.set(path, at)
    // The location of a hit is unknown, so jitter is measured only with one location.
    if (last !== undefined && at < to && places === 1) jitter.push(Math.abs(at - last - intervalMs))
    const slotAt = Math.floor((at + earlyMs - phase) / intervalMs) * intervalMs + phase
    if (slotAt < from || slotAt >= to) continue
    lateness.push(at - slotAt)
    if (at - slotAt <= lateMs) onTime++
  }
  return { due, onTime: due === 0 ? Number.NaN : onTime / due, lateness: summarize(lateness), jitter: summarize(jitter) }
}
