// Figures of a chart as the session API sends them, and their conversion to lines. Pure.
import type { ChartBand, ChartColumns } from '#shared/contracts/session/session-charts.ts'
import type { Band, ChartProps } from '../../charts/chart.tsx'
import type { Point } from '../../charts/scale.ts'
import { instant } from '../../data/format.ts'

/** Fields that every chart has. */
export interface Frame {
  from: string
  to: string
  step_seconds: number
  bands: readonly ChartBand[]
}

/** Lines, axis and texts of a chart, made from its figures. */
export interface Lines extends Pick<ChartProps, 'label' | 'series' | 'levels' | 'write' | 'fileName' | 'empty'> {
  /** A sentence below the chart. */
  note?: string | null
}

/** Function that returns the points of one column of the figures, one point for every step with a report. */
export type PointsOf = (figures: ChartColumns, name: 'min' | 'mean' | 'max' | 'p95') => Point[]

export const pointsOf =
  ({ from, step_seconds }: Pick<Frame, 'from' | 'step_seconds'>): PointsOf =>
  ({ count = [], ...columns }, name) =>
    count.flatMap((reports, step) =>
      reports === 0 ? [] : [{ at: Date.parse(from) + step * step_seconds * 1_000, value: columns[name]?.[step] ?? null }],
    )

export const bandsOf = ({ bands }: Pick<Frame, 'bands'>): Band[] =>
  bands.map(({ kind, from, to }) => ({
    kind,
    from: Date.parse(from),
    to: to === null ? null : Date.parse(to),
    words: `${kind} from ${instant(Date.parse(from))}${to === null ? '' : ` to ${instant(Date.parse(to))}`}`,
  }))
