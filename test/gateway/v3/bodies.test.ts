// Bodies of generation 3 at the edges of JSON: keys that every object has by birth. Each title cites its rule of docs/reference/v3.md.
import t from 'tap'
import { type ApiWorld, startApiWorld } from '../../support/api-world.ts'

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

/** A text is sent as it is. */
async function send(method: string, path: string, body: object | string, prefix = '/workspaces/w1') {
  const sent = typeof body === 'string' ? { raw: body } : { body }
  const { status, json } = await world.call(method, `/api/v3${prefix}${path}`, { token: owner, ...sent })
  return { status, result: json.result, error: json.error }
}

const create = async (key: string) => {
  const { status } = await send('POST', '/resources', { template: 'host', key, name: key })
  t.equal(status, 201)
}

t.test('v3 3.1 fields, signals and rules named `constructor` are fields, signals and rules like others', async t => {
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
