// GET /workspaces/{ws}/monitors of generation 3 over real HTTP, with the real keeper, directory and gateway in virtual time.
import { type IncomingHttpHeaders, request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import t from 'tap'
import type { MonitorPage, MonitorRow } from '#shared/contracts/session/session-monitors.ts'
import { type DashboardWorld, startDashboardWorld } from '../../support/worlds/dashboard-world.ts'
import { closeMs, confirmMs } from '../../support/worlds/whole-world.ts'

let world: DashboardWorld
t.before(async () => {
  world = await startDashboardWorld()
})
t.teardown(() => world.stop())

const path = () => `/api/v3/workspaces/${world.workspaceId}/monitors`
type Listed = Omit<MonitorPage, 'from'> & { next_cursor: string | null }
const list = async (query = '', browser = world.viewer): Promise<Listed> => {
  const { result, meta } = (await browser.send('GET', path() + query)).json
  return { ...meta, rows: result }
}
const rowOf = async (id: string): Promise<MonitorRow | undefined> => (await list('?limit=200')).rows.find(row => row.id === id)

t.test('list is empty when the workspace has no monitor', async t => {
  const counts = { down: 0, no_data: 0, pending: 0, recovering: 0, partly_known: 0, unknown: 0, up: 0, maintenance: 0 }
  t.match(await list(), { total: 0, counts, rows: [], next_cursor: null, at: new Date(world.clock.now()).toISOString() })
})

t.test('row of a monitor is updated from its creation to its recovery, and removed with the monitor', async t => {
  const id = await world.addMonitor('Shop')
  t.match(await rowOf(id), { key: 'shop', name: 'Shop', kind: 'website', template: 'website-check@1', host: 'shop.example' })
  t.match(await rowOf(id), { status: 'unknown', since: null, incident: null, incidents: 0, maintenance_until: null })
  t.match(await rowOf(id), { watched: 'GET https://shop.example/ every 1h from de', why: 'waiting for its first report' })
  await world.report(id, 'aaaa', true)
  const upAt = new Date(world.clock.now() - 1).toISOString().slice(0, 19)
  const up = await rowOf(id)
  t.match(up, { status: 'up', why: null, incident: null })
  t.equal(up?.since?.slice(0, 19), upAt)
  await world.clock.advance(1_000)
  await world.report(id, 'aaaa', false, { error: 'status 503, expected 200' })
  const pending = await rowOf(id)
  t.match(pending, {
    status: 'pending',
    incidents: 1,
    incident: { explanation: '1 of 1 location failing', cause: 'status 503, expected 200 (de)', acknowledged: null },
  })
  t.equal(pending?.incident?.next?.what, 'confirm')
  const began = Date.parse(pending?.since ?? '')
  t.equal(Date.parse(pending?.incident?.next?.at ?? '') - began, confirmMs)
  await world.clock.advance(confirmMs)
  const down = await rowOf(id)
  t.match(down, { status: 'down', incident: { next: { what: 'remind' } } })
  t.equal(Date.parse(down?.since ?? '') - began, confirmMs)
  await world.clock.advance(1_000)
  await world.report(id, 'aaaa', true)
  t.match(await rowOf(id), { status: 'recovering', incident: { next: { what: 'close' } } })
  await world.clock.advance(closeMs)
  t.match(await rowOf(id), { status: 'up', incident: null, incidents: 0 })
  await world.call('DELETE', `/api/v2/monitoring/websites/${id}`, { token: world.token })
  t.equal(await rowOf(id), undefined)
})

t.test('row shows a new name, maintenance and acknowledgement as soon as the request has its response', async t => {
  const id = await world.addMonitor('Name')
  await list()
  const body = {
    name: 'Another name',
    interval: 3_600,
    request: { url: 'https://other.example/', method: 'GET' },
    response: { statuses: [200] },
    locations: ['de'],
  }
  const updated = await world.call('POST', `/api/v2/monitoring/websites/${id}`, {
    token: world.token,
    body,
  })
  t.equal(updated.json.error, null, updated.text)
  t.match(await rowOf(id), { name: 'Another name', host: 'other.example', key: 'name' })
  const ends_at = new Date(world.clock.now() + 60_000).toISOString()
  await world.editor.send('POST', `/session/subjects/${id}/maintenance`, { body: { ends_at } })
  t.match(await rowOf(id), { maintenance_until: ends_at })
  t.match(await list('?status=maintenance'), { total: 1, counts: { maintenance: 1 }, rows: [{ id }] })
  await world.clock.advance(61_000)
  t.match(await rowOf(id), { maintenance_until: null })
  await world.report(id, 'aaaa', false)
  await world.clock.advance(confirmMs)
  const incident = (await rowOf(id))?.incident?.id
  const done = await world.call('POST', `/api/v3/workspaces/${world.workspaceId}/incidents/${incident}/acknowledge`, {
    token: world.token,
    body: {},
  })
  t.equal(done.json.error, null, done.text)
  t.match((await rowOf(id))?.incident?.acknowledged, { by: 'robot' })
})

t.test('rows are sorted by trouble, then name, and filtered by status, kind and text (v3 9.8)', async t => {
  const zebra = await world.addMonitor('Zebra')
  const apple = await world.addMonitor('apple')
  await world.report(apple, 'aaaa', true)
  await world.report(zebra, 'aaaa', false)
  await world.clock.advance(confirmMs)
  const all = await list('?limit=200')
  t.equal(all.rows[0]?.status, 'down')
  const ranks = ['down', 'no_data', 'pending', 'recovering', 'partly_known', 'unknown', 'up']
  const order = all.rows.map(({ status, name }) => `${ranks.indexOf(status)} ${name.toLowerCase()}`)
  t.strictSame(order, order.toSorted())
  t.strictSame(
    (await list('?status=trouble&search=ZEB')).rows.map(({ id }) => id),
    [zebra],
  )
  t.strictSame(
    (await list('?status=up&search=appl')).rows.map(({ id }) => id),
    [apple],
  )
  t.equal(
    (await list('?search=shop.example')).rows.some(({ id }) => id === zebra),
    true,
    'the host is searched',
  )
  t.equal((await list('?kind=website')).total, all.total)
  t.equal((await list('?kind=custom')).total, 0)
  const page = await list('?from=1&limit=1')
  t.match(page, { total: all.total, rows: [{ id: all.rows[1]?.id }] })
  t.equal(page.rows.length, 1)
  t.strictSame(page.counts, all.counts, 'counts are of the whole workspace')
  t.strictSame((await list(`?from=${all.total}`)).rows, [])
})

t.test('cursor leads through all rows once while nothing changes, and belongs to its filters (v3 9.8)', async t => {
  const { rows: all, next_cursor: last } = await list('?limit=200')
  t.equal(last, null)
  const found: string[] = []
  let cursor: string | null = null
  do {
    const page: Listed = await list(`?limit=2${cursor === null ? '' : `&cursor=${cursor}`}`)
    found.push(...page.rows.map(({ id }) => id))
    cursor = page.next_cursor
  } while (cursor !== null)
  t.strictSame(
    found,
    all.map(({ id }) => id),
  )
  const mine = (await list('?limit=1')).next_cursor
  t.equal((await world.viewer.send('GET', `${path()}?status=trouble&cursor=${mine}`)).status, 422)
})

t.test('Resource of a Template has one row, with the state of its worst rule', async t => {
  const rule = (key: string, signal: string) => ({
    key,
    action: 'Look.',
    wait: { confirm_after: 0, recover_after: 0 },
    decision: { signal, field: 'status', operator: 'eq', operand: 'problem' },
  })
  const signal = (key: string) => ({ key, kind: 'heartbeat', every_seconds: 600 })
  const manifest = {
    key: 'host',
    version: 1,
    name: 'Host',
    signals: [signal('beat'), signal('disk')],
    rules: [rule('dead', 'beat'), rule('full', 'disk')],
  }
  const v3 = `/api/v3/workspaces/${world.workspaceId}`
  const published = await world.call('POST', `${v3}/templates`, { token: world.token, body: manifest })
  t.equal(published.json.error, null, published.text)
  const made = await world.call('POST', `${v3}/resources`, {
    token: world.token,
    body: { key: 'db-1', name: 'Database', template: 'host@1' },
  })
  t.equal(made.json.error, null, made.text)
  const { id } = made.json.result
  t.match(await rowOf(id), { kind: 'template', template: 'host@1', host: null, status: 'unknown' })
  const report = (signal: string, status: string) =>
    world.call('POST', `${v3}/resources/${id}/observations`, { token: world.token, body: { signal, state: status } })
  t.equal((await report('beat', 'ok')).json.error, null)
  await report('disk', 'problem')
  await world.clock.advance(1_000)
  t.match(await rowOf(id), { status: 'down', incidents: 1, incident: { rule: 'full' } })
  t.strictSame(
    (await list('?kind=template')).rows.map(row => row.id),
    [id],
  )
})

t.test('one rule that cannot decide makes a row partly known, and generation 3 still says no_data of this rule', async t => {
  const rule = (key: string, signal: string) => ({
    ...{ key, action: 'Look.', wait: { confirm_after: 0, recover_after: 0 } },
    decision: { signal, field: 'status', operator: 'eq', operand: 'problem' },
  })
  const manifest = {
    ...{ key: 'partly', version: 1, name: 'Partly' },
    signals: [
      { key: 'beat', kind: 'heartbeat', every_seconds: 10 },
      { key: 'disk', kind: 'event' },
    ],
    rules: [rule('alive', 'beat'), rule('full', 'disk')],
  }
  const v3 = `/api/v3/workspaces/${world.workspaceId}`
  const send = async (path: string, body: object) => {
    const sent = await world.call('POST', v3 + path, { token: world.token, body })
    t.equal(sent.json.error, null, sent.text)
    return sent.json.result
  }
  await send('/templates', manifest)
  const { id } = await send('/resources', { key: 'half', name: 'Half', template: 'partly@1' })
  for (const signal of ['beat', 'disk']) await send(`/resources/${id}/observations`, { signal, state: 'ok' })
  t.match(await rowOf(id), { status: 'up', why: null, watched: null })
  await world.clock.advance(40_000)
  t.match(await rowOf(id), { status: 'partly_known', why: / since .*Z \(beat\)$/, incident: null })
  t.ok((await list('?status=trouble')).rows.some(one => one.id === id))
  t.strictSame(
    (await list('?status=partly_known')).rows.map(one => one.id),
    [id],
  )
  const { json } = await world.call('GET', `${v3}/resources/${id}`, { token: world.token })
  t.match(json.result.rules, [
    { key: 'alive', status: 'no_data' },
    { key: 'full', status: 'ok' },
  ])
})

t.test('list refuses unknown parameters and values out of bounds', async t => {
  for (const [query, name] of [
    ['?status=bad', 'status'],
    ['?kind=other', 'kind'],
    ['?limit=0', 'limit'],
    ['?limit=201', 'limit'],
    ['?limit=ten', 'limit'],
    ['?from=-1', 'from'],
    ['?from=1000001', 'from'],
    [`?search=${'x'.repeat(201)}`, 'search'],
    ['?search=a&search=b', 'search'],
    ['?cursor=bad', 'cursor'],
    ['?sort=name', 'sort'],
  ] as const) {
    const { status, json } = await world.viewer.send('GET', path() + query)
    t.match([status, json], [422, { error: { code: 1422, details: { field: name } } }], query)
  }
  for (const query of [
    '?limit=200',
    '?limit=1',
    '?from=1000000',
    `?search=${'x'.repeat(200)}`,
    '?search=%F0%9F%98%80',
    '?search=',
  ])
    t.equal((await world.viewer.send('GET', path() + query)).status, 200, query)
})

t.test('workspace of other people is unknown, and a request without a session or a key is refused', async t => {
  t.equal((await world.stranger.send('GET', path())).status, 404)
  t.equal((await world.viewer.send('GET', '/api/v3/workspaces/nowhere000/monitors')).status, 404)
  t.equal((await world.call('GET', path())).status, 401)
  const { text } = await world.viewer.send('GET', path())
  t.equal((await world.call('GET', path(), { token: world.token })).text, text, 'a key reads the same')
})

t.test('list shows stored monitors within a minute after news was lost or the bus disconnected', async t => {
  const id = await world.addMonitor('Lost')
  t.match(await rowOf(id), { name: 'Lost' })
  const [stored] = await world.store.get('subjects', [id])
  await world.store.upsert('subjects', [{ ...stored!, rev: stored!.rev + 1, name: 'Found' }])
  t.match(await rowOf(id), { name: 'Lost' }, 'nobody said it')
  await world.clock.advance(60_000)
  await rowOf(id)
  await world.clock.settle()
  t.match(await rowOf(id), { name: 'Found' })
})

t.test('read is compressed if the client accepts it, and a response with a token is not', async t => {
  for (let i = 0; i < 10; i++) await world.addMonitor(`Many ${i}`)
  const read = async (encodings: string | null, at = path()) => {
    const cookie = [...world.viewer.cookies()].map(([name, value]) => `${name}=${value}`).join('; ')
    return new Promise<{ headers: IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
      const headers = encodings === null ? { cookie } : { cookie, 'accept-encoding': encodings }
      const asking = request(new URL(at, world.address), { headers, agent: false }, response => {
        const chunks: Buffer[] = []
        response.on('data', chunk => chunks.push(chunk))
        response.on('end', () => resolve({ headers: response.headers, body: Buffer.concat(chunks) }))
      })
      asking.on('error', reject)
      asking.end()
    })
  }
  const plain = await read(null)
  t.match([plain.headers['content-encoding'], plain.headers.vary], [undefined, 'accept-encoding'])
  const rowsOf = (body: Buffer) => JSON.parse(body.toString()).rows
  const rows = rowsOf(plain.body)
  const small = await read('gzip, deflate, br, zstd')
  t.equal(small.headers['content-encoding'], 'br')
  t.equal(Number(small.headers['content-length']), small.body.length)
  t.ok(small.body.length < plain.body.length / 3, `${small.body.length} of ${plain.body.length}`)
  t.strictSame(rowsOf(brotliDecompressSync(small.body)), rows)
  const zipped = await read('br;q=0, GZIP;q=0.5')
  t.equal(zipped.headers['content-encoding'], 'gzip')
  t.strictSame(rowsOf(gunzipSync(zipped.body)), rows)
  for (const none of ['identity', 'br;q=0', 'br; q=0.000, gzip;q=0', '', 'brotli'])
    t.strictSame(rowsOf((await read(none)).body), rows, none)
  const short = await read('br', '/api/v3/workspaces')
  t.equal(short.headers['content-encoding'], undefined, 'one packet as it is')
  const made = await world.viewer.send('POST', '/session/keys', {
    body: { description: 'x' },
    headers: { 'accept-encoding': 'br' },
  })
  t.equal(made.headers['content-encoding'], undefined)
})
