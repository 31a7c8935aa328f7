// Checks of the benchmarks' arithmetic on cases with known results, at the start of every run. Throws if a result differs.
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { phaseOf } from '../../../services/prober/schedule.ts'
import { punctuality } from './observe.ts'
import { addUp, usageOfTree } from './processes.ts'
import { meets, quantity } from './run-context.ts'
import { histogramQuantile, median, parseMetrics, percentile, summarize, sumOfMetrics, total } from './statistics.ts'

export function selfCheck(): void {
  checkStatistics()
  checkHistograms()
  checkBounds()
  checkPunctuality()
  checkProcesses()
}

function checkStatistics(): void {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index)
  deepStrictEqual(summarize(hundred), { count: 100, p50: 50, p95: 95, p99: 99, max: 100 })
  strictEqual(percentile([7], 0.99), 7)
  strictEqual(median([9, 1, 5]), 5)
  strictEqual(median([4, 1, 3, 2]), 2.5)
}

function checkHistograms(): void {
  const scrape = (counts: [string, number][]) =>
    parseMetrics(counts.map(([bound, count]) => `lag_bucket{le="${bound}",kind="a"} ${count}`).join('\n'))
  const before = scrape([
    ['0.1', 5],
    ['1', 5],
    ['+Inf', 5],
  ])
  const after = scrape([
    ['0.1', 95],
    ['1', 104],
    ['+Inf', 105],
  ])
  strictEqual(histogramQuantile(before, after, 'lag', 0.5), 0.1)
  strictEqual(histogramQuantile(before, after, 'lag', 0.99), 1)
  strictEqual(histogramQuantile(before, after, 'lag', 1), Number.POSITIVE_INFINITY)
  ok(Number.isNaN(histogramQuantile(after, after, 'lag', 0.5)))
  const metrics = parseMetrics('# HELP x y\nx_total{kind="a"} 3\nx_total{kind="b"} 4\nx_total_more 9\n')
  strictEqual(total(metrics, 'x_total'), 7)
  strictEqual(total(metrics, 'x_total', 'kind="b"'), 4)
  strictEqual(total(sumOfMetrics([metrics, metrics]), 'x_total', 'kind="b"'), 8)
}

function checkBounds(): void {
  const rate = quantity('part', 'rate', '/s', 300, { better: 'higher', baseline: 1_000, budget: 0.35, floor: 0.2 })
  deepStrictEqual([rate.ratio, meets(rate, rate.budget), meets(rate, rate.floor)], [0.3, false, true])
  const nothing = quantity('part', 'time', 'ms', Number.NaN, { better: 'lower', budget: 5 })
  deepStrictEqual([meets(nothing, nothing.budget), meets(nothing, nothing.floor)], [false, null])
}

/** Two monitors over ten intervals: one is always 3 ms late; the other is 150 ms late once and misses one check. */
function checkPunctuality(): void {
  const intervalMs = 1_000
  const subjectIds = ['0000000001', '0000000002']
  const from = 1_000_000_000_000
  const hits: [number, number][] = []
  for (let slot = 0; slot < 10; slot++) {
    const base = from + slot * intervalMs
    hits.push([base + phaseOf(subjectIds[0] as string, intervalMs) + 3, 0])
    if (slot !== 7) hits.push([base + phaseOf(subjectIds[1] as string, intervalMs) + (slot === 4 ? 150 : -1), -2])
  }
  hits.sort((a, b) => a[0] - b[0])
  const arrays = { instants: Float64Array.from(hits, hit => hit[0]), paths: Int32Array.from(hits, hit => hit[1]) }
  const found = punctuality(arrays, { subjectIds, intervalMs }, from, from + 10 * intervalMs)
  deepStrictEqual([found.due, found.onTime, found.lateness.count, found.lateness.max], [20, 18 / 20, 19, 150])
  // The first monitor has 9 gaps between hits, and the second has 8. The gaps before and after the late check differ from the interval by
  // 151 ms, and the gap at the missing check differs by a whole interval.
  deepStrictEqual([found.jitter.count, found.jitter.max, found.jitter.p50], [17, 1_000, 0])
  const ofTwo = punctuality(arrays, { subjectIds, intervalMs, places: 2 }, from, from + 10 * intervalMs)
  deepStrictEqual([ofTwo.due, ofTwo.onTime, ofTwo.jitter.count], [40, 18 / 40, 0])
}

/** Checks that figures of /proc agree with the figures that this process reports about itself. */
function checkProcesses(): void {
  const before = { tree: usageOfTree(process.pid), own: process.cpuUsage() }
  const until = performance.now() + 150
  let turns = 0
  while (performance.now() < until) turns++
  const tree = usageOfTree(process.pid)
  const { user, system } = process.cpuUsage(before.own)
  const difference = Math.abs(tree.cpuMs - before.tree.cpuMs - (user + system) / 1_000)
  ok(turns > 0 && difference <= 40, `/proc and the process differ by ${difference} ms of CPU`)
  ok(tree.residentBytes > 10e6 && tree.peakBytes >= tree.residentBytes)
  const twice = addUp([tree, tree])
  const byName = Object.values(twice.byName).reduce((sum, { residentBytes }) => sum + residentBytes, 0)
  deepStrictEqual([twice.cpuMs, twice.residentBytes, byName], [2 * tree.cpuMs, 2 * tree.residentBytes, 2 * tree.residentBytes])
}
