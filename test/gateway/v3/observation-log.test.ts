// The Observation log over HTTP. Each title cites its rule of docs/reference/v3.md.
import t from 'tap'
import { createDirectoryClient } from '#shared/bus/clients/clients.ts'
import { limits, minute } from '#shared/limits/limits.ts'
import { checkObservationId } from '#shared/text/ids.ts'
import { hashToken, makeToken } from '#shared/tokens/api-token.ts'
import { observation } from '../../store/documents.ts'
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
  await ask('create-key', { ...key, scope: { workspaceId: 'w1', actions: [] } })
  await call('POST', '/workspaces/w1/templates', { body: host })
  await call('POST', resources, { body: { template: 'host', key: 'srv', name: 'Server' } })
  const meta = { url: 'https://shop.example/', locations: [berlin], interval_value: 5 }
  await call('POST', resources, { body: { template: 'website-check', key: 'shop', name: 'Shop', meta } })
})
t.teardown(() => world.stop())

const call = (method: string, path: string, options: CallOptions = {}) =>
  world.call(method, `/api/v3${path}`, { token: owner, ...options })

const resources = '/workspaces/w1/resources'
const host = {
  key: 'host',
  version: 1,
  name: 'Host',
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
const observe = (key: string, body: object) => call('POST', `${resources}/${key}/observations`, { body })
const log = (key: string, query = '', token = owner) => call('GET', `${resources}/${key}/observations${query}`, { token })
const at = (agoMs: number) => new Date(world.clock.now() - agoMs).toISOString()
// biome-ignore lint/suspicious/noExplicitAny: entries as HTTP returned them
const idsOf = (answer: { json: any }): string[] => answer.json.result.map((entry: { id: string }) => entry.id)

t.test('log has exactly the documented members, newest first, for signals of every kind (v3 7.8)', async t => {
  t.strictSame((await log('srv')).json, { result: [], error: null, meta: null })
  const sent = [
    { id: 'b', signal: 'load', state: 'no_data', value: 4, at: at(2_000), body: { pid: 7 } },
    { id: 'a', signal: 'probe', state: 'problem', value: 1.5, at: at(3_000), reason: 'see https://u:p@h.example/?token=x' },
    { id: 'c', signal: 'speed', kind: 'periodic', state: 'ok', at: at(1_000), labels: { env: 'prod', api_token: 'secret' } },
  ]
  for (const one of sent) t.equal((await observe('srv', one)).status, 202)
  const unset = { location: '', value: null, labels: {}, body: null, source: 'api', reason: null }
  const received = at(0)
  const members = { ...unset, received_at: received }
  const entries = [
    { ...members, id: 'c', signal: 'speed', state: 'ok', at: sent[2]?.at, labels: { env: 'prod', api_token: 'secret' } },
    { ...members, id: 'b', signal: 'load', state: 'no_data', at: sent[0]?.at, body: { pid: 7 } },
    {
      ...members,
      id: 'a',
      signal: 'probe',
      state: 'problem',
      value: 1.5,
      at: sent[1]?.at,
      reason: 'see https://h.example/?token=redacted',
    },
  ]
  const { status, json } = await log('srv')
  t.equal(status, 200)
  t.same(json, { result: entries, error: null, meta: null })
  t.strictSame(Object.keys(json.result[0]).sort(), Object.keys(entries[0] ?? {}).sort())
  t.strictSame(idsOf(await log('srv', '?signal=load')), ['b'])
  t.strictSame(idsOf(await log('srv', '?limit=2')), ['c', 'b'])
  t.strictSame(idsOf(await log('srv', '?signal=nothing')), [], 'a signal that it does not have has none')
})

t.test('credential labels are hidden from viewers and scoped keys (v3 7.8 and 11.2)', async t => {
  const labelsOf = async (token: string) => (await log('srv', '?signal=speed', token)).json.result[0].labels
  for (const token of [owner, editor]) t.strictSame(await labelsOf(token), { env: 'prod', api_token: 'secret' })
  for (const token of [viewer, scoped]) t.strictSame(await labelsOf(token), { env: 'prod', api_token: '[redacted]' })
})

t.test('body is for full keys of editors and owners (v3 7.8)', async t => {
  const bodyOf = async (token: string) => (await log('srv', '?signal=load', token)).json.result[0].body
  for (const token of [owner, editor]) t.strictSame(await bodyOf(token), { pid: 7 })
  for (const token of [viewer, scoped]) t.equal(await bodyOf(token), null)
})

t.test('optional field that is null counts as absent (v3 7.6)', async t => {
  await call('POST', resources, { body: { template: 'host', key: 'nulls', name: 'Nulls', labels: null, meta: null } })
  const unset = { kind: null, value: null, labels: null, reason: null, body: null, at: null, id: null }
  for (const more of [unset, { ...unset, at: at(1_000) }, { at: at(1_000) }])
    t.equal((await observe('nulls', { signal: 'load', state: 'ok', ...more })).status, 202)
  const { result } = (await log('nulls')).json
  t.equal(result.length, 2, 'the last one is what was sent before it')
  for (const entry of result) t.match(entry, { value: null, labels: {}, reason: null, body: null })
  const { id } = (await call('GET', `${resources}/nulls`)).json.result
  const rows = await world.store.find('pushedObservations', { where: { id: { gte: id, lt: `${id}~` } }, limit: 10 })
  t.strictSame(
    rows.map(({ body }) => body),
    [null, null],
    'not the text null',
  )
  t.equal((await call('PATCH', `${resources}/nulls`, { body: { name: null, labels: null, meta: null } })).status, 200)
})

t.test('log shows checks under the signal of their location, in order with pushed reports (v3 7.8)', async t => {
  const { id } = (await call('GET', `${resources}/shop`)).json.result
  const slot = (agoMs: number) => world.clock.now() - agoMs
  const error = 'status 503 at https://u:p@shop.example/'
  await world.store.insert('observations', [
    observation(checkObservationId(id, berlin, slot(4 * minute)), { ok: 0, delayMs: 250, totalMs: 250, statusCode: 503, error }),
    observation(checkObservationId(id, berlin, slot(2 * minute)), { delayMs: 90, totalMs: 90, statusCode: null }),
  ])
  const signal = `reachability@${berlin}`
  t.equal((await observe('shop', { id: 'p', signal, state: 'problem', at: at(3 * minute) })).status, 202)
  const { result } = (await log('shop', `?signal=${signal}`)).json
  const checked = { signal, location: berlin, body: null, source: 'worker' }
  t.match(result, [
    { ...checked, state: 'ok', value: 90, labels: {}, reason: null, at: at(2 * minute - 90) },
    { id: 'p', signal, location: berlin, state: 'problem', source: 'api', at: at(3 * minute) },
    {
      ...checked,
      state: 'problem',
      value: 250,
      labels: { status: '503' },
      reason: 'status 503 at https://shop.example/',
      at: at(4 * minute - 250),
      received_at: at(4 * minute - 250),
    },
  ])
  t.strictSame((await log('shop')).json.result, result, 'it has no other signal')
})

t.test('limit is 1 to 200, and an unknown parameter is refused by name (v3 7.8)', async t => {
  for (const [query, status, field] of [
    ['limit=1', 200, undefined],
    ['limit=200', 200, undefined],
    ['limit=0', 422, 'limit'],
    ['limit=201', 422, 'limit'],
    ['signal=', 422, 'signal'],
    [`signal=${'x'.repeat(200)}`, 200, undefined],
    [`signal=${'x'.repeat(201)}`, 422, 'signal'],
    ['cursor=x', 422, 'cursor'],
    ['source=api', 422, 'source'],
  ] as const) {
    const answer = await log('srv', `?${query}`)
    t.equal(answer.status, status, query)
    t.equal(answer.json.error?.details.field, field, query)
  }
  const many = Array.from({ length: 60 }, (_, i) => ({
    resource: 'srv',
    signal: 'load',
    state: 'ok',
    id: `m${i}`,
    at: at(i + 10),
  }))
  await call('POST', '/workspaces/w1/observations', { body: { observations: many } })
  t.equal(idsOf(await log('srv')).length, limits.v3.page, '50 unless sent')
  t.equal(idsOf(await log('srv', '?limit=200')).length, 63)
})

t.test('read of the log is audited within its workspace (v3 11.3)', async t => {
  const { id } = (await call('GET', `${resources}/srv`)).json.result
  t.equal((await call('GET', `/workspaces/w2/resources/${id}/observations`)).status, 404)
  t.equal((await log('srv', '?limit=1', scoped)).status, 200)
  const { ask } = createDirectoryClient(world.hub.connect(), world.clock)
  const path = `/api/v3${resources}/srv/observations`
  const wanted = { workspaceId: 'w1', personId: 'user-edda', path: null, since: null, until: null, limit: 200, after: null }
  for (let tries = 0; tries < 1_000; tries++) {
    world.clock.advance(limits.audit.flushMs)
    const { items } = await ask('list-audit', wanted)
    const read = items.find(row => row.method === 'GET' && row.key?.id === 'scoped' && row.path === path)
    if (read !== undefined) return t.match(read, { status: 200 })
    await new Promise(setImmediate)
  }
  t.fail('the read is not in the audit')
})

t.test('address in the error of a report of generation 2 is redacted (v3 11.2)', async t => {
  const v2 = async (path: string, body: object) => {
    const { json } = await world.call('POST', `/api/v2${path}`, { token: editor, body })
    t.equal(json.error, null, path)
    return json.result
  }
  const subject = await v2('/subjects', { workspace_id: 'w1', name: 'Queue' })
  await v2(`/subjects/${subject.id}/signals`, { name: 'Depth', kind: 'event' })
  const error = 'POST https://ann:hidden@queue.example/push?api_key=hidden&n=1 refused'
  const labels = { host: 'a', api_token: 'hidden' }
  const reported = await v2(`/subjects/${subject.id}/signals/depth/observations`, { status: 'problem', error, labels })
  t.match(reported, { error, labels }, 'its sender reads what was sent')
  const shown = 'POST https://queue.example/push?api_key=redacted&n=1 refused'
  for (const token of [owner, editor]) t.match((await log(subject.id, '', token)).json.result, [{ reason: shown, labels }])
  for (const token of [viewer, scoped]) {
    const { text, json } = await log(subject.id, '', token)
    t.match(json.result, [{ reason: shown, labels: { host: 'a', api_token: '[redacted]' } }])
    t.notMatch(text, 'hidden')
  }
})
