// System Templates of checks over HTTP, with the real keeper, directory and gateway in virtual time: binding a website monitor to the one
// with all options, and workspaces that had published a key before. Each title cites its rule of docs/reference/v3.md.
import t from 'tap'
import { readManifest } from '#shared/manifest/read-manifest.ts'
import { publish } from '../../keeper/resources/resource-world.ts'
import { startDashboardWorld } from '../../support/worlds/dashboard-world.ts'
import { closeMs } from '../../support/worlds/whole-world.ts'

const world = await startDashboardWorld()
t.teardown(() => world.stop())
const v3 = `/api/v3/workspaces/${world.workspaceId}`
const rebind = (id: string, body: object) => world.editor.send('POST', `${v3}/resources/${id}/rebind`, { body })
const detail = async (id: string) => (await world.editor.send('GET', `${v3}/resources/${id}`)).json.result
const alertsOf = async (id: string) =>
  (await world.store.find('alerts', { where: { subjectId: id }, limit: 10 })).map(one => one.kind)
const http = { template: 'http-check' }

t.test('website monitor keeps what it watches, its results and its open Incident, and nobody is told (v3 6.14)', async t => {
  const { id, incident } = await world.addFailing('Kept')
  const before = await detail(id)
  const open = before.open_incident
  t.match(before, { template: 'website-check@1', open_incident: { id: incident, standing: 'problem' } })
  const told = await alertsOf(id)
  const bound = await rebind(id, http)
  t.match(bound, {
    status: 200,
    json: {
      result: {
        ...{ template: 'http-check@1', open_incident: { id: open.id, standing: 'problem' } },
        meta: { url: 'https://shop.example/', method: 'GET', statuses: ['200'], redirects: 0, interval_seconds: 3_600 },
        rules: [{ key: 'availability', status: 'problem' }, { key: 'certificate' }, { key: 'slow' }],
      },
    },
  })
  t.match(await world.checkEntry('aaaa', id), { checks: [{ signal: 'reachability', source: 'aaaa' }, { signal: 'certificate' }] })
  t.strictSame(await alertsOf(id), told)
  const log = (await world.editor.send('GET', `${v3}/resources/${id}/observations`)).json.result
  t.strictSame([...new Set(log.map((one: { signal: string }) => one.signal))], ['reachability@aaaa'], 'earlier results stay')
  for (const path of ['/api/v1/rules', '/api/v2/monitoring/websites']) {
    const { json } = await world.call('GET', `${path}?workspace_id=${world.workspaceId}`, { token: world.token })
    t.notOk(JSON.stringify(json).includes('Kept'), path)
  }
  await world.report(id, 'aaaa', true)
  await world.clock.advance(closeMs)
  t.match(await detail(id), { open_incident: null, rules: [{ status: 'ok' }, {}, {}] })
  t.strictSame(await alertsOf(id), [...told, 'recovery'])
  t.match(await rebind(id, { template: 'website-check' }), { status: 422, json: { error: { details: { field: 'template' } } } })
})

t.test('body and user information become secrets, and `meta` replaces any answer (v3 6.14)', async t => {
  const request = { url: 'https://anna:p%40ss@shop.example/', method: 'POST', data: '{"a":1}', content_type: 'application/json' }
  const id = await world.addMonitor('Secret', { request })
  const { json } = await rebind(id, { ...http, meta: { redirects: 3, certificate_days: 30 } })
  t.match(json.result.meta, {
    ...{ url: 'https://shop.example/', username: 'anna', password: '[redacted]', body: '[redacted]' },
    ...{ redirects: 3, certificate_days: 30 },
  })
  const [stored = null] = await world.store.get('subjects', [id])
  t.notMatch(JSON.stringify([stored?.templated, stored?.check]), /p@ss|p%40ss/)
  const moved = await world.editor.send('PATCH', `${v3}/resources/${id}`, { body: { meta: { url: 'https://other.example/' } } })
  t.match(moved, { status: 422 }, 'a secret goes only where it was given for')
})

t.test(
  'monitor without Locations is given some, one with rules of generation 2 is refused, and nothing is stored (v3 6.14)',
  async t => {
    const lone = await world.addMonitor('Lone', { locations: [] })
    t.match(await rebind(lone, http), { status: 422, json: { error: { details: { field: 'locations' } } } })
    t.match(await rebind(lone, { ...http, meta: { locations: ['aaaa'] } }), { status: 200 })
    const ruled = await world.addMonitor('Ruled')
    const signal = { name: 'Own', kind: 'custom_event' }
    t.match(await world.editor.send('POST', `/session/subjects/${ruled}/signals`, { body: signal }), { status: 201 })
    t.match(await rebind(ruled, http), { status: 422, json: { error: { details: { field: 'template' } } } })
    const other = await world.addMonitor('Other')
    for (const template of ['tcp-check', 'website-check@1', 'nothing']) {
      t.match(await rebind(other, { template }), { status: 422, json: { error: { details: { field: 'template' } } } }, template)
    }
    t.match(await detail(other), { template: 'website-check@1' })
  },
)

t.test('key that a workspace published before it became one of the system means its own (v3 3.23)', async t => {
  const manifest = {
    ...{ key: 'ping-check', version: 2, name: 'Our pings' },
    signals: [{ key: 'ping', kind: 'heartbeat', every_seconds: 60 }],
    rules: [
      {
        ...{ key: 'down', action: 'Look.', wait: { confirm_after: 0, recover_after: 0 } },
        decision: { signal: 'ping', field: 'status', operator: 'eq', operand: 'problem' },
      },
    ],
  }
  await publish(world, readManifest(manifest, { systemKeys: new Set(), destinations: [] }), world.workspaceId)
  const get = (path: string) => world.editor.send('GET', v3 + path)
  t.match(await get('/templates/ping-check'), { json: { result: { id: 'ping-check@2', name: 'Our pings' } } })
  t.match(await get('/templates/ping-check@1'), { status: 404 })
  const ids = (await get('/templates')).json.result.map(({ id }: { id: string }) => id)
  t.notOk(ids.includes('ping-check@1'))
  t.ok(ids.includes('ping-check@2') && ids.includes('dns-check@1'))
  const made = await world.editor.send('POST', `${v3}/resources`, { body: { template: 'ping-check', name: 'Ours' } })
  t.match(made, { status: 201, json: { result: { template: 'ping-check@2', rules: [{ key: 'down' }] } } })
  const body = { ...manifest, version: 3 }
  t.match(await world.editor.send('POST', `${v3}/templates`, { body }), {
    status: 422,
    json: { error: { details: { field: 'key' } } },
  })
  const filtered = await get('/resources?template=ping-check')
  t.match(filtered.json.result, [{ name: 'Ours' }])
})

t.test(
  'messages of the rule that says up or down have the titles of websites, and name the failing Locations (v3 10.7)',
  async t => {
    const meta = { url: 'https://shop.example/', locations: ['aaaa'], confirm_after: 0 }
    const made = await world.editor.send('POST', `${v3}/resources`, { body: { ...http, name: 'Told', meta } })
    const { id } = made.json.result
    await world.report(id, 'aaaa', false)
    await world.clock.advance(1_000)
    const [alert] = await world.store.find('alerts', { where: { subjectId: id }, limit: 1 })
    t.match(alert?.facts, { saysDown: true, failing: ['aaaa'], unknown: [], ok: [], url: 'https://shop.example/' })
  },
)
