// Figures and charts of generation 3 over real HTTP, with the real keeper, directory and gateway in virtual time.
import t from 'tap'
import { type Static, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/schema'
import { DayBars, LatencyChart, ValueChart } from '#shared/contracts/session/session-charts.ts'
import { day, hour, minute } from '#shared/limits/limits.ts'
import { addReport, emptyBucket } from '#shared/roll-up/bucket.ts'
import { packBuckets } from '#shared/roll-up/packed.ts'
import { rollUpId } from '#shared/roll-up/roll-up-ids.ts'
import { coveredMs, shareWithout } from '#shared/time/share-without.ts'
import { FiguresObject } from '../../../services/gateway/v3/monitors/figures.ts'
import type { Shown } from '../../support/clients/browser.ts'
import { type DashboardWorld, startDashboardWorld } from '../../support/worlds/dashboard-world.ts'
import { closeMs, confirmMs } from '../../support/worlds/whole-world.ts'

let world: DashboardWorld
let monitor = ''
t.before(async () => {
  world = await startDashboardWorld()
  monitor = await world.addMonitor('Shop')
  await world.report(monitor, 'aaaa', true)
  await world.clock.advance(1_000)
  await world.report(monitor, 'aaaa', false)
  await world.clock.advance(confirmMs)
  await world.report(monitor, 'aaaa', true)
  await world.clock.advance(closeMs)
  const ends_at = new Date(world.clock.now() + minute).toISOString()
  await world.editor.send('POST', `/session/subjects/${monitor}/maintenance`, { body: { ends_at } })
})
t.teardown(() => world.stop())

const get = (path: string, browser = world.viewer) => browser.send('GET', path)
async function read<T extends TSchema>(shape: T, path: string): Promise<Static<T>> {
  const { status, json, text } = await get(path)
  const fits = Compile(shape)
  if (status !== 200 || !fits.Check(json.result)) throw new Error(`${status} ${text} ${JSON.stringify(fits.Errors(json.result))}`)
  return json.result
}
/** Path of a Resource. */
const resource = (id: string) => `/api/v3/workspaces/${world.workspaceId}/resources/${id}`
const at = (ms: number) => new Date(ms).toISOString()

t.test('latency chart has the checks of each location, the incident and the maintenance window (v3 13.2, 13.3)', async t => {
  const chart = await read(LatencyChart, `${resource(monitor)}/latency`)
  t.match([chart.step_seconds, chart.at, chart.complete_to], [300, at(world.clock.now()), at(world.clock.now())])
  t.equal(Date.parse(chart.to) - Date.parse(chart.from), day)
  t.match(chart.series, [{ location_id: 'aaaa', location: 'de' }])
  const { count = [], ok = [], ...measured } = chart.series[0]?.figures ?? {}
  const sum = (column: number[]) => column.reduce((all, one) => all + one, 0)
  t.match([count.length, sum(count), ok.length, sum(ok)], [288, 3, 288, 2])
  const first = count.findIndex(reports => reports > 0)
  for (const column of Object.values(measured)) t.equal(column[first], 3, 'passed checks alone are measured')
  t.strictSame([measured.p95?.[first - 1], measured.p95?.length], [null, 288])
  t.match(chart.bands, [
    { kind: 'incident', rule: 'availability', incident: String },
    { kind: 'maintenance', incident: null, to: at(world.clock.now() + minute) },
  ])
  const incident = chart.bands[0]
  t.equal(Date.parse(incident?.to ?? '') - Date.parse(incident?.from ?? '') >= confirmMs, true)
  for (const [range, step, ms] of [
    ['7d', 3_600, 7 * day],
    ['30d', 3_600, 30 * day],
    ['400d', 86_400, 400 * day],
  ] as const) {
    const long = await read(LatencyChart, `${resource(monitor)}/latency?range=${range}`)
    t.match([long.step_seconds, Date.parse(long.to) - Date.parse(long.from)], [step, ms])
    t.equal(long.series[0]?.figures.count?.length, ms / (step * 1_000))
    t.equal(long.series[0]?.figures.count?.at(-1), 3)
  }
})

t.test('chart has only the requested columns', async t => {
  const asked = await read(LatencyChart, `${resource(monitor)}/latency?figures=count,p95`)
  t.strictSame(Object.keys(asked.series[0]?.figures ?? {}), ['count', 'p95'])
  const refused = await get(`${resource(monitor)}/latency?figures=p99`)
  t.match([refused.status, refused.json.error.details.field], [422, 'figures'])
})

t.test('chart of days has checks, seconds in trouble and uptime, counted from the creation of the monitor (v3 13.5)', async t => {
  const bars = await read(DayBars, `${resource(monitor)}/days?count=3`)
  const today = at(world.clock.now()).slice(0, 10)
  t.match(bars.days.at(-1), { day: today, checks: 3, ok: 2, incidents: 1 })
  const trouble = bars.days.at(-1)?.trouble_seconds ?? 0
  t.ok(trouble >= confirmMs / 1_000 && trouble <= (confirmMs + closeMs) / 1_000, String(trouble))
  t.ok((bars.uptime ?? 1) < 1 && (bars.uptime ?? 0) > 0)
  t.match(bars.days[0], { checks: 0, trouble_seconds: 0, incidents: 0, uptime: null }, 'it did not exist')
  t.equal((await read(DayBars, `${resource(monitor)}/days`)).days.length, 90)
  t.equal((await read(DayBars, `${resource(monitor)}/days?count=400`)).days.length, 400)
})

t.test('chart of a signal has its values and the thresholds of its rules (v3 13.4)', async t => {
  const v3 = `/api/v3/workspaces/${world.workspaceId}`
  const rule = (key: string, more: object) => ({
    key,
    action: 'Look.',
    wait: { confirm_after: 60, recover_after: 0 },
    decision: { signal: 'depth', field: 'value', operator: 'gt', ...more },
  })
  const manifest = {
    key: 'queue',
    version: 1,
    name: 'Queue',
    fields: [{ key: 'most', type: 'integer', required: true }],
    signals: [{ key: 'depth', kind: 'periodic', every_seconds: 600 }],
    rules: [
      rule('deep', { operand: 100 }),
      rule('own', { operand: { meta: 'most' } }),
      rule('odd', { operand: 3, baseline: { days: 7, min_samples: 1 } }),
    ],
  }
  const published = await world.editor.send('POST', `${v3}/templates`, { body: manifest })
  t.equal(published.json.error, null, published.text)
  const body = { key: 'jobs', name: 'Jobs', template: 'queue@1', meta: { most: 500 } }
  const made = await world.editor.send('POST', `${v3}/resources`, { body })
  t.equal(made.json.error, null, made.text)
  const { id } = made.json.result
  for (const value of [10, 20]) {
    await world.editor.send('POST', `${v3}/resources/${id}/observations`, { body: { signal: 'depth', state: 'ok', value } })
    await world.clock.advance(1_000)
  }
  const chart = await read(ValueChart, `${resource(id)}/values?signal=depth`)
  const last = Object.entries(chart.figures).map(([name, column]) => [
    name,
    column.findLast(value => value !== null && value !== 0),
  ])
  t.match(Object.fromEntries(last), { count: 2, ok: 2, min: 10, mean: 15, max: 20 })
  t.match(chart.thresholds, [
    { rule: 'deep', operator: 'gt', operand: 100, baseline_days: null, median: null },
    { rule: 'own', operator: 'gt', operand: 500, baseline_days: null },
    { rule: 'odd', operator: 'gt', operand: 3, baseline_days: 7, median: 10 },
  ])
  t.strictSame(await read(ValueChart, `${resource(id)}/values`), chart, 'the first signal')
  t.equal((await get(`${resource(id)}/values?signal=other`)).status, 404)
  const none = await read(LatencyChart, `${resource(id)}/latency`)
  t.strictSame(none.series, [], 'nothing is checked')
})

t.test('figures of a list have the p95 of rolled-up hours and omit absent Resources (v3 13.1)', async t => {
  const bucket = emptyBucket()
  for (let i = 1; i <= 100; i++) addReport(bucket, true, i)
  const row = Math.floor(world.clock.now() / hour) * hour - 2 * hour
  const packed = packBuckets([bucket, ...Array.from({ length: 11 }, () => null)])
  await world.store.upsert('rollUps', [{ id: rollUpId(monitor, { kind: 'location', id: 'aaaa' }, 'hour', row), data: packed }])
  const path = `/api/v3/workspaces/${world.workspaceId}/figures`
  const figures = await read(Type.Array(FiguresObject), `${path}?resources=${monitor},unknown000,${monitor}`)
  t.strictSame(
    figures.map(one => one.resource),
    [monitor],
  )
  t.ok(Math.abs((figures[0]?.p95 ?? 0) - 95) < 5, JSON.stringify(figures))
  t.equal(figures[0]?.unit, 'ms')
  t.ok((figures[0]?.uptime_30d ?? 1) < 1)
  t.ok(Date.parse(figures[0]?.uptime_since ?? '') <= world.clock.now())
  const most = Array.from({ length: 100 }, () => monitor).join(',')
  t.equal((await get(`${path}?resources=${most}`)).status, 200)
  for (const query of [
    '?resources=',
    `?resources=${most},${monitor}`,
    '?resources=a,,b',
    '?resources=a%00',
    `?resources=${'x'.repeat(65)}`,
  ])
    t.equal((await get(path + query)).status, 422, query.slice(0, 30))
  t.equal((await get(`${path}?resources=${monitor}`, world.stranger)).status, 404)
  await world.ask('create-workspace', { id: 'other00000', name: 'Other', userId: 'user-stan' })
  const foreign = await world.stranger.send('GET', `/api/v3/workspaces/other00000/figures?resources=${monitor}`)
  t.match(foreign.json, { result: [], meta: { next_cursor: null } }, 'a Resource of another workspace')
})

t.test('figures without ids are of all Resources that are not archived, page by page (v3 13.1)', async t => {
  const ids = [monitor, ...(await Promise.all(['One', 'Two', 'Three'].map(name => world.addMonitor(name))))]
  const [archived = ''] = ids.splice(2, 1)
  t.equal((await world.editor.send('POST', `${resource(archived)}/archive`, { body: {} })).status, 200)
  const path = `/api/v3/workspaces/${world.workspaceId}/figures?limit=2`
  const found: string[] = []
  let cursor: string | null = null
  do {
    const { json }: Shown = await get(cursor === null ? path : `${path}&cursor=${cursor}`)
    t.ok(json.result.length <= 2)
    found.push(...json.result.map((one: { resource: string }) => one.resource))
    cursor = json.meta.next_cursor
  } while (cursor !== null)
  t.strictSame(new Set(found), new Set([...ids, ...found.filter(id => !ids.includes(id) && id !== archived)]))
  t.notOk(found.includes(archived))
  t.equal(found.length, new Set(found).size)
  const named = await read(Type.Array(FiguresObject), `/api/v3/workspaces/${world.workspaceId}/figures?resources=${archived}`)
  t.equal(named.length, 1, 'an archived one by its id')
})

t.test('charts refuse unknown parameters and strangers', async t => {
  const one = resource(monitor)
  const bad = [
    'latency?range=1h',
    'latency?from=1',
    'latency?figures=',
    'latency?figures=p95,p99',
    `latency?figures=${'p95,'.repeat(15)}p95`,
    'values?signal=',
    `values?signal=${'x'.repeat(201)}`,
    'days?count=0',
    'days?count=401',
  ]
  for (const query of bad) t.equal((await get(`${one}/${query}`)).status, 422, query.slice(0, 40))
  for (const part of ['latency', 'values?signal=a', 'days']) {
    t.equal((await get(`${one}/${part}`, world.stranger)).status, 404, part)
    t.equal((await world.call('GET', `${one}/${part}`)).status, 401, part)
    t.equal((await get(`${resource('unknown000')}/${part}`)).status, 404, part)
  }
})

t.test('time that several ranges cover counts once', async t => {
  const stretches = [
    { from: 10, to: 20 },
    { from: 15, to: 30 },
    { from: 12, to: 13 },
    { from: 50, to: null },
    { from: 0, to: 5 },
    { from: 200, to: 300 },
  ]
  t.equal(coveredMs(stretches, 2, 100), 3 + 20 + 50)
  t.equal(shareWithout(stretches, 0, 100), 1 - 75 / 100)
  t.equal(shareWithout(stretches, 100, 100), null)
  t.equal(shareWithout([], 0, 100), 1)
})
