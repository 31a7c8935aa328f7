// Ping addresses and ping keys over generation 3: read, rotate, bring along, make, delete. Reference: docs/reference/v3.md, 17.5 and 17.6.
import t from 'tap'
import { startPings } from '../pings/ping-world.ts'

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}'
const id = 'F3A1C2D4-0000-4abc-8def-0123456789ab'
const token = 'A1b2C3d4E5f6G7h8I9j0'

t.test('scheduled signals of a Resource have a ping address each, and other signals have none (v3 17.5)', async t => {
  const world = await startPings(t)
  await world.resource('nightly')
  await world.resource('both', { template: 'jobs' })
  await world.resource('beat', { template: 'beat' })
  await world.addSubject({ id: 'website001', workspaceId: 'w1', slug: 'shop' })
  const [address, ...others] = await world.addresses('nightly')
  t.strictSame(others, [])
  t.match(address, { signal: 'run', url: new RegExp(`^${world.address}/ping/${uuid}$`), push_url: null })
  t.strictSame(await world.addresses('nightly'), [address], 'the same each time')
  t.match(await world.addresses('both'), [{ signal: 'day' }, { signal: 'night' }])
  t.strictSame(await world.addresses('beat'), [])
  t.strictSame(await world.addresses('shop'), [])
  t.equal((await world.call('GET', '/resources/none/ping-addresses')).status, 404)
})

t.test('rotation makes a new address of one signal, and the old one is unknown at once (v3 17.5)', async t => {
  const world = await startPings(t)
  await world.resource('both', { template: 'jobs' })
  const [day, night] = await world.addresses('both')
  const pathOf = (url = '') => new URL(url).pathname
  for (const one of [day, night]) t.equal((await world.ping(pathOf(one?.url))).status, 200)
  const rotated = await world.call('POST', '/resources/both/ping-addresses/day/rotate')
  t.equal(rotated.status, 200)
  t.match(rotated.json.result, { signal: 'day', push_url: null })
  t.not(rotated.json.result.url, day?.url)
  t.strictSame(await world.addresses('both'), [rotated.json.result, night])
  t.equal((await world.ping(pathOf(day?.url))).status, 404)
  for (const url of [rotated.json.result.url, night?.url]) t.equal((await world.ping(pathOf(url))).status, 200)
  for (const path of ['both/ping-addresses/none/rotate', 'none/ping-addresses/day/rotate'])
    t.equal((await world.call('POST', `/resources/${path}`)).status, 404, path)
  await world.resource('beat', { template: 'beat' })
  t.equal((await world.call('POST', '/resources/beat/ping-addresses/beat/rotate')).status, 404)
})

t.test('archived Resource has no ping address (v3 17.5)', async t => {
  const world = await startPings(t)
  await world.resource('nightly')
  const path = await world.pathOf('nightly')
  t.equal((await world.ping(path)).status, 200)
  t.equal((await world.call('POST', '/resources/nightly/archive')).status, 200)
  t.strictSame(await world.addresses('nightly'), [])
  t.equal((await world.call('POST', '/resources/nightly/ping-addresses/run/rotate')).status, 409)
})

t.test('Resource brings its ping address along (v3 17.5)', async t => {
  const world = await startPings(t, { pings: { host: null, bodyLimit: 10_000, kumaPush: true } })
  await world.resource('nightly', { ping_id: id, push_token: token })
  t.match(await world.addresses('nightly'), [
    { url: `${world.address}/ping/${id.toLowerCase()}`, push_url: `${world.address}/api/push/${token}` },
  ])
  for (const path of [`/ping/${id}`, `/ping/${id.toLowerCase()}/fail`, `/api/push/${token}`])
    t.equal((await world.ping(path)).status, 200, path)
  await world.resource('pushed', { push_token: 'x'.repeat(64) })
  t.match(await world.addresses('pushed'), [{ push_url: `${world.address}/api/push/${'x'.repeat(64)}` }])
})

