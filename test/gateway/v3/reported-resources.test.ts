// Second and later reports on a Resource: the gateway has a copy of the Resource, and responds as it would after a request to the
// directory.
import t from 'tap'
import { createKeeperClient } from '#shared/bus/clients/clients.ts'
import { subjects as bus } from '#shared/bus/subjects.ts'
import { type ApiWorld, type CallOptions, startApiWorld } from '../../support/worlds/api-world.ts'

let world: ApiWorld
let owner: string
let viewer: string
let stranger: string
t.before(async () => {
  world = await startApiWorld()
  owner = (await world.addPerson('olga', { w1: 'owner' })).token
  viewer = (await world.addPerson('vera', { w1: 'viewer' })).token
  stranger = (await world.addPerson('sven', { w2: 'owner' })).token
  const rule = { key: 'down', action: 'Restart it.', wait: { confirm_after: 0, recover_after: 0 }, decision: isProblem }
  const signals = [{ key: 'probe', kind: 'heartbeat', every_seconds: 60 }]
  const body = { key: 'host', version: 1, name: 'Host', fields: [], signals, rules: [rule] }
  t.match(await call('POST', '/workspaces/w1/templates', { body }), { status: 201 })
})
t.teardown(() => world.stop())

const isProblem = { signal: 'probe', field: 'status', operator: 'eq', operand: 'problem' }
const resources = '/workspaces/w1/resources'
const call = (method: string, path: string, options: CallOptions = {}) =>
  world.call(method, `/api/v3${path}`, { token: owner, ...options })
const observe = (key: string, options: CallOptions = {}) =>
  call('POST', `${resources}/${key}/observations`, { body: { signal: 'probe', state: 'ok' }, ...options })

/** Creates a Resource and reports on it once by its key, so that the gateway has a copy of the Resource. */
async function reportedOn(key: string) {
  const { json } = await call('POST', resources, { body: { key, name: key, template: 'host@1' } })
  t.match(await observe(key), { status: 202 })
  return json.result
}

t.test('next report sends no request to the directory, and a refused report sends one (v3 7.1)', async t => {
  await reportedOn('again')
  let asked = 0
  const listening = await world.bus.subscribe(bus.ask('resolve-resources'), () => asked++)
  t.match(await observe('again', { body: { signal: 'probe', state: 'problem', id: 'r1' } }), { status: 202 })
  t.equal(asked, 0)
  t.match(await observe('again', { body: { signal: 'none', state: 'ok' } }), { status: 422 })
  t.equal(asked, 1)
  await listening.close()
})

t.test('report on a cached Resource is checked in the documented order (v3 1.3)', async t => {
  await reportedOn('ordered')
  const cases: [what: string, options: CallOptions, status: number, fact?: string][] = [
    ['a stranger', { token: stranger, body: {} }, 404],
    ['a viewer with a broken body', { token: viewer, raw: '{' }, 403, 'role editor'],
    ['a broken body', { raw: '{' }, 400],
    ['a missing field', { body: { state: 'ok' } }, 422, 'field signal'],
    ['an unknown signal', { body: { signal: 'none', state: 'ok' } }, 422, 'field signal'],
  ]
  for (const [what, options, status, fact] of cases) {
    const answer = await observe('ordered', options)
    t.equal(answer.status, status, what)
    const [first] = Object.entries(answer.json.error.details)
    t.strictSame(first ?? [], fact === undefined ? [] : fact.split(' '), what)
  }
})

t.test('cached Resource refuses reports with any body after it is archived (v3 6.4)', async t => {
  await reportedOn('over')
  t.match(await call('POST', `${resources}/over/archive`), { status: 200 })
  const sentence = 'Resource over is archived and accepts no Observations.'
  for (let i = 0; i < 2; i++) {
    const answer = await observe('over')
    t.match(answer, { status: 422, json: { error: { message: sentence, details: { field: 'resource' } } } })
  }
})

t.test('report on a cached subject that was removed gets 404 before its body is read (v3 6.1)', async t => {
  const { id } = await reportedOn('removed')
  const command = { kind: 'delete-subject', id: 'delete-it' } as const
  await createKeeperClient(world.bus, world.clock).send(id, command)
  const body = { signal: 'probe', state: 'ok' }
  for (const sent of [body, { signal: 'probe' }, body]) t.match(await observe('removed', { body: sent }), { status: 404 })
})
