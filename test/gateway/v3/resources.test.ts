// Resources and Observations of generation 3 over HTTP. Each title cites its rule of docs/reference/v3.md.
import t from 'tap'
import { createDirectoryClient } from '#shared/bus/clients/clients.ts'
import { hashToken, makeToken } from '#shared/tokens/api-token.ts'
import { type ApiWorld, type CallOptions, startApiWorld } from '../../support/worlds/api-world.ts'

let world: ApiWorld
let owner: string
let editor: string
let viewer: string
let scoped: string
let berlin: string
t.before(async () => {
  world = await startApiWorld()
  owner = (await world.addPerson('olga', { w1: 'owner', w2: 'owner' })).token
  editor = (await world.addPerson('edda', { w1: 'editor' })).token
  viewer = (await world.addPerson('vera', { w1: 'viewer' })).token
  const { ask } = createDirectoryClient(world.hub.connect(), world.clock)
  berlin = (await ask('ensure-location', { name: 'berlin' })).id
  scoped = makeToken()
  const key = { id: 'scoped', description: '', tokenHash: hashToken(scoped), prefix: 'wk_', userId: 'user-edda' }
  await ask('create-key', { ...key, scope: { workspaceId: 'w1', actions: ['resources', 'observe'] } })
  const { status } = await call('POST', '/workspaces/w1/templates', { body: host })
  t.equal(status, 201)
})
t.teardown(() => world.stop())

const call = (method: string, path: string, options: CallOptions = {}) =>
  world.call(method, `/api/v3${path}`, { token: owner, ...options })

const resources = '/workspaces/w1/resources'
const host = {
  key: 'host',
  version: 1,
  name: 'Host',
  fields: [
    { key: 'load_max', type: 'number', default: 4 },
    { key: 'team', type: 'string' },
  ],
  signals: [
    { key: 'probe', kind: 'heartbeat', every_seconds: 60 },
    { key: 'load', kind: 'event' },
  ],
  rules: [
    {
      key: 'down',
      action: 'Restart the host.',
      wait: { confirm_after: 0, recover_after: 0 },
      decision: { signal: 'probe', field: 'status', operator: 'eq', operand: 'problem' },
    },
  ],
}

async function create(body: object = {}, options: CallOptions = {}) {
  const { status, json } = await call('POST', resources, { body: { template: 'host', name: 'Server 1', ...body }, ...options })
  return { status, ...json }
}

const observe = (key: string, body: object, options: CallOptions = {}) =>
  call('POST', `${resources}/${key}/observations`, { body, ...options })

t.test('Resource has exactly the documented members (v3 6.6)', async t => {
  const { status, result } = await create({ key: 'srv-1', meta: { team: 'core' }, labels: { env: 'prod' } })
  t.equal(status, 201)
  const members = {
    id: result.id,
    key: 'srv-1',
    name: 'Server 1',
    template: 'host@1',
    meta: { load_max: 4, team: 'core' },
    labels: { env: 'prod' },
    created_at: result.created_at,
    archived_at: null,
    open_incident: null,
  }
  t.strictSame(result, {
    ...members,
    signals: [
      { id: 's1', key: 'probe', kind: 'heartbeat', states: ['ok', 'problem', 'no_data'] },
      { id: 's2', key: 'load', kind: 'event', states: ['ok', 'problem', 'no_data'] },
    ],
    rules: [
      {
        key: 'down',
        signals: ['probe'],
        status: null,
        explanation: null,
        since: null,
        open_incident: null,
        action: 'Restart the host.',
        destination: null,
        routes: null,
      },
    ],
    maintenance: null,
  })
  for (const name of ['srv-1', result.id]) t.strictSame((await call('GET', `${resources}/${name}`)).json.result, result, name)
  const { json } = await call('GET', resources)
  t.strictSame(
    json.result.find((item: { id: string }) => item.id === result.id),
    members,
  )
})

t.test('creation of a Resource is one command to its keeper', async t => {
  const before = world.keeper.commands.length
  const { result } = await create({ name: 'Once' })
  t.strictSame(
    world.keeper.commands.slice(before).map(({ subjectId, command }) => [subjectId, command.kind]),
    [[result.id, 'create-resource']],
  )
})

