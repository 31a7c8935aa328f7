// Data of charts: response times, values and days of one monitor, and figures for a page of monitors. The data comes from stored roll-ups
// and incidents.
import { Type } from 'typebox'
import { inParallel } from '#shared/async/in-parallel.ts'
import type { AskRequest } from '#shared/contracts/ask/ask.ts'
import type { RollUpBucket, RollUps } from '#shared/contracts/observations/roll-up.ts'
import {
  ChartBand,
  ChartRange,
  DayBars,
  FiguresPage,
  LatencyChart,
  ValueChart,
} from '#shared/contracts/session/session-charts.ts'
import type { Bands, MonitorThreshold, TroubleDay } from '#shared/contracts/subjects/monitor-state.ts'
import { day, hour, limits, minute, second } from '#shared/limits/limits.ts'
import { uptimeOf } from '#shared/roll-up/trouble.ts'
import { isId } from '#shared/text/is-id.ts'
import { timestamp } from '../../body/instants.ts'
import { writerOf } from '../../body/result-schema.ts'
import { pathPart } from '../../http/answer.ts'
import type { QueryParameter, Route } from '../../http/route.ts'
import { sessionQuery } from '../caller/query.ts'
import { noSuch } from '../caller/rights.ts'
import type { SessionContext } from '../caller/session-call.ts'
import { member, route } from '../caller/session-route.ts'
import { columnsOf, figuresOf, figuresParameter, invalid } from './chart-figures.ts'
import { findMonitor } from './monitor-page.ts'

const ranges = {
  '24h': { ms: day, step: '5m', stepMs: 5 * minute },
  '7d': { ms: 7 * day, step: '1h', stepMs: hour },
  '30d': { ms: 30 * day, step: '1h', stepMs: hour },
  '400d': { ms: 400 * day, step: '1d', stepMs: day },
} as const

const one = '/monitors/:monitorId'
const rangeQuery: Record<string, QueryParameter> = {
  range: { schema: ChartRange, meaning: 'Absent: 24h.' },
  figures: figuresParameter,
}
const signalQuery: Record<string, QueryParameter> = {
  ...rangeQuery,
  signal: { required: true, schema: Type.String({ minLength: 1, maxLength: 400 }), meaning: 'The key of a signal.' },
}

const showLatency = route('GET', `${one}/latency`, {
  summary: 'Response times of a monitor by location, with incidents and maintenance.',
  needs: member,
  find: findMonitor,
  query: rangeQuery,
  result: LatencyChart,
  refusals: ['invalid'],
  handler: async (context, call) => {
    const { found, traceId } = call
    const query = sessionQuery(rangeQuery, call)
    const wanted = frameOf(context, query['range'])
    const names = figuresOf(query['figures'])
    const locations = found.resource.check?.locations ?? []
    const [rollUps, places, bands] = await Promise.all([
      inParallel(locations, limits.charts.seriesAtOnce, location =>
        read(context, { subjectId: found.resource.id, source: { location } }, wanted, traceId),
      ),
      context.directory.ask('list-locations', {}, traceId),
      readBands(context, found.resource.id, wanted, traceId),
    ])
    const nameOf = new Map(places.map(({ id, name }) => [id, name]))
    return {
      ...frameObject(context, wanted, bands, rollUps),
      series: locations.map((id, i) => ({
        location_id: id,
        location: nameOf.get(id) ?? null,
        figures: columnsOf(rollUps[i]?.buckets ?? [], wanted, names, Math.round),
      })),
    }
  },
})

const showValues = route('GET', `${one}/values`, {
  summary: 'Values of a signal that senders report, with the thresholds of its rules.',
  needs: member,
  find: findMonitor,
  query: signalQuery,
  result: ValueChart,
  refusals: ['invalid'],
  handler: async (context, call) => {
    const { found, traceId } = call
    const query = sessionQuery(signalQuery, call)
    const signal = query['signal']
    if (typeof signal !== 'string') throw missing('signal')
    const wanted = frameOf(context, query['range'])
    const names = figuresOf(query['figures'])
    const { id: subjectId } = found.resource
    const [rollUps, bands] = await Promise.all([
      read(context, { subjectId, source: { signal } }, wanted, traceId),
      readBands(context, subjectId, wanted, traceId),
    ])
    if (rollUps === null) throw noSuch('Signal')
    const baselines = found.signals.find(one => one.signal === signal)?.baselines ?? {}
    return {
      ...frameObject(context, wanted, bands, [rollUps]),
      signal,
      figures: columnsOf(rollUps.buckets, wanted, names, fourDigits),
      thresholds: found.thresholds.filter(one => one.signal === signal).map(one => thresholdObject(one, baselines)),
    }
  },
})

