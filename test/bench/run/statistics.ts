// Percentiles and medians of measurements, and quantiles of a Prometheus histogram. Pure.

export interface Summary {
  count: number
  p50: number
  p95: number
  p99: number
  max: number
}

/** Returns the smallest value that at least `share` (0 to 1) of the values do not exceed; NaN without values. */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  if (sorted.length === 0) return Number.NaN
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] as number
}

export function summarize(values: Iterable<number>): Summary {
  const sorted = Float64Array.from(values).sort()
  return {
    count: sorted.length,
    p50: percentile(sorted, 0.5),
    p95: percentile(sorted, 0.95),
    p99: percentile(sorted, 0.99),
    max: percentile(sorted, 1),
  }
}

/** Returns the median; of an even number of values, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  if (sorted.length === 0) return Number.NaN
  if (sorted.length % 2 === 1) return sorted[middle] as number
  return ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}

/** Samples of one scrape of `/metrics`: values by `name{labels}` as in the text. */
export type Metrics = ReadonlyMap<string, number>

export function parseMetrics(text: string): Metrics {
  const metrics = new Map<string, number>()
  for (const line of text.split('\n')) {
    const space = line.lastIndexOf(' ')
    if (line !== '' && !line.startsWith('#') && space > 0) metrics.set(line.slice(0, space), Number(line.slice(space + 1)))
  }
  return metrics
}

/** Returns the sum of the scrapes of several processes. */
export function sumOfMetrics(scrapes: readonly Metrics[]): Metrics {
  const sum = new Map<string, number>()
  for (const scrape of scrapes) for (const [key, value] of scrape) sum.set(key, (sum.get(key) ?? 0) + value)
  return sum
}

/** Returns the sum of those values of a metric whose labels include all given labels, such as `kind="result"`. */
export function total(metrics: Metrics, name: string, ...labels: string[]): number {
  let sum = 0
  for (const [key, value] of metrics) {
    if ((key === name || key.startsWith(`${name}{`)) && labels.every(label => key.includes(label))) sum += value
  }
  return sum
}

/**
 * Returns a quantile of the values that a histogram counted between two scrapes. The result is the upper bound of the quantile's bucket, so
 * it is never too low; Infinity beyond the last bound, NaN without values.
 */
export function histogramQuantile(before: Metrics, after: Metrics, name: string, share: number): number {
  const counts = new Map<number, number>()
  for (const [metrics, sign] of [
    [before, -1],
    [after, 1],
  ] as const) {
    for (const [key, value] of metrics) {
      const bound = key.startsWith(`${name}_bucket{`) ? /le="([^"]+)"/.exec(key)?.[1] : undefined
      if (bound === undefined) continue
      const upTo = bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound)
      counts.set(upTo, (counts.get(upTo) ?? 0) + sign * value)
    }
  }
  const all = counts.get(Number.POSITIVE_INFINITY) ?? 0
  if (all === 0) return Number.NaN
  const bounds = [...counts.keys()].sort((a, b) => a - b)
  return bounds.find(bound => (counts.get(bound) as number) >= share * all) ?? Number.POSITIVE_INFINITY
}
