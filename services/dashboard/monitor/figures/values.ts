// Reported values of a signal as the lines of a chart, and thresholds of rules as its levels. Pure.
import type { ValueChart } from '#shared/contracts/session/session-charts.ts'
import type { Lines, PointsOf } from './lines.ts'

/**
 * Returns one line if minimum and maximum are equal in every step. Otherwise returns three lines: mean, maximum and minimum. Returns no
 * line if there are no values.
 */
export function valueSeries({ figures }: Pick<ValueChart, 'figures'>, pointsOf: PointsOf): Lines['series'] {
  const { min = [], max = [] } = figures
  if (min.every(value => value === null)) return []
  const line = (name: string, column: 'min' | 'mean' | 'max') => ({ name, points: pointsOf(figures, column) })
  const isPlain = min.every((value, step) => value === max[step])
  return isPlain ? [line('value', 'mean')] : [line('mean', 'mean'), line('highest', 'max'), line('lowest', 'min')]
}

const operators = { eq: '=', neq: '≠', gt: '>', gte: '≥', lt: '<', lte: '≤' } as const

/**
 * Returns a line for each threshold of the rules. If the threshold is a multiple of a median, the area between median and line is shaded.
 * While such a median is unknown, the threshold has no line.
 */
export const valueLevels = ({ thresholds }: Pick<ValueChart, 'thresholds'>): { value: number; words: string; since?: number }[] =>
  thresholds.flatMap(({ rule, operator, operand, baseline_days: days, median }) => {
    const sign = operators[operator]
    if (days === null) return [{ value: operand, words: `${rule}: ${sign} ${number(operand)}` }]
    if (median === null) return []
    const words = `${rule}: ${sign} ${number(operand)} × ${days}-day median ${number(median)}`
    return [{ value: operand * median, words, since: median }]
  })

/** Returns the names of the rules with a baseline that has no median yet. */
export const waitingBaselines = ({ thresholds }: Pick<ValueChart, 'thresholds'>): string[] =>
  thresholds.filter(one => one.baseline_days !== null && one.median === null).map(({ rule }) => rule)

/** Returns a text such as `1,234.57`, with at most six significant digits. */
export const number = (value: number | null): string =>
  value === null ? '–' : Number(value.toPrecision(6)).toLocaleString('en-GB', { maximumFractionDigits: 6 })

/** Returns lines, levels and texts for the chart of a signal. `fileName`: name of the CSV file, without `.csv`. */
export function valueLines(chart: ValueChart, pointsOf: PointsOf, fileName: string): Lines {
  const series = valueSeries(chart, pointsOf)
  const waiting = series.length === 0 ? [] : waitingBaselines(chart)
  return {
    label: chart.signal,
    series,
    levels: valueLevels(chart),
    write: number,
    fileName,
    empty: `No value of ${chart.signal} was reported in this time.`,
    note: waiting.length === 0 ? null : `No baseline yet of ${waiting.join(', ')}: too few readings.`,
  }
}