const daysQuery: Record<string, QueryParameter> = {
  count: { schema: Type.Integer({ minimum: 1, maximum: limits.charts.days }), meaning: 'Days, today included; absent: 90.' },
}

const showDays = route('GET', `${one}/days`, {
  summary: 'The last days of a monitor, one after the other: checks, time in trouble, incidents.',
  needs: member,
  find: findMonitor,
  query: daysQuery,
  result: DayBars,
  refusals: ['invalid'],
  handler: async (context, call) => {
    const { found, traceId } = call
    const count = (sessionQuery(daysQuery, call)['count'] ?? 90) as number
    const now = context.clock.now()
    const to = Math.floor(now / day) * day + day
    const wanted = { from: to - count * day, to, step: '1d', stepMs: day } as const
    const { id: subjectId, check, createdAt } = found.resource
    const [rollUps, trouble] = await Promise.all([
      inParallel(check?.locations ?? [], limits.charts.seriesAtOnce, location =>
        read(context, { subjectId, source: { location } }, wanted, traceId),
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

const idsQuery: Record<string, QueryParameter> = {
  ids: {
    required: true,
    schema: Type.String({ minLength: 1, maxLength: 65 * limits.charts.figures }),
    meaning: 'Ids of monitors with commas between them, at most 100.',
  },
}

const showFigures = route('GET', '/workspaces/:workspaceId/figures', {
  summary: 'Response time and uptime of some monitors; those that are not there are left out.',
  needs: member,
  query: idsQuery,
  result: FiguresPage,
  refusals: ['invalid'],
  handler: async ({ directory }, call) => {
    const { ids } = sessionQuery(idsQuery, call)
    if (typeof ids !== 'string') throw missing('ids')
    const subjectIds = ids.split(',')
    const isFine = subjectIds.length <= limits.charts.figures && subjectIds.every(isId)
    if (!isFine) throw invalid("The parameter 'ids' holds at most 100 ids with commas between them.", 'ids')
    const found = await directory.ask('get-figures', { workspaceId: pathPart(call, 'workspaceId'), subjectIds }, call.traceId)
    const shown = Object.entries(found).map(([id, { p95, uptime, uptimeSince }]) => {
      return [id, { p95, uptime_30d: uptime, uptime_since: timestamp(uptimeSince) }]
    })
    return { figures: Object.fromEntries(shown) }
  },
})

interface Frame {
  from: number
  to: number
  step: '5m' | '1h' | '1d'
  stepMs: number
}

function frameOf({ clock }: SessionContext, sent: unknown): Frame {
  const { ms, step, stepMs } = ranges[(sent ?? '24h') as ChartRange]
  const to = Math.ceil(clock.now() / stepMs) * stepMs
  return { from: to - ms, to, step, stepMs }
}

const read = (
  { directory }: SessionContext,
  asked: Pick<AskRequest<'get-roll-ups'>, 'subjectId' | 'source'>,
  { from, to, step }: Frame,
  traceId: string,
): Promise<RollUps | null> => directory.ask('get-roll-ups', { ...asked, step, from, to }, traceId)

const readBands = ({ directory }: SessionContext, subjectId: string, { from, to }: Frame, traceId: string): Promise<Bands> =>
  directory.ask('get-bands', { subjectId, from, to }, traceId)

/** Rounds to four significant digits, which is more than any chart shows. */
const fourDigits = (value: number): number => Number(value.toPrecision(4))

const writeBand = writerOf(ChartBand)

function frameObject(
  { clock, incidentIds }: SessionContext,
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

const missing = (name: string) => invalid(`The parameter '${name}' is required.`, name)

export const chartRoutes: readonly Route[] = [showLatency, showValues, showDays, showFigures]