t.test('key is the sent key, else a slug of the name, and is unique (v3 6.1)', async t => {
  t.match(await create({ key: 'Rack:1.a_b@c' }), { status: 201, result: { key: 'Rack:1.a_b@c' } })
  t.match(await create({ name: 'Größe 7!' }), { status: 201, result: { key: 'gr-e-7' } })
  t.match(await create({ name: 'Größe 7!' }), { status: 201, result: { key: 'gr-e-7-2' } })
  const without = await create({ name: '東京' })
  t.equal(without.result.key, without.result.id)
  t.match(await create({ key: 'Rack:1.a_b@c' }), { status: 409, error: { code: 1409, details: { field: 'key' } } })
  t.match(await create({ key: without.result.id }), { status: 409, error: { details: { field: 'key' } } })
  t.match(await create({ key: 'rack:1.a_b@c' }), { status: 201 }, 'case counts')
})

t.test('faulty Resource is refused with the name of the faulty field, and not stored (v3 1.4 and 6.2)', async t => {
  const label = (value: unknown) => ({ labels: { env: value } })
  const labels = (count: number) => ({ labels: Object.fromEntries(Array.from({ length: count }, (_, i) => [`l${i}`, 'x'])) })
  const cases: [title: string, body: object, status: number, field: string | undefined][] = [
    ['without a Template', { template: undefined }, 422, 'template'],
    ['of no Template', { template: 'nothing' }, 422, 'template'],
    ['of no revision', { template: 'host@2' }, 422, 'template'],
    ['without a name', { name: undefined }, 422, 'name'],
    ['with a blank name', { name: '  ' }, 422, 'name'],
    ['with a name of 100 characters', { name: 'x'.repeat(100) }, 201, undefined],
    ['with a name of 101 characters', { name: 'x'.repeat(101) }, 422, 'name'],
    ['with a key of 128 characters', { key: 'k'.repeat(128) }, 201, undefined],
    ['with a key of 129 characters', { key: 'k'.repeat(129) }, 422, 'key'],
    ['with a key that begins with a dot', { key: '.a' }, 422, 'key'],
    ['with an unknown member', { host: 'x' }, 400, 'host'],
    ['with a text for meta', { meta: 'x' }, 400, 'meta'],
    ['with an unknown answer', { meta: { speed: 1 } }, 422, 'speed'],
    ['with a wrong answer', { meta: { load_max: 'high' } }, 422, 'load_max'],
    ['with a text for labels', { labels: 'x' }, 400, 'labels'],
    ['with a label of 128 characters', label('x'.repeat(128)), 201, undefined],
    ['with a label of 129 characters', label('x'.repeat(129)), 422, 'labels'],
    ['with an empty label', label(''), 422, 'labels'],
    ['with a label within white space', label(' x'), 422, 'labels'],
    ['with null for a label', label(null), 422, 'labels'],
    ['with 16 labels', labels(16), 201, undefined],
    ['with 17 labels', labels(17), 422, 'labels'],
  ]
  for (const [title, body, status, field] of cases) {
    const stored = async () => [await world.store.count('subjects', { workspaceId: 'w1' }), await world.store.count('names', {})]
    const [subjects = 0, names = 0] = await stored()
    const answer = await create(body)
    t.equal(answer.status, status, `${title}: ${JSON.stringify(answer.error)}`)
    t.equal(answer.error?.details.field, field, title)
    const made = status === 201 ? 1 : 0
    t.strictSame(await stored(), [subjects + made, names + made], title)
  }
})

t.test('creation, change and report of a Resource require the documented roles and actions (v3 2.1 and 2.8)', async t => {
  await create({ key: 'rights' })
  const change = { body: { name: 'Changed' } }
  const report = { signal: 'probe', state: 'ok' }
  t.equal((await create({}, { token: editor })).status, 201)
  t.equal((await create({}, { token: scoped })).status, 201)
  t.match(await create({}, { token: viewer }), { status: 403, error: { details: { role: 'editor' } } })
  t.equal((await call('PATCH', `${resources}/rights`, { ...change, token: editor })).status, 200)
  t.match(await call('PATCH', `${resources}/rights`, { ...change, token: scoped }), {
    status: 403,
    json: { error: { details: { scope: 'full' } } },
  })
  t.equal((await observe('rights', report, { token: scoped })).status, 202)
  t.match(await observe('rights', report, { token: viewer }), { status: 403, json: { error: { details: { role: 'editor' } } } })
  t.equal((await call('GET', `${resources}/rights`, { token: viewer })).status, 200)
  t.equal((await call('GET', `/workspaces/w2/resources/rights`)).status, 404)
  t.equal((await call('GET', `${resources}/nothing`, { token: scoped })).status, 404)
})

