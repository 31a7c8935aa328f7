// Metrics of people's monitors: their values, their bound, what their labels hide, the listener, and the dashboard that shows them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parser } from '@prometheus-io/lezer-promql'
import { pino } from 'pino'
import t from 'tap'
import { facetsOf } from '#shared/incidents/incident-facets.ts'
import { day, limits } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import { checkObservationId } from '#shared/text/ids.ts'
import { startMonitorMetricsServer } from '../../infra/runtime/monitor-metrics-server.ts'
import { createMonitorMetrics } from '../../services/directory/metrics/monitor-metrics.ts'
import { websiteMeta } from '../keeper/world.ts'
import { incident, observation } from '../store/documents.ts'
import { createHandClock } from '../support/hand-clock.ts'
import { createMemoryStore } from '../support/store/memory-store.ts'
import { subjectDocument } from '../support/worlds/fake-keeper.ts'

const now = 20_000 * day + 1_000
const site = (id: string, name: string, more: object = {}) => ({
  ...subjectDocument(id, 'w1', `key-${id}`, name, { ...websiteMeta, locations: ['aaaa'] }, 1),
  createdAt: now - 30 * day - 1_000,
  ...more,
})
const rule = (verdict: string, open: object | null = null) => ({
  ...{ key: 'availability', slug: 'reachability', name: '', policyVersion: 0, policy: { language: 'reachability' } },
  verdict: { verdict, since: 1, explanation: '', evidence: { inputs: [], omitted: 0, truncated: false } },
  incident: open,
})
const down = {
  ...{ machine: 'incident', version: 1, value: 'problem', transitions: 1, alerts: 0 },
  context: {
    incidentId: 'siteBBBBBB.1',
    troubleSince: now - 3 * day,
    effectiveAt: now - 3 * day,
    acknowledgedAt: null,
    acknowledgedBy: null,
  },
  words: { rule: { key: 'reachability', name: '' }, action: null },
}

async function stage() {
  const store = createMemoryStore()
  const clock = createHandClock()
  clock.advance(now - clock.now())
  await store.insert('workspaces', [{ id: 'w1', rev: 1, name: 'Shops', createdAt: 1 } as never])
  await store.insert('locations', [{ id: 'aaaa', rev: 1, name: 'oslo', displayName: null, createdAt: 1 }])
  await store.insert('subjects', [
    site('siteAAAAAA', 'Shop "x" https://user:pw@shop.example/?token=hush', { rules: [rule('ok')] as never }),
    site('siteBBBBBB', 'Till', { rules: [rule('problem', down)] as never }),
    site('siteCCCCCC', 'New', { createdAt: now }),
    site('siteDDDDDD', 'Old', { archivedAt: 5 }),
  ])
  const trouble = { subjectId: 'siteBBBBBB', troubleSince: now - 3 * day, confirmedAt: now - 3 * day }
  const facets = facetsOf({ isOpen: true, isConfirmed: true, isAcknowledged: false })
  await store.insert('incidents', [incident('siteBBBBBB.1', { ...trouble, facets })])
  const row = (slotAt: number, totalMs: number) => ({ ...observation(checkObservationId('siteAAAAAA', 'aaaa', slotAt)), totalMs })
  await store.insert('observations', [row(now - 7_200_000, 900), row(now - 3_600_000, 250)])
  return { store, clock }
}

const textOf = (store: Store, clock: ReturnType<typeof createHandClock>) => createMonitorMetrics({ store, clock }).text()

