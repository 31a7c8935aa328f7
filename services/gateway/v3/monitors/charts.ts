// Data of charts: response times, values and days of one Resource. The data comes from stored roll-ups and incidents. Reference:
// docs/reference/v3.md, section 13.
import { Type } from 'typebox'
import { inParallel } from '#shared/async/in-parallel.ts'
import type { AskRequest } from '#shared/contracts/ask/ask.ts'
import { SignalName } from '#shared/contracts/common.ts'
import type { RollUpBucket, RollUps } from '#shared/contracts/observations/roll-up.ts'
import type { ResourceView } from '#shared/contracts/resources/resource-views.ts'
import { ChartBand, ChartRange, DayBars, LatencyChart, ValueChart } from '#shared/contracts/session/session-charts.ts'
import type { Bands, MonitorThreshold, TroubleDay } from '#shared/contracts/subjects/monitor-state.ts'
import { refusal } from '#shared/errors.ts'
import { day, hour, limits, minute, second } from '#shared/limits/limits.ts'
import { uptimeOf } from '#shared/roll-up/trouble.ts'
import { checkedValues } from '#shared/subjects/checked-values.ts'
import { checkedSignalKey } from '#shared/subjects/resource-signals.ts'
import { timestamp } from '../../body/instants.ts'
import { writerOf } from '../../body/result-schema.ts'
import type { GatewayContext } from '../../context.ts'
import { route } from '../common.ts'
import { findResource } from '../resources/resources.ts'
import { columnsOf, figuresOf, figuresParameter } from './chart-figures.ts'

const ranges = {
  '24h': { ms: day, step: '5m', stepMs: 5 * minute },
  '7d': { ms: 7 * day, step: '1h', stepMs: hour },
  '30d': { ms: 30 * day, step: '1h', stepMs: hour },
  '400d': { ms: 400 * day, step: '1d', stepMs: day },
} as const

const one = '/workspaces/:workspace/resources/:resource'
const rangeQuery = {
  range: { schema: ChartRange, meaning: '`24h` unless sent.' },
  figures: figuresParameter,
}

const showLatency = route('GET', `${one}/latency`, {
  summary: 'Values of the first check of a monitor by location, with Incidents and maintenance.',
  more: 'Without a series if the Resource has no check.',
  needs: { role: 'viewer', scope: null },
  isAudited: false,
  find: findResource,
  query: rangeQuery,
  result: LatencyChart,
  refusals: ['422 range', '422 figures'],
  handler: async (context, { found, query, traceId }) => {
    const wanted = frameOf(context, query['range'])
    const names = figuresOf(query['figures'])
    const checked = firstCheckOf(found)
    const rounded = checkedValues(found)[0]?.unit === 'ms' ? Math.round : hundredths
    const [rollUps, places, bands] = await Promise.all([
      inParallel(checked, limits.charts.seriesAtOnce, ({ source }) =>
        read(context, { subjectId: found.id, source }, wanted, traceId),
      ),
      context.directory.ask('list-locations', {}, traceId),
      readBands(context, found.id, wanted, traceId),
    ])
    const nameOf = new Map(places.map(({ id, name }) => [id, name]))
    return {
      ...frameObject(context, wanted, bands, rollUps),
      series: checked.map(({ id }, i) => ({
        location_id: id,
        location: nameOf.get(id) ?? null,
        figures: columnsOf(rollUps[i]?.buckets ?? [], wanted, names, rounded),
      })),
    }
  },
})

const hundredths = (value: number): number => Math.round(value * 100) / 100

const showValues = route('GET', `${one}/values`, {
  summary: 'Values of a signal that senders report, with the thresholds of its rules.',
  needs: { role: 'viewer', scope: null },
  isAudited: false,
  find: findResource,
  query: {
    ...rangeQuery,
    signal: { schema: SignalName, meaning: 'The key of a signal; the first that senders report unless sent.' },
  },
  result: ValueChart,
  refusals: ['422 range', '422 figures', '422 signal'],
  handler: async (context, { found, query, traceId }) => {
    const signal = (query['signal'] as string | undefined) ?? usualSignal(found)
    if (signal === undefined) throw noSuchSignal()
    const wanted = frameOf(context, query['range'])
    const names = figuresOf(query['figures'])
    const { id: subjectId } = found
    const [rollUps, bands, state] = await Promise.all([
      read(context, { subjectId, source: { signal } }, wanted, traceId),
      readBands(context, subjectId, wanted, traceId),
      context.directory.ask('get-monitor', { subjectId }, traceId),
    ])
    if (rollUps === null) throw noSuchSignal()
    const { signals = [], thresholds = [] } = state ?? {}
    const baselines = signals.find(one => one.signal === signal)?.baselines ?? {}
    return {
      ...frameObject(context, wanted, bands, [rollUps]),
      signal,
      figures: columnsOf(rollUps.buckets, wanted, names, fourDigits),
      thresholds: thresholds.filter(one => one.signal === signal).map(one => thresholdObject(one, baselines)),
    }
  },
})

/** Returns the first signal that senders report, or else the first that probers check; undefined: the Resource has neither. */
function usualSignal({ signals, check }: ResourceView): string | undefined {
  return (signals.find(({ isPlatform }) => !isPlatform) ?? (check === null ? signals[0] : undefined))?.key
}

