// Bodies of generation 3 at the limits of JSON: null for an optional member, numbers beyond a double, keys that every JavaScript object
// inherits. Each title cites its rule of docs/reference/v3.md.
import t from 'tap'
import { type ApiWorld, startApiWorld } from '../../support/worlds/api-world.ts'

let world: ApiWorld
let owner: string
t.before(async () => {
  world = await startApiWorld({ audit: false })
  owner = (await world.addPerson('olga', { w1: 'owner' })).token
  const { status } = await send('POST', '/templates', host)
  t.equal(status, 201)
})
t.teardown(() => world.stop())

const host = {
  key: 'host',
  version: 1,
  name: 'Host',
  fields: [
    { key: 'constructor', type: 'string' },
    { key: 'limit', type: 'number', default: 4 },
  ],
  signals: [
    { key: 'constructor', kind: 'event' },
    { key: 'probe', kind: 'event' },
  ],
  rules: [
    {
      key: 'constructor',
      action: 'Look.',
      wait: { confirm_after: 0, recover_after: 0 },
      decision: { signal: 'constructor', field: 'status', operator: 'eq', operand: 'problem' },
    },
  ],
}

/** Sends a string body unchanged and an object as JSON. */
async function send(method: string, path: string, body: object | string, prefix = '/workspaces/w1') {
  const sent = typeof body === 'string' ? { raw: body } : { body }
  const { status, json } = await world.call(method, `/api/v3${prefix}${path}`, { token: owner, ...sent })
  return { status, result: json.result, error: json.error }
}

const create = async (key: string) => {
  const { status } = await send('POST', '/resources', { template: 'host', key, name: key })
  t.equal(status, 201)
}

t.test('fields, signals and rules may be named `constructor` (v3 3.1)', async t => {
  await create('constructor')
  const read = async () => (await send('PATCH', '/resources/constructor', {})).result
  const { meta, rules } = await read()
  t.strictSame([meta, rules[0].status], [{ limit: 4 }, null], 'nothing is answered and nothing was reported')
  const { status, result } = await send('POST', '/resources/constructor/observations', {
    signal: 'constructor',
    state: 'problem',
  })
  t.strictSame([status, result.created_signal], [202, false])
  t.match(await read(), { rules: [{ key: 'constructor', status: 'problem', explanation: 'constructor problem' }] })
  await send('PATCH', '/resources/constructor', { meta: { constructor: 'x' } })
  t.strictSame((await read()).meta, { constructor: 'x', limit: 4 })
})

t.test('optional member that is null counts as absent (v3 1.4)', async t => {
  await create('nulls')
  const labelled = await send('PATCH', '/resources/nulls', { labels: { env: 'x' } })
  t.equal(labelled.status, 200)
  const changed = await send('PATCH', '/resources/nulls', { name: null, meta: null, labels: null })
  t.match(changed, { status: 200, result: { name: 'nulls', labels: { env: 'x' } } })
  const bare = { kind: null, value: null, labels: null, reason: null, body: null, at: null, id: null }
  const taken = await send('POST', '/resources/nulls/observations', { signal: 'probe', state: 'ok', ...bare })
  t.equal(taken.status, 202)
  const batch = await send('POST', '/observations', {
    observations: [{ resource: 'nulls', signal: 'probe', state: 'ok', ...bare }],
  })
  t.match(batch, { status: 200, result: { accepted: 1 } })
  const made = { template: 'host', key: null, name: 'Null', meta: null, labels: null }
  t.equal((await send('POST', '/resources', made)).status, 201)
})