t.test('change merges `meta` and labels, and null removes an entry (v3 6.3)', async t => {
  await create({ key: 'changed', meta: { team: 'core' }, labels: { env: 'prod', zone: 'a' } })
  const patch = async (body: object) => (await call('PATCH', `${resources}/changed`, { body })).json
  t.match((await patch({ meta: { load_max: 2 }, labels: { zone: 'b' } })).result, {
    meta: { load_max: 2, team: 'core' },
    labels: { env: 'prod', zone: 'b' },
  })
  const { result } = await patch({ meta: { load_max: null, team: null }, labels: { env: null } })
  t.strictSame([result.meta, result.labels], [{ load_max: 4 }, { zone: 'b' }])
  t.match((await patch({})).result, { name: 'Server 1' }, 'nothing sent changes nothing')
  t.match((await patch({ name: 'New' })).result, { name: 'New', key: 'changed' })
  t.match((await patch({ template: 'host@2' })).error, { code: 1400, details: { field: 'template' } })
})

t.test('response to an Observation has its ids, and the Observation is judged (v3 7.1)', async t => {
  const { result: made } = await create({ key: 'observed' })
  const { status, json } = await observe('observed', { signal: 'probe', state: 'problem', reason: 'no answer' })
  t.equal(status, 202)
  t.strictSame(json.result, {
    resource: made.id,
    signal: 's1',
    observation: json.result.observation,
    created_signal: false,
  })
  const { json: detail } = await call('GET', `${resources}/observed`)
  t.match(detail.result.rules, [{ key: 'down', status: 'problem', explanation: 'probe problem' }])
  t.match(detail.result.open_incident, { standing: 'problem', explanation: 'probe problem' })
  t.equal(detail.result.rules[0].open_incident, detail.result.open_incident.id)
})

t.test('faulty Observation is refused with the name of the faulty field (v3 7.3 to 7.7)', async t => {
  await create({ key: 'refusing' })
  const now = world.clock.now()
  const at = (ms: number) => new Date(now + ms).toISOString()
  const labels = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`l${i}`, 'x']))
  const cases: [title: string, body: object, status: number, field: string | undefined][] = [
    ['an unknown signal', { signal: 'speed' }, 422, 'signal'],
    ['the kind of the signal', { kind: 'heartbeat' }, 202, undefined],
    ['another kind', { kind: 'event' }, 422, 'kind'],
    ['a word that is no kind', { kind: 'pulse' }, 422, 'kind'],
    ['no signal', { signal: undefined }, 422, 'signal'],
    ['no state', { state: undefined }, 422, 'state'],
    ['a word that is no state', { state: 'up' }, 422, 'state'],
    ['a text for a value', { value: '12' }, 400, 'value'],
    ['an unknown member', { status: 'ok' }, 400, 'status'],
    ['no zone', { at: '2026-01-01T00:00:00' }, 422, 'at'],
    ['an instant 50 s ahead', { at: at(50_000) }, 202, undefined],
    ['an instant 70 s ahead', { at: at(70_000) }, 422, 'at'],
    ['an instant 31 days ago', { at: at(-31 * 86_400_000) }, 422, 'at'],
    ['an id of 128 characters', { id: 'x'.repeat(128) }, 202, undefined],
    ['an id of 129 characters', { id: 'x'.repeat(129) }, 422, 'id'],
    ['an id with a line break', { id: 'job\n1' }, 422, 'id'],
    ['an id with a zero byte', { id: 'job\u0000' }, 422, 'id'],
    ['the label location', { labels: { location: 'x' } }, 422, 'labels'],
    ['a number as a label', { labels: { core: 1 } }, 422, 'labels'],
    ['64 labels', { labels: labels(64) }, 202, undefined],
    ['65 labels', { labels: labels(65) }, 422, 'labels'],
    ['a body of 16 KiB', { body: { x: 'y'.repeat(16_384 - 8) } }, 202, undefined],
    ['a body beyond 16 KiB', { body: { x: 'y'.repeat(16_384 - 7) } }, 422, 'body'],
  ]
  for (const [title, body, status, field] of cases) {
    const answer = await observe('refusing', { signal: 'probe', state: 'ok', ...body })
    t.equal(answer.status, status, `${title}: ${JSON.stringify(answer.json.error)}`)
    t.equal(answer.json.error?.details.field, field, title)
  }
})

