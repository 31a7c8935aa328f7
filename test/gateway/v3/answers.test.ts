// Responses of generation 3 on any route: codes, instants, names, time. Each title cites its rule of docs/reference/v3.md.
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { limits } from '#shared/limits/limits.ts'
import { type Answer, type ApiWorld, type CallOptions, startApiWorld } from '../../support/worlds/api-world.ts'

let world: ApiWorld
let owner: string
t.before(async () => {
  world = await startApiWorld()
  owner = (await world.addPerson('olga', { w1: 'owner' })).token
  const published = await call('POST', '/workspaces/w1/templates', { body: host })
  t.equal(published.status, 201)
  t.equal((await call('POST', resources, { body: { template: 'host', key: 'srv-1', name: ' Host 1 ' } })).status, 201)
})
t.teardown(() => world.stop())
t.afterEach(() => {
  world.keeper.trouble = null
})

const call = (method: string, path: string, options: CallOptions = {}) =>
  world.call(method, `/api/v3${path}`, { token: owner, ...options })

const resources = '/workspaces/w1/resources'
const observations = '/workspaces/w1/observations'
const down = {
  key: 'down',
  action: 'Restart the host.',
  wait: { confirm_after: 60, recover_after: 0 },
  decision: { signal: 'probe', field: 'status', operator: 'eq', operand: 'problem' },
}
const host = {
  key: 'host',
  version: 1,
  name: 'Host',
  signals: [{ key: 'probe', kind: 'heartbeat', every_seconds: 60 }],
  rules: [down],
}
const report = { signal: 'probe', state: 'ok' }

/** Advances the clock until the response arrives: the gateway retries a command to a busy keeper until the time limit of the request. */
async function whileTimePasses(answering: Promise<Answer>): Promise<Answer> {
  let isAnswered = false
  void answering.finally(() => {
    isAnswered = true
  })
  while (!isAnswered) {
    await world.clock.advance(100)
    await setImmediate()
  }
  return answering
}

t.test('request to a busy keeper gets 429 with Retry-After, and a batch item to a busy keeper gets 1429 (v3 1.7)', async t => {
  world.keeper.trouble = 'busy'
  const { status, json, headers } = await whileTimePasses(call('POST', `${resources}/srv-1/observations`, { body: report }))
  t.match({ status, error: json.error }, { status: 429, error: { code: 1429, error_type: 'rate_limited' } })
  t.ok(Number(headers.get('retry-after')) >= 1)
  const items = { observations: [{ resource: 'srv-1', ...report }, { ...report }] }
  const batch = await whileTimePasses(call('POST', observations, { body: items }))
  t.equal(batch.status, 200)
  t.match(batch.json.result.results, [{ error: { code: 1429 } }, { error: { code: 1422 } }])
})

t.test('instants have a zone in requests and end in Z in responses (v3 1.9)', async t => {
  const now = world.clock.now()
  const utc = new Date(now).toISOString()
  const cases: [at: unknown, status: number][] = [
    [utc, 202],
    [utc.replace('Z', '+00:00'), 202],
    [new Date(now + 7_200_000).toISOString().replace('Z', '+02:00'), 202],
    [utc.replace(/\.\d+Z$/, '.123456Z'), 202],
    [utc.replace('Z', ''), 422],
    [utc.slice(0, 10), 422],
    ['yesterday', 422],
    [now, 400],
  ]
  for (const [at, status] of cases) {
    const answer = await call('POST', `${resources}/srv-1/observations`, { body: { ...report, at } })
    t.equal(answer.status, status, `${at}`)
    t.equal(answer.json.error?.details.field, status === 202 ? undefined : 'at')
  }
  const { json } = await call('GET', `${resources}/srv-1`)
  t.match(json.result.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/)
})

/** Sends a request whose command no keeper handles. Returns its response after `ms`. */
async function unanswered(request: () => Promise<Answer>, ms: number): Promise<Answer> {
  world.keeper.trouble = 'silence'
  const taken = world.keeper.commands.length
  const answering = request()
  while (world.keeper.commands.length === taken) await setImmediate()
  await world.clock.advance(ms)
  return answering
}

