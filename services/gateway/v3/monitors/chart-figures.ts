// Values of a chart as lists: one list for each requested figure, with one value for each time step. Pure.
import { Type } from 'typebox'
import type { RollUpBucket } from '#shared/contracts/observations/roll-up.ts'
import { type ChartColumns, type ChartFigure, chartFigures } from '#shared/contracts/session/session-charts.ts'
import { invalidParameter } from '../read-query.ts'

export const figuresParameter = {
  schema: Type.String({ minLength: 1, maxLength: 60 }),
  meaning: 'Columns of the answer with commas between them: `count`, `ok`, `min`, `mean`, `max`, `p95`. All unless sent.',
}

/**
 * Returns the figure names in a `figures` parameter, or all figure names if the parameter is absent. Throws `validation` for an unknown
 * name.
 */
export function figuresOf(sent: unknown): readonly ChartFigure[] {
  if (typeof sent !== 'string') return chartFigures
  const names = sent.split(',')
  if (names.every(isFigure)) return names
  throw invalidParameter('figures', `The parameter 'figures' holds names of ${chartFigures.join(', ')} with commas between them`)
}

const isFigure = (name: string): name is ChartFigure => (chartFigures as readonly string[]).includes(name)

/**
 * Returns a column for each name, with one value for each step from `from` to `to` (ms). `rounded` rounds a measured value, so that its
 * text is shorter.
 */
export function columnsOf(
  buckets: readonly RollUpBucket[],
  { from, to, stepMs }: { from: number; to: number; stepMs: number },
  names: readonly ChartFigure[],
  rounded: (value: number) => number,
): ChartColumns {
  const byStep = new Map(buckets.map(bucket => [(bucket.at - from) / stepMs, bucket]))
  const columnOf = (name: ChartFigure) =>
    Array.from({ length: (to - from) / stepMs }, (_, step) => {
      const bucket = byStep.get(step)
      if (name === 'count' || name === 'ok') return bucket?.[name] ?? 0
      const value = bucket?.[name] ?? null
      return value === null ? null : rounded(value)
    })
  return Object.fromEntries(names.map(name => [name, columnOf(name)]))
}