t.test('batch refuses each faulty item separately with the message of the single route (v3 7.9)', async t => {
  const { result: one } = await create({ key: 'batch-1' })
  const { result: two } = await create({ key: 'batch-2' })
  const batch = (observations: unknown) => call('POST', '/workspaces/w1/observations', { body: { observations } })
  const ok = { signal: 'probe', state: 'ok' }
  const { status, json } = await batch([
    { resource: 'batch-1', ...ok },
    { resource: two.id, ...ok },
    { resource: 'nobody', ...ok },
    { ...ok },
    { resource: 'batch-1', signal: 'probe' },
    { resource: 'batch-1', signal: 'speed', state: 'ok' },
    'text',
  ])
  t.equal(status, 200)
  t.match(json.result, {
    accepted: 2,
    rejected: 5,
    results: [
      { index: 0, status: 'accepted', resource: one.id, signal: 's1', created_signal: false },
      { index: 1, status: 'accepted', resource: two.id },
      { index: 2, status: 'rejected', error: { code: 1404 } },
      { index: 3, status: 'rejected', error: { code: 1422, details: { field: 'resource' } } },
      { index: 4, status: 'rejected', error: { code: 1422, details: { field: 'state' } } },
      { index: 5, status: 'rejected', error: { code: 1422, details: { field: 'signal' } } },
      { index: 6, status: 'rejected', error: { code: 1400 } },
    ],
  })
  for (const [count, expected] of [
    [0, 422],
    [500, 200],
    [501, 422],
  ] as const) {
    const answer = await batch(Array.from({ length: count }, () => ({ resource: 'nobody', ...ok })))
    t.equal(answer.status, expected, `${count} items`)
    if (expected === 422) t.equal(answer.json.error.details.field, 'observations')
  }
})

t.test('list continues at its cursor, ordered by id, and has each Resource once (v3 9.1 and 9.2)', async t => {
  const all: string[] = []
  let cursor = ''
  do {
    const { json } = await call('GET', `${resources}?limit=7${cursor}`)
    all.push(...json.result.map((item: { id: string }) => item.id))
    cursor = json.meta.next_cursor === null ? '' : `&cursor=${encodeURIComponent(json.meta.next_cursor)}`
  } while (cursor !== '')
  t.strictSame(all, [...new Set(all)].sort())
  t.ok(all.length > 14)
  t.match((await call('GET', `${resources}?template=host@1&limit=200`)).json.result.length, all.length)
  t.strictSame((await call('GET', `${resources}?template=nothing`)).json.result, [])
  t.strictSame((await call('GET', `${resources}?state=archived`)).json.result, [])
  for (const [query, field] of [
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['state=gone', 'state'],
    ['cursor=x', 'cursor'],
    ['sort=name', 'sort'],
  ]) {
    t.match(await call('GET', `${resources}?${query}`), { status: 422, json: { error: { details: { field } } } }, `${query}`)
  }
})

