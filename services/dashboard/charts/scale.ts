// Scales, ticks and paths of charts. Pure.

export interface Point {
  /** Instant, ms since the epoch. */
  at: number
  /** Measured value; null: nothing was measured. */
  value: number | null
}

/**
 * Returns about `count` round numbers in ascending order. Their range includes 0, `lowest` and `highest`. If `lowest` and `highest` are 0,
 * the range is 0 to 1.
 */
export function valueTicks(highest: number, count: number, lowest = 0): number[] {
  const least = Math.min(0, lowest)
  const most = highest > 0 || least < 0 ? Math.max(0, highest) : 1
  const rough = (most - least) / count
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 2.5, 5, 10].map(factor => factor * power).find(one => one >= rough) ?? 10 * power
  const first = Math.floor(least / step)
  return Array.from({ length: Math.ceil(most / step) - first + 1 }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  )
}

const hour = 3_600_000
const day = 24 * hour
const steps = [hour, 3 * hour, 6 * hour, 12 * hour, day, 2 * day, 7 * day, 14 * day, 30 * day, 60 * day]

/** Returns at most `most` instants between `from` and `to` at round hours or midnights of the visitor's zone. */
export function timeTicks(from: number, to: number, most: number): number[] {
  const step = steps.find(one => (to - from) / one <= most) ?? steps.at(-1)!
  const first = new Date(from)
  first.setHours(0, 0, 0, 0)
  const ticks: number[] = []
  for (const at = first; at.getTime() <= to; ) {
    if (at.getTime() >= from) ticks.push(at.getTime())
    // A day does not always have 24 hours, so midnights are counted by the calendar.
    if (step < day) at.setHours(at.getHours() + step / hour)
    else at.setDate(at.getDate() + step / day)
  }
  return ticks
}

/** Returns the `d` of an SVG path. Where a point is missing or has no value, the line ends, so that the chart shows the gap. */
export function linePath(
  points: readonly Point[],
  stepMs: number,
  x: (at: number) => number,
  y: (value: number) => number,
): string {
  let path = ''
  let before: number | null = null
  for (const { at, value } of points) {
    if (value === null) {
      before = null
      continue
    }
    const joins = before !== null && at - before <= stepMs * 1.5
    path += `${joins ? 'L' : 'M'}${x(at).toFixed(1)} ${y(value).toFixed(1)}`
    // A point without neighbours becomes a line of length zero, which is drawn as a dot because lines have round ends.
    if (!joins) path += 'h0'
    before = at
  }
  return path
}

/** Returns false if there is nothing to draw, so that a chart invents no axis. */
export const isMeasured = (series: readonly { points: readonly Point[] }[]): boolean =>
  series.some(({ points }) => points.some(({ value }) => value !== null))

/** Returns the instants of all series in ascending order, without duplicates. */
export const instantsOf = (series: readonly { points: readonly Point[] }[]): number[] =>
  [...new Set(series.flatMap(({ points }) => points.map(({ at }) => at)))].sort((one, other) => one - other)

/** Returns the index of the instant nearest to `at`. */
export function nearest(instants: readonly number[], at: number): number {
  let best = 0
  instants.forEach((instant, index) => {
    if (Math.abs(instant - at) < Math.abs((instants[best] ?? 0) - at)) best = index
  })
  return best
}

/** Returns the value at this instant; null: nothing was measured. */
export const valueAt = (points: readonly Point[], at: number): number | null =>
  points.find(point => point.at === at)?.value ?? null