t.test('ping address that is refused makes no Resource and reserves no key (v3 17.5)', async t => {
  const world = await startPings(t)
  await world.resource('nightly', { ping_id: id, push_token: token })
  const before = await world.dump()
  const cases: [title: string, body: object, status: number, field: string][] = [
    ['a taken UUID', { ping_id: id.toLowerCase() }, 409, 'ping_id'],
    ['a taken token', { push_token: token }, 409, 'push_token'],
    ['no UUID', { ping_id: 'x' }, 422, 'ping_id'],
    ['a short token', { push_token: 'x'.repeat(19) }, 422, 'push_token'],
    ['a token with a dash', { push_token: `${token}-` }, 422, 'push_token'],
    ['a Template with two scheduled signals', { template: 'jobs', ping_id: id }, 422, 'ping_id'],
    ['a Template without scheduled signal', { template: 'beat', push_token: token }, 422, 'push_token'],
    ['a UUID that is no text', { ping_id: 7 }, 400, 'ping_id'],
  ]
  for (const [title, body, status, field] of cases) {
    const { json } = await world.call('POST', '/resources', { body: { template: 'job', key: 'other', name: 'Other', ...body } })
    t.match(json, { result: null, error: { code: 1_000 + status, details: { field } } }, title)
    t.notMatch(JSON.stringify(json), new RegExp(`${id}|${token}`, 'i'), title)
    t.equal(await world.dump(), before, title)
  }
  const another = id.replace('F3', 'A3')
  const taken = await world.call('POST', '/resources', { body: { template: 'job', key: 'nightly', name: 'x', ping_id: another } })
  t.match(taken.json.error, { code: 1409, details: { field: 'key' } })
  t.equal(await world.dump(), before, 'a taken key leaves the address free')
  await world.resource('later', { ping_id: another })
})

t.test('ping key is shown in full, imported, and deleted (v3 17.6)', async t => {
  const world = await startPings(t)
  const made = await world.call('POST', '/ping-keys', { body: { description: ' Jobs ' } })
  t.equal(made.status, 201)
  t.match(made.json.result, { key: /^[A-Za-z0-9_-]{22}$/, description: 'Jobs' })
  t.strictSame(Object.keys(made.json.result), ['id', 'key', 'description', 'created_at'])
  world.clock.advance(1)
  const imported = await world.pingKey({ key: 'key_of-elsewhere-1' })
  t.strictSame((await world.call('GET', '/ping-keys')).json.result, [made.json.result, imported])
  const { id } = made.json.result
  t.strictSame((await world.call('DELETE', `/ping-keys/${id}`)).json.result, { id, deleted: true })
  t.equal((await world.call('DELETE', `/ping-keys/${id}`)).status, 404)
  t.strictSame((await world.call('GET', '/ping-keys')).json.result, [imported])
})

t.test('ping key that is refused is not stored (v3 17.6)', async t => {
  const world = await startPings(t)
  await world.pingKey({ key: 'key_of-elsewhere-1' })
  const cases: [title: string, body: object, status: number, field: string][] = [
    ['a taken key', { key: 'key_of-elsewhere-1' }, 409, 'key'],
    ['15 characters', { key: 'x'.repeat(15) }, 422, 'key'],
    ['65 characters', { key: 'x'.repeat(65) }, 422, 'key'],
    ['other characters', { key: `${'x'.repeat(16)}.` }, 422, 'key'],
    ['a UUID', { key: id }, 422, 'key'],
    ['a long description', { description: 'x'.repeat(201) }, 422, 'description'],
    ['a description of two lines', { description: 'a\nb' }, 422, 'description'],
    ['an unknown member', { name: 'x' }, 400, 'name'],
  ]
  for (const [title, body, status, field] of cases) {
    const { json } = await world.call('POST', '/ping-keys', { body })
    t.match(json, { result: null, error: { code: 1_000 + status, details: { field } } }, title)
    t.notMatch(JSON.stringify(json), 'elsewhere', title)
  }
  t.equal(await world.store.count('pingKeys', {}), 1)
  for (const length of [16, 64]) await world.pingKey({ key: 'x'.repeat(length) })
  for (let i = 3; i < 5; i++) await world.pingKey()
  const more = await world.call('POST', '/ping-keys', { body: {} })
  t.match(more.json.error, { code: 1422, details: { field: 'description' } })
  t.equal(await world.store.count('pingKeys', {}), 5)
})