t.test('number too large for a double gets 422 with the name of its field, and nothing is stored (v3 1.4)', async t => {
  await create('numbers')
  const before = await world.dump()
  const cases: [method: string, path: string, body: string, field: string][] = [
    ['POST', '/resources/numbers/observations', '{"signal":"probe","state":"ok","value":1e400}', 'value'],
    ['POST', '/resources/numbers/observations', '{"signal":"probe","state":"ok","value":-1e400}', 'value'],
    ['POST', '/resources/numbers/observations', '{"signal":"probe","state":"ok","body":{"a":[1e400]}}', 'body'],
    ['PATCH', '/resources/numbers', '{"meta":{"limit":1e400}}', 'limit'],
    ['PATCH', '/resources/numbers', '{"labels":{"a":1e400}}', 'labels'],
    ['PUT', '/resources/numbers/maintenance', '{"minutes":1e400}', 'minutes'],
    ['POST', '/resources', '{"template":"host","name":"n","meta":{"limit":1e400}}', 'limit'],
    ['POST', '/templates', JSON.stringify({ ...host, version: 2 }).replace('"default":4', '"default":1e400'), 'fields.1.default'],
    ['POST', '/templates', JSON.stringify({ ...host, version: 2 }).replace('"default":4', '"min":1e400'), 'fields.1.min'],
    [
      'POST',
      '/templates/preview',
      JSON.stringify({ manifest: host }).replace('"default":4', '"default":1e400'),
      'fields.1.default',
    ],
  ]
  for (const [method, path, body, field] of cases) {
    const { status, error } = await send(method, path, body)
    t.strictSame([status, error?.details], [422, { field }], `${method} ${path} ${field}`)
  }
  const batch = '{"observations":[{"resource":"numbers","signal":"probe","state":"ok","value":1e400}]}'
  t.match((await send('POST', '/observations', batch)).result, {
    rejected: 1,
    results: [{ error: { details: { field: 'value' } } }],
  })
  t.equal(await world.dump(), before)
  const largest = '{"signal":"probe","state":"ok","value":1.7976931348623157e308}'
  t.equal((await send('POST', '/resources/numbers/observations', largest)).status, 202)
})

t.test('refusal of an unknown key names the key, also when the key is empty (v3 1.5)', async t => {
  for (const key of ['', ' ', '__proto__', 'constructor', 'a.b']) {
    const { status, error } = await send('POST', '/templates', `{"key":"host","version":3,${JSON.stringify(key)}:1}`)
    t.strictSame([status, error.details], [400, { field: key }])
  }
  t.strictSame((await send('POST', '/templates', '[]')).error.details, {}, 'but for what is no object')
})

t.test('name with hidden characters gets 422 with the field `name` (v3 1.5)', async t => {
  for (const name of ['a\u202eb', '\u200b']) {
    const { status, error } = await send('POST', '/workspaces', { name }, '')
    t.strictSame([status, error.details], [422, { field: 'name' }])
  }
})

t.test('faulty Observation on an archived Resource is refused for its fault on every route (v3 1.3)', async t => {
  await create('archived')
  t.equal((await send('POST', '/resources/archived/archive', {})).status, 200)
  const faults: [sent: object, field: string][] = [
    [{ at: '2026-01-01T00:00:00' }, 'at'],
    [{ labels: { location: 'x' } }, 'labels'],
    [{ body: { a: 'x'.repeat(17_000) } }, 'body'],
    [{}, 'resource'],
  ]
  for (const [more, field] of faults) {
    const sent = { signal: 'probe', state: 'ok', ...more }
    const single = await send('POST', '/resources/archived/observations', sent)
    t.strictSame([single.status, single.error.details], [422, { field }])
    const { result } = await send('POST', '/observations', { observations: [{ resource: 'archived', ...sent }] })
    t.strictSame(result.results[0].error, single.error, 'the batch refuses in the same words')
  }
})

t.test('item of a batch reports the first of two faults, as the single route does (v3 7.9)', async t => {
  const { result } = await send('POST', '/observations', { observations: [{ unknown: 1 }, { resource: 7 }, {}] })
  const told = result.results.map(({ error }: { error: { code: number; details: object } }) => [error.code, error.details])
  t.strictSame(told, [
    [1400, { field: 'unknown' }],
    [1400, { field: 'resource' }],
    [1422, { field: 'resource' }],
  ])
})