/** Returns the Locations of the Resource's first check, with the sources of its results. */
function firstCheckOf({ check, checks = [] }: ResourceView): { id: string; source: { location: string } | { signal: string } }[] {
  if (check !== null) return check.locations.map(id => ({ id, source: { location: id } }))
  const [first] = checks
  return (first?.locations ?? []).map(({ id }) => ({ id, source: { signal: checkedSignalKey(first?.signal ?? '', id) } }))
}

const noSuchSignal = () => refusal('not_found', 'Signal not found', 'The Resource has no such signal')

const showDays = route('GET', `${one}/days`, {
  summary: 'The last days of a Resource, one after the other: checks, time in trouble, Incidents, uptime.',
  needs: { role: 'viewer', scope: null },
  isAudited: false,
  find: findResource,
  query: {
    count: {
      schema: Type.Integer({ minimum: 1, maximum: limits.charts.days }),
      meaning: 'Days, today included; 90 unless sent.',
    },
  },
  result: DayBars,
  refusals: ['422 count'],
  handler: async (context, { found, query, traceId }) => {
    const count = (query['count'] ?? 90) as number
    const now = context.clock.now()
    const to = Math.floor(now / day) * day + day
    const wanted = { from: to - count * day, to, step: '1d', stepMs: day } as const
    const { id: subjectId, createdAt } = found
    const [rollUps, trouble] = await Promise.all([
      inParallel(firstCheckOf(found), limits.charts.seriesAtOnce, ({ source }) =>
        read(context, { subjectId, source }, wanted, traceId),
      ),
      context.directory.ask('get-trouble', { subjectId, from: wanted.from, to: Math.max(now, wanted.to - day + 1) }, traceId),
    ])
    const { days, completeSince } = trouble
    const buckets = rollUps.flatMap(one => one?.buckets ?? [])
    const since = Math.max(wanted.from, createdAt, completeSince)
    return {
      at: timestamp(now),
      days: days.map(one => dayObject(one, { now, createdAt, completeSince, buckets })),
      uptime: uptimeOf(days, since, now),
      uptime_since: timestamp(since),
      complete_since: timestamp(completeSince),
    }
  },
})

interface Frame {
  from: number
  to: number
  step: '5m' | '1h' | '1d'
  stepMs: number
}

function frameOf({ clock }: GatewayContext, sent: unknown): Frame {
  const { ms, step, stepMs } = ranges[(sent ?? '24h') as ChartRange]
  const to = Math.ceil(clock.now() / stepMs) * stepMs
  return { from: to - ms, to, step, stepMs }
}

const read = (
  { directory }: GatewayContext,
  asked: Pick<AskRequest<'get-roll-ups'>, 'subjectId' | 'source'>,
  { from, to, step }: Frame,
  traceId: string,
): Promise<RollUps | null> => directory.ask('get-roll-ups', { ...asked, step, from, to }, traceId)

const readBands = ({ directory }: GatewayContext, subjectId: string, { from, to }: Frame, traceId: string): Promise<Bands> =>
  directory.ask('get-bands', { subjectId, from, to }, traceId)

/** Rounds to four significant digits, which is more than any chart shows. */
const fourDigits = (value: number): number => Number(value.toPrecision(4))

const writeBand = writerOf(ChartBand)

function frameObject(
  { clock, incidentIds }: GatewayContext,
  { from, to, stepMs }: Frame,
  bands: Bands,
  read: (RollUps | null)[],
) {
  const now = clock.now()
  const completeTo = Math.min(now, ...read.flatMap(one => (one === null ? [] : [one.completeTo])))
  return {
    at: timestamp(now),
    from: timestamp(from),
    to: timestamp(to),
    step_seconds: stepMs / second,
    complete_to: timestamp(completeTo),
    bands: [
      ...bands.incidents.map(({ id, ...band }) => writeBand({ ...band, kind: 'incident', incident: incidentIds.encode(id) })),
      ...bands.windows.map(band => writeBand({ ...band, kind: 'maintenance', incident: null, rule: null })),
    ],
    bands_complete_since: timestamp(bands.completeSince),
  }
}

const thresholdObject = (
  { rule, operator, operand, baselineDays }: MonitorThreshold,
  medians: Readonly<Record<number, number | null>>,
) => ({
  rule,
  operator,
  operand,
  baseline_days: baselineDays,
  median: baselineDays === null ? null : (medians[baselineDays] ?? null),
})

interface Past {
  now: number
  createdAt: number
  completeSince: number
  buckets: readonly RollUpBucket[]
}

function dayObject({ at: start, ms, incidents }: TroubleDay, { now, createdAt, completeSince, buckets }: Past) {
  const to = Math.min(start + day, now)
  const mine = buckets.filter(({ at }) => at === start)
  const sum = (of: (bucket: RollUpBucket) => number) => mine.reduce((all, bucket) => all + of(bucket), 0)
  return {
    day: timestamp(start).slice(0, 10),
    checks: sum(({ count }) => count),
    ok: sum(({ ok }) => ok),
    trouble_seconds: Math.round(ms / second),
    incidents,
    uptime: start < completeSince ? null : uptimeOf([{ at: start, ms, incidents }], Math.max(start, createdAt), to),
  }
}

export const chartRoutes = [showLatency, showValues, showDays]
