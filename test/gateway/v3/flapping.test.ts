// `wait.flapping` of a published Template, as generation 3 takes and returns it. Reference: docs/reference/v3.md, 3.13 and 3.6.
import t from 'tap'
import { manifestOf } from '#shared/manifest/manifest-of.ts'
import { type ApiWorld, startApiWorld } from '../../support/worlds/api-world.ts'

let world: ApiWorld
let owner: string
t.before(async () => {
  world = await startApiWorld()
  owner = (await world.addPerson('olga', { w1: 'owner' })).token
})
t.teardown(() => world.stop())

const templates = '/api/v3/workspaces/w1/templates'
const delays = { confirm_after: 120, recover_after: 60 }
const flapping = { changes: 12, within_seconds: 600 }
const host = (key: string, wait: object) => ({
  key,
  version: 1,
  name: 'Host',
  signals: [{ key: 'probe', kind: 'heartbeat', every_seconds: 60 }],
  rules: [
    {
      key: 'down',
      action: 'Restart the host.',
      wait,
      decision: { signal: 'probe', field: 'status', operator: 'eq', operand: 'problem' },
    },
  ],
})
const publish = (key: string, wait: object) => world.call('POST', templates, { token: owner, body: host(key, wait) })

t.test('rule is returned with `flapping` as published, and only then (v3 3.13)', async t => {
  for (const [key, wait, returned] of [
    ['counting', { ...delays, flapping }, { ...delays, flapping }],
    ['plain', delays, delays],
    ['cleared', { ...delays, flapping: null }, delays],
  ] as const) {
    t.equal((await publish(key, wait)).status, 201, key)
    const { json } = await world.call('GET', `${templates}/${key}@1`, { token: owner })
    t.strictSame(json.result.rules[0].wait, returned, key)
    t.strictSame(manifestOf(json.result, []).rules[0]?.wait, returned, `${key} as it is exported`)
  }
  const { json } = await world.call('GET', `${templates}/website-check@1`, { token: owner })
  t.notOk(JSON.stringify(json).includes('flapping'), 'the system Template is as before')
})

t.test('fault of `flapping` is refused with its place (v3 3.13)', async t => {
  const place = 'rules.0.wait.flapping'
  const cases: [sent: unknown, status: number, field: string][] = [
    [{ ...flapping, holds: 1 }, 400, `${place}.holds`],
    [12, 400, place],
    [[12, 600], 400, place],
    [{ ...flapping, changes: { meta: 'count' } }, 400, `${place}.changes`],
    [{ ...flapping, changes: '12' }, 400, `${place}.changes`],
    [{ within_seconds: 600 }, 422, `${place}.changes`],
    [{ changes: 12 }, 422, `${place}.within_seconds`],
    [{ ...flapping, changes: 2 }, 422, `${place}.changes`],
    [{ ...flapping, changes: 101 }, 422, `${place}.changes`],
    [{ ...flapping, within_seconds: 59 }, 422, `${place}.within_seconds`],
    [{ ...flapping, within_seconds: 86_401 }, 422, `${place}.within_seconds`],
  ]
  for (const [sent, status, field] of cases) {
    const answer = await publish('refused', { ...delays, flapping: sent })
    t.match({ status: answer.status, field: answer.json.error.details.field }, { status, field }, JSON.stringify(sent))
  }
})