t.test('request gets 500 after its time limit, and each unfinished item of a batch gets 1500 (v3 1.10)', async t => {
  const single = await unanswered(() => call('POST', `${resources}/srv-1/observations`, { body: report }), limits.v3.answerMs)
  t.match(single, { status: 500, json: { error: { code: 1500, error_type: 'server' } } })
  const items = { observations: [{ resource: 'srv-1', ...report }, { ...report }] }
  world.keeper.trouble = 'silence'
  const sentAt = world.clock.now()
  const batch = await whileTimePasses(call('POST', observations, { body: items }))
  t.ok(world.clock.now() - sentAt <= limits.v3.batchAnswerMs)
  t.equal(batch.status, 200)
  t.match(batch.json.result.results, [{ error: { code: 1500 } }, { error: { code: 1422 } }])
})

t.test('name is trimmed before its length is checked (v3 1.12)', async t => {
  const { json } = await call('GET', `${resources}/srv-1`)
  t.equal(json.result.name, 'Host 1')
  const cases: [name: string, status: number][] = [
    ['x'.repeat(100), 200],
    [`  ${'x'.repeat(100)}  `, 200],
    ['x'.repeat(101), 422],
    ['   ', 422],
    ['', 422],
    ['a\u0007b', 422],
    ['a\tb', 422],
    [`\t\r\n${'x'.repeat(100)}\t`, 200],
    ['\t\n', 422],
  ]
  for (const [name, status] of cases) {
    const answer = await call('PATCH', `${resources}/srv-1`, { body: { name } })
    t.equal(answer.status, status, JSON.stringify(name))
    t.equal(answer.json.error?.details.field, status === 200 ? undefined : 'name')
  }
})

t.test('name of anything is stored without the tabs and line breaks around it (v3 1.12)', async t => {
  const made: [path: string, body: object][] = [
    ['/workspaces', {}],
    [resources, { template: 'host', key: 'trimmed' }],
    ['/workspaces/w1/destinations', { type: 'webhook', url: 'https://pager.example.com/' }],
    ['/workspaces/w1/templates', { ...host, key: 'trimmed' }],
  ]
  for (const [path, body] of made) {
    const { status, json } = await call('POST', path, { body: { ...body, name: '\t Shop of Ada\r\n' } })
    t.match([status, json.result?.name], [201, 'Shop of Ada'], `${path} ${JSON.stringify(json.error)}`)
  }
})

t.test('status of a rule is null until a signal has reported, and no_data while the rule is undecided (v3 4.8)', async t => {
  t.equal((await call('POST', resources, { body: { template: 'host', key: 'srv-2', name: 'Host 2' } })).status, 201)
  const ruleNow = async () => (await call('GET', `${resources}/srv-2`)).json.result.rules[0]
  t.match(await ruleNow(), { status: null, explanation: null, since: null, open_incident: null })
  const steps: [state: string, status: string, explanation: string][] = [
    ['no_data', 'no_data', 'probe unresolved (no_data)'],
    ['ok', 'ok', 'probe ok'],
    ['problem', 'problem', 'probe problem'],
  ]
  for (const [state, status, explanation] of steps) {
    world.clock.advance(1_000)
    t.equal((await call('POST', `${resources}/srv-2/observations`, { body: { ...report, state } })).status, 202)
    t.match(await ruleNow(), { status, explanation, since: new Date(world.clock.now()).toISOString() })
  }
})

t.test('change of a Resource returns its detail (v3 6.8)', async t => {
  t.equal((await call('POST', '/workspaces/w1/templates', { body: { ...host, version: 2 } })).status, 201)
  const changes: [method: string, path: string, body?: object][] = [
    ['PATCH', '', { name: 'Another' }],
    ['PUT', '/maintenance', { minutes: 5 }],
    ['DELETE', '/maintenance'],
    ['POST', '/rebind', { template: 'host@2' }],
    ['POST', '/archive'],
  ]
  for (const [method, path, body] of changes) {
    const changed = await call(method, `${resources}/srv-1${path}`, { body })
    t.equal(changed.status, 200, `${method} ${path}: ${JSON.stringify(changed.json.error)}`)
    const { json } = await call('GET', `${resources}/srv-1`)
    t.strictSame(changed.json.result, json.result, `${method} ${path}`)
  }
})

t.test('archived Resource refuses Observations, and the error says that it is archived (v3 7.10)', async t => {
  const sentence = 'Resource srv-1 is archived and accepts no Observations.'
  const single = await call('POST', `${resources}/srv-1/observations`, { body: report })
  t.match(single, { status: 422, json: { error: { code: 1422, message: sentence, details: { field: 'resource' } } } })
  const { json } = await call('POST', observations, { body: { observations: [{ resource: 'srv-1', ...report }] } })
  t.match(json.result.results, [{ error: { code: 1422, message: sentence, details: { field: 'resource' } } }])
})