t.test('website monitor is created and read as a Resource, and a refusal names its faulty field (v3 3.10)', async t => {
  const website = (meta: object, key?: string) =>
    create({
      template: 'website-check',
      name: 'Shop',
      key,
      meta: { url: 'https://user:pw@shop.example/?token=abc', locations: [berlin], interval_value: 5, data: 'secret', ...meta },
    })
  const { status, result } = await website({}, 'shop')
  t.equal(status, 201)
  t.match(result, {
    template: 'website-check@1',
    meta: {
      url: 'https://user:pw@shop.example/?token=abc',
      method: 'GET',
      data: 'secret',
      statuses: [200],
      locations: [berlin],
      interval_value: 5,
      interval_unit: 'MINUTE',
      failure_mode: 'at_least_one',
      confirm_after: 120,
      recover_after: 120,
    },
    signals: [{ key: `reachability@${berlin}`, kind: 'heartbeat', states: ['ok', 'problem'] }],
  })
  for (const token of [viewer, scoped]) {
    const { json } = await call('GET', `${resources}/shop`, { token })
    t.match(json.result.meta, { url: 'https://shop.example/?token=redacted', data: '[redacted]' }, 'v3 11.2')
  }
  const refused: [object, string][] = [
    [{ url: 'ftp://shop.example/' }, 'url'],
    [{ locations: [] }, 'locations'],
    [{ locations: ['zzzz'] }, 'locations'],
    [{ interval_value: 0 }, 'interval_value'],
    [{ interval_value: 25, interval_unit: 'HOUR' }, 'interval_value'],
    [{ interval_unit: 'SECOND' }, 'interval_unit'],
    [{ statuses: [99] }, 'statuses'],
    [{ method: 'TRACE' }, 'method'],
    [{ confirm_after: 31_536_001 }, 'confirm_after'],
    [{ speed: 1 }, 'speed'],
  ]
  for (const [meta, field] of refused) {
    t.match(await website(meta), { status: 422, error: { details: { field } } }, JSON.stringify(meta))
  }
})

t.test('Observation with a kind declares a signal that the detail shows and generation 2 hides (v3 7.3)', async t => {
  await create({ key: 'declaring' })
  const custom = await world.call('POST', '/api/v2/subjects', { token: owner, body: { name: 'Declaring 2', workspace_id: 'w1' } })
  t.equal(custom.json.error, null, JSON.stringify(custom.json))
  for (const key of ['declaring', 'declaring-2']) {
    const sent = { signal: 'speed', state: 'problem', kind: 'periodic', value: 5 }
    const { status, json } = await observe(key, sent)
    t.equal(status, 202, key)
    t.match(json.result, { created_signal: true }, key)
    t.match((await observe(key, { ...sent, at: '2020-01-01T00:00:00Z' })).json.error.details, { field: 'at' })
    t.match((await observe(key, { ...sent, kind: 'event' })).json.error.details, { field: 'kind' })
    t.match((await observe(key, { signal: 'speed', state: 'ok' })).json.result, { created_signal: false }, key)
    const detail = (await call('GET', `${resources}/${key}`)).json.result
    const { id, ...shown } = detail.signals.at(-1)
    t.strictSame(shown, { key: 'speed', kind: 'periodic', states: ['ok', 'problem', 'no_data'] }, key)
    t.equal(id, json.result.signal)
    for (let i = 2; i <= 16; i++) t.equal((await observe(key, { ...sent, signal: `extra-${i}` })).status, 202, `the ${i}th`)
    t.match(await observe(key, { ...sent, signal: 'extra-17' }), {
      status: 422,
      json: { error: { details: { field: 'signal' } } },
    })
  }
  const shown2 = async (path: string) => (await world.call('GET', `/api/v2/subjects/declaring-2${path}`, { token: owner })).json
  t.match(await shown2(''), { result: { signal_count: 0 } })
  t.strictSame((await shown2('/signals')).result, [])
})

t.test('website accepts Observations on signals of its locations, and refuses the state no_data (v3 7.4 and 7.5)', async t => {
  const meta = { url: 'https://pushed.example/', locations: [berlin], interval_value: 5 }
  await create({ template: 'website-check', name: 'Pushed', key: 'pushed', meta })
  const signal = `reachability@${berlin}`
  const { status, json } = await observe('pushed', { signal, state: 'problem', reason: 'no answer' })
  t.equal(status, 202, JSON.stringify(json))
  t.match(json.result, { signal, created_signal: false })
  const refused: [object, string][] = [
    [{ state: 'no_data' }, 'state'],
    [{ kind: 'event' }, 'kind'],
    [{ signal: 'reachability@zzzz' }, 'signal'],
    [{ signal: 'reachability@zzzz', kind: 'heartbeat' }, 'signal'],
  ]
  for (const [body, field] of refused) {
    const answer = await observe('pushed', { signal, state: 'ok', ...body })
    t.match(answer, { status: 422, json: { error: { details: { field } } } }, JSON.stringify(body))
  }
  t.equal((await observe('pushed', { signal, state: 'ok' }, { token: viewer })).status, 403)
})
