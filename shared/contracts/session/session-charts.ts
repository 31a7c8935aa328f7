// Results of generation 3 for charts. Instants are RFC 3339. Figures are sent as columns with one value for each time step, so that a
// point of the chart takes only a few bytes.
import { type Static, Type } from 'typebox'
import { Component, DateTime, Nullable } from '#shared/contracts/common.ts'

/** Time range of a chart. The range determines how much time one step of the chart covers. */
export const ChartRange = Type.Enum(['24h', '7d', '30d', '400d'])
export type ChartRange = Static<typeof ChartRange>

/** Columns of a chart, by the names that `figures` selects. */
export const chartFigures = ['count', 'ok', 'min', 'mean', 'max', 'p95'] as const
export type ChartFigure = (typeof chartFigures)[number]

const Counts = (description: string) =>
  Type.Optional(Type.Array(Type.Integer({ minimum: 0 }), { description, examples: [[5, 0]] }))
const Measured = () => Type.Optional(Type.Array(Nullable(Type.Number()), { examples: [[118, null]] }))

export const ChartColumns = Component('ChartColumns', {
  count: Counts('Reports.'),
  ok: Counts('Reports that say ok.'),
  min: Measured(),
  mean: Measured(),
  max: Measured(),
  p95: Measured(),
})
export type ChartColumns = Static<typeof ChartColumns>

const Figures = {
  ...ChartColumns,
  description: 'The columns that were asked for: one value for each step from `from` to `to`, null if nothing was measured.',
}

export const ChartBand = Component('ChartBand', {
  kind: Type.Enum(['incident', 'maintenance']),
  from: DateTime,
  to: Nullable({ ...DateTime, description: 'Null: it goes on.' }),
  incident: Nullable(Type.String({ examples: ['INCIDENT_ID'] })),
  rule: Nullable(Type.String({ examples: ['availability'] })),
})
export type ChartBand = Static<typeof ChartBand>

const frame = {
  at: { ...DateTime, description: "The server's clock." },
  from: DateTime,
  to: DateTime,
  step_seconds: Type.Integer({ minimum: 300 }),
  complete_to: { ...DateTime, description: 'Steps from here on may still change or are empty.' },
  bands: Type.Array(ChartBand, { description: 'Confirmed incidents and maintenance, newest first, at most 500 of each.' }),
  bands_complete_since: { ...DateTime, description: '`bands` has all of them from here on; usually `from`.' },
}

export const LatencyChart = Component('LatencyChart', {
  ...frame,
  series: Type.Array(
    Component('LatencySeries', {
      location_id: Type.String({ examples: ['aaaa'] }),
      location: Nullable(Type.String({ description: 'Its name; null: it is gone.', examples: ['frankfurt'] })),
      figures: { ...Figures, description: `${Figures.description} Total times of passed checks, whole ms.` },
    }),
  ),
})
export type LatencyChart = Static<typeof LatencyChart>

export const ValueChart = Component('ValueChart', {
  ...frame,
  signal: Type.String({ examples: ['depth'] }),
  figures: Figures,
  thresholds: Type.Array(
    Component('ValueThreshold', {
      rule: Type.String({ examples: ['too-deep'] }),
      operator: Type.Enum(['eq', 'neq', 'gt', 'gte', 'lt', 'lte']),
      operand: Type.Number({
        description: 'With `baseline_days` a factor of the median, else the value itself.',
        examples: [100],
      }),
      baseline_days: Nullable(Type.Integer({ minimum: 1, examples: [7] })),
      median: Nullable(Type.Number({ description: 'Of the baseline, as last computed.', examples: [50] })),
    }),
  ),
})
export type ValueChart = Static<typeof ValueChart>

export const DayBars = Component('DayBars', {
  at: DateTime,
  days: Type.Array(
    Component('DayBar', {
      day: Type.String({ description: 'Of UTC.', examples: ['2026-01-05'] }),
      checks: Type.Integer({ minimum: 0, description: 'Of all locations.' }),
      ok: Type.Integer({ minimum: 0 }),
      trouble_seconds: Type.Integer({ minimum: 0, description: 'In which a confirmed incident was open.' }),
      incidents: Type.Integer({ minimum: 0, description: 'Confirmed ones that were open in part of the day.' }),
      uptime: Nullable(
        Type.Number({
          description: '0 to 1; null: the monitor did not exist yet, or the day is before `complete_since`.',
          examples: [0.9936],
        }),
      ),
    }),
    { description: 'Oldest first; the last is today.' },
  ),
  uptime: Nullable(Type.Number({ description: 'Since `uptime_since`.', examples: [0.9936] })),
  uptime_since: { ...DateTime, description: 'The first of the days, or when the monitor was made, or `complete_since`.' },
  complete_since: { ...DateTime, description: 'Trouble of earlier days may be missing; usually the first day.' },
})
export type DayBars = Static<typeof DayBars>