t.test('each monitor has its state, response times, open incidents and uptime', async t => {
  const { store, clock } = await stage()
  const text = await textOf(store, clock)
  const samples = (name: string) => text.split('\n').filter(line => line.startsWith(`${name}{`))
  const labels = (key: string, name: string) => `workspace_id="w1",workspace="Shops",monitor="key-${key}",name="${name}"`
  const shop = labels('siteAAAAAA', 'Shop \\"x\\" https://shop.example/?token=redacted')
  const till = labels('siteBBBBBB', 'Till')
  t.strictSame(samples('watchkeeper_monitor_up'), [`watchkeeper_monitor_up{${shop}} 1`, `watchkeeper_monitor_up{${till}} 0`])
  t.strictSame(samples('watchkeeper_monitor_response_seconds'), [
    `watchkeeper_monitor_response_seconds{${shop},location="oslo"} 0.25`,
  ])
  t.match(samples('watchkeeper_monitor_incident_open'), [/ 0$/, `watchkeeper_monitor_incident_open{${till}} 1`, / 0$/])
  t.match(samples('watchkeeper_monitor_uptime_ratio'), [`watchkeeper_monitor_uptime_ratio{${shop}} 1`, /name="Till"\} 0\.9\d*$/])
  t.match(text, /^watchkeeper_monitors_left_out 0$/m)
  t.notMatch(text, /pw@|hush|Old/)
  for (const [, name] of text.matchAll(/^# TYPE (\w+) gauge$/gm)) t.match(text, new RegExp(`^# HELP ${name} \\S`, 'm'))
})

t.test('number of monitors with metrics is bounded, and the others are counted', async t => {
  const store = createMemoryStore()
  const clock = createHandClock()
  const { monitors } = limits.monitorMetrics
  const ids = Array.from({ length: monitors + 3 }, (_, i) => `Sub${1_000_000 + i}`)
  await store.insert(
    'subjects',
    ids.map(id => site(id, id, { rules: [rule('ok')] as never })),
  )
  const text = await textOf(store, clock)
  t.equal(text.split('\n').filter(line => line.startsWith('watchkeeper_monitor_up{')).length, monitors)
  t.match(text, /^watchkeeper_monitors_left_out 3$/m)
})

t.test('scrapes during a read and shortly after it share the read', async t => {
  const { store, clock } = await stage()
  let reads = 0
  const count: Store['count'] = async (collection, ...asked) => {
    if (collection === 'subjects') reads++
    return store.count(collection, ...asked)
  }
  const metrics = createMonitorMetrics({ store: { ...store, count }, clock })
  const [one, other] = await Promise.all([metrics.text(), metrics.text()])
  t.equal(one, other)
  clock.advance(limits.monitorMetrics.freshMs - 1)
  await metrics.text()
  t.equal(reads, 1)
  clock.advance(1)
  await metrics.text()
  t.equal(reads, 2)
})

t.test('listener serves nothing but the metrics of monitors, and 503 while the store is away', async t => {
  let fails = false
  const text = async () => {
    if (fails) throw new Error('https://user:pw@store.example/')
    return 'x 1\n'
  }
  const options = { host: '127.0.0.1', port: 0, logger: pino({ level: 'silent' }), metrics: { contentType: 'text/plain', text } }
  const server = await startMonitorMetricsServer(options)
  t.teardown(() => server.close())
  const get = async (path: string, method = 'GET') => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method })
    return [response.status, await response.text()] as const
  }
  t.strictSame(await get('/metrics/monitors'), [200, 'x 1\n'])
  t.equal((await get('/metrics'))[0], 404)
  t.equal((await get('/metrics/monitors', 'POST'))[0], 405)
  fails = true
  const [status, body] = await get('/metrics/monitors')
  t.equal(status, 503)
  t.notMatch(body, /pw/)
  await t.rejects(startMonitorMetricsServer({ ...options, port: server.port }), /set MONITOR_METRICS_PORT to a free one/)
})

t.test('dashboard shows served metrics with labels that they have, and its panels do not overlap', async t => {
  const root = join(import.meta.dirname, '..', '..')
  const { store, clock } = await stage()
  const text = await textOf(store, clock)
  const documented = readFileSync(join(root, 'infra/metrics.md'), 'utf8')
  const served = new Map<string, Set<string>>()
  for (const [, name = ''] of text.matchAll(/^# TYPE (\w+) /gm)) {
    const line = text.split('\n').find(one => one.startsWith(`${name}{`)) ?? ''
    served.set(name, new Set([...line.matchAll(/(\w+)="/g)].map(([, label = '']) => label)))
    t.match(documented, `\`${name}\``, `${name} is documented`)
  }
  interface Panel {
    title: string
    gridPos: { x: number; y: number; w: number; h: number }
    targets: { expr: string; legendFormat: string }[]
  }
  const { panels } = JSON.parse(readFileSync(join(root, 'infra/grafana/monitors.json'), 'utf8')) as { panels: Panel[] }
  const shown = new Set<string>()
  for (const [i, { title, gridPos: one, targets }] of panels.entries()) {
    t.ok(one.x + one.w <= 24 && targets.length > 0, title)
    for (const { gridPos: other } of panels.slice(i + 1))
      t.ok(one.x + one.w <= other.x || other.x + other.w <= one.x || one.y + one.h <= other.y || other.y + other.h <= one.y)
    for (const { expr, legendFormat } of targets) {
      parser.parse(expr).iterate({ enter: node => (node.type.isError ? t.fail(`${title}: ${expr} is no PromQL`) : undefined) })
      for (const [name] of expr.matchAll(/watchkeeper_\w+/g)) {
        shown.add(name)
        t.ok(served.has(name), `${title}: ${name} is served`)
        for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
          t.ok(served.get(name)?.has(label), `${title}: ${label}`)
      }
    }
  }
  t.strictSame([...shown].sort(), [...served.keys()].sort(), 'every metric is shown')
})
