// Incidents of generation 3 over HTTP, with the real keeper in virtual time. Each title cites its rule of docs/reference/v3.md.
import t from 'tap'
import type { DeliveryLogDocument } from '#shared/contracts/notifications/delivery.ts'
import { createIncidentIds } from '#shared/incidents/incident-ids.ts'
import { hashToken, makeToken } from '#shared/tokens/api-token.ts'
import { storedAuditRows } from '../../support/store/audit-rows.ts'
import { type CallOptions, incidentSalt } from '../../support/worlds/api-world.ts'
import { startWholeWorld, type WholeWorld } from '../../support/worlds/whole-world.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

let world: WholeWorld
let owner: string
let viewer: string
t.before(async () => {
  world = await startWholeWorld()
  owner = (await world.addPerson('olga', { w1: 'owner', w2: 'owner' }, { displayName: 'Olga' })).token
  viewer = (await world.addPerson('vera', { w1: 'viewer' }, { displayName: 'Vera' })).token
  await world.addLocations(['berlin'])
  const { status } = await call('POST', '/workspaces/w1/templates', { body: host })
  t.equal(status, 201)
})
t.teardown(() => world.stop())

const call = (method: string, path: string, options: CallOptions = {}) =>
  world.call(method, `/api/v3${path}`, { token: owner, ...options })

const incidents = '/workspaces/w1/incidents'
const resources = '/workspaces/w1/resources'
const comparison = (signal: string, field: string, operator: string, operand: unknown) => ({ signal, field, operator, operand })
const host = {
  key: 'host',
  version: 1,
  name: 'Host',
  signals: [
    { key: 'probe', kind: 'heartbeat', every_seconds: 60 },
    { key: 'load', kind: 'event' },
    { key: 'disk', kind: 'event' },
  ],
  rules: [
    {
      key: 'down',
      action: 'Restart the host.',
      wait: { confirm_after: 300, recover_after: 120 },
      decision: comparison('probe', 'status', 'eq', 'problem'),
    },
    {
      key: 'busy',
      action: 'Look for the process.',
      wait: { confirm_after: 0, recover_after: 0 },
      decision: comparison('load', 'value', 'gt', 4),
    },
    {
      key: 'full',
      action: 'Empty the disk.',
      wait: { confirm_after: 3_600, recover_after: 3_600 },
      decision: comparison('disk', 'status', 'eq', 'problem'),
    },
  ],
}

async function create(key: string, body: object = {}) {
  const { status, json } = await call('POST', resources, { body: { template: 'host', name: `Host ${key}`, key, ...body } })
  t.equal(status, 201, JSON.stringify(json))
  return json.result.id as string
}

async function observe(key: string, body: object) {
  const { status, json } = await call('POST', `${resources}/${key}/observations`, { body: { state: 'ok', ...body } })
  t.equal(status, 202, JSON.stringify(json))
}

async function list(query = '', options: CallOptions = {}) {
  const { status, json } = await call('GET', `${incidents}${query}`, options)
  t.equal(status, 200, JSON.stringify(json))
  return json.result
}

const ofResource = (key: string, query = '') => list(`?resource=${key}${query}`)
const read = async (id: string) => (await call('GET', `${incidents}/${id}`)).json.result
const kindsOf = ({ history }: { history: { kind: string }[] }) => history.map(({ kind }) => kind)
const now = (afterMs = 0) => new Date(world.clock.now() + afterMs).toISOString()

t.test('Incident has exactly the documented members from opening to closing (v3 5.1, 5.5 and 5.7)', async t => {
  const id = await create('life')
  await observe('life', { signal: 'probe', state: 'problem', reason: 'no answer at https://user:pw@db.example/' })
  const openedAt = now()
  const [item, ...others] = await ofResource('life')
  t.strictSame(others, [])
  const members = {
    cause: 'no answer at https://db.example/ (probe)',
    id: item.id,
    resource: { id, key: 'life', name: 'Host life' },
    rule: 'down',
    lifecycle: 'open',
    confirmation: 'unconfirmed',
    condition: 'problem',
    verdict: 'problem',
    explanation: 'probe problem',
    closed_reason: null,
    opened_at: openedAt,
    confirmed_at: null,
    closed_at: null,
    effective_at: openedAt,
    acknowledgement: null,
    action: 'Restart the host.',
  }
  t.strictSame(item, members)
  const opened = {
    at: openedAt,
    kind: 'opened',
    condition: 'problem',
    verdict: 'problem',
    explanation: 'probe problem',
    evidence: {
      inputs: [{ signal: 'probe', status: 'problem', at: openedAt, reason: 'no answer at https://db.example/' }],
      omitted: 0,
      truncated: false,
    },
  }
  t.strictSame(await read(item.id), {
    ...members,
    history: [opened],
    history_omitted: 0,
    next: { what: 'confirm', at: now(5 * minute) },
    path: [{ state: 'pending', at: openedAt, event: 'problem.judged' }],
    path_omitted: 0,
  })
  t.strictSame((await call('GET', `${resources}/life`)).json.result.open_incident, {
    id: item.id,
    standing: 'unconfirmed',
    explanation: 'probe problem',
  })

  for (let i = 0; i < 5; i++) {
    await world.clock.advance(minute)
    await observe('life', { signal: 'probe', state: 'problem' })
  }
  const confirmedAt = now()
  const confirmed = await read(item.id)
  t.match(confirmed, { confirmation: 'confirmed', confirmed_at: confirmedAt, effective_at: confirmedAt })
  t.strictSame(confirmed.next, { what: 'remind', at: now(4 * hour) })
  t.strictSame(kindsOf(confirmed), ['opened', 'confirmed'])

  await world.clock.advance(minute)
  await observe('life', { signal: 'probe' })
  const wellSince = now()
  const recovering = await read(item.id)
  t.match(recovering, { condition: 'ok', verdict: 'ok', effective_at: wellSince, lifecycle: 'open' })
  t.strictSame(recovering.next, { what: 'close', at: now(2 * minute) })
  await world.clock.advance(2 * minute)
  const closed = await read(item.id)
  t.match(closed, { lifecycle: 'closed', closed_reason: 'recovered', closed_at: wellSince, effective_at: wellSince, next: null })
  t.equal(closed.cause, members.cause, 'the cause stays')
  t.equal((await ofResource('life'))[0].cause, members.cause)
  t.strictSame(kindsOf(closed), ['opened', 'confirmed', 'verdict_changed', 'closed'])
  t.equal(closed.history[3].at, wellSince, 'a closing is dated back to the start of the health')
  t.strictSame(
    closed.path.map(({ state, event }: { state: string; event: string }) => `${state} ${event}`),
    ['pending problem.judged', 'problem hold.elapsed', 'recovering ok.judged', 'closed recovery.elapsed'],
  )
  t.equal((await call('GET', `${resources}/life`)).json.result.open_incident, null)
})

t.test('incident with delays of 0 is confirmed at its opening, and closed at the first ok (v3 5.2)', async t => {
  await create('swift')
  await observe('swift', { signal: 'load', value: 5 })
  const openedAt = now()
  const [{ id }] = await ofResource('swift')
  await world.clock.advance(minute)
  await observe('swift', { signal: 'load', value: 1 })
  const { history, closed_at } = await read(id)
  t.strictSame(
    history.map(({ kind, at }: { kind: string; at: string }) => [kind, at]),
    [
      ['opened', openedAt],
      ['confirmed', openedAt],
      ['closed', now()],
    ],
  )
  t.equal(closed_at, now())
  t.match(history[2].evidence.inputs, [{ signal: 'load', status: 'ok', value: 1 }])
})

t.test(
  'while a rule is undecided, its Incident shows the newest explanation, and no next step but a reminder (v3 5.7)',
  async t => {
    await create('unknown')
    await observe('unknown', { signal: 'probe', state: 'problem' })
    const [{ id }] = await ofResource('unknown')
    await world.clock.advance(minute)
    await observe('unknown', { signal: 'probe', state: 'no_data' })
    t.match(await read(id), { condition: 'problem', explanation: 'probe unresolved (no_data)', next: null })
    await world.clock.advance(minute)
    await observe('unknown', { signal: 'probe', state: 'problem' })
    t.strictSame((await read(id)).next, { what: 'confirm', at: now(4 * minute) }, 'the hold stood still')

    await observe('unknown', { signal: 'load', value: 5 })
    const [busy] = await ofResource('unknown', '&rule=busy')
    await world.clock.advance(minute)
    await observe('unknown', { signal: 'load', state: 'no_data' })
    t.match(await read(busy.id), {
      explanation: 'load unresolved (no_data)',
      next: { what: 'remind', at: now(4 * hour - minute) },
    })
    t.strictSame(kindsOf(await read(busy.id)), ['opened', 'confirmed'], 'what cannot be decided is no transition')

    await world.clock.advance(minute)
    await observe('unknown', { signal: 'load', value: 7 })
    t.match(await read(busy.id), { explanation: 'load 7' }, 'the newest reading, though it changes no verdict')
  },
)

t.test('open Incident is returned as stored while no keeper responds (v3 5.7)', async t => {
  await create('unkept')
  await observe('unkept', { signal: 'load', value: 5 })
  const [{ id }] = await ofResource('unkept')
  const [document] = await world.store.get('incidents', [internal(id)])
  await world.store.upsert('incidents', [{ ...document, id: 'gone000000.1', subjectId: 'gone000000' } as never])
  const [subject] = await world.store.get('subjects', [internal(id).split('.')[0] as string])
  await world.store.upsert('subjects', [{ ...subject, id: 'gone000000', slug: 'gone', rules: [] } as never])
  const { status, json } = await call('GET', `${incidents}/${createIncidentIds(incidentSalt).encode('gone000000.1')}`)
  t.equal(status, 200)
  t.match(json.result, { lifecycle: 'open', explanation: 'load 5', next: null, history: [], path: [] })
})

const internal = (publicId: string) => createIncidentIds(incidentSalt).decode(publicId)?.incidentId as string

t.test('any member may acknowledge an open Incident once, and its effective_at stays unchanged (v3 5.6)', async t => {
  await create('taken')
  await observe('taken', { signal: 'load', value: 5 })
  const [{ id, effective_at }] = await ofResource('taken')
  await world.clock.advance(minute)
  const path = `${incidents}/${id}/acknowledge`
  for (const raw of ['[]', '"x"', '{"by":"me"}', '{', '7'])
    t.match(await call('POST', path, { raw }), { status: 400, json: { error: { code: 1400 } } }, raw)
  t.equal((await read(id)).acknowledgement, null)
  const agent = { 'user-agent': 'watchkeeper-mcp/2.0.0' }
  const { status, json } = await call('POST', path, { token: viewer, raw: '{}', headers: agent })
  t.equal(status, 200)
  t.strictSame(json.result.acknowledgement, { by: 'Vera', at: now(), via: 'mcp' })
  t.equal(json.result.effective_at, effective_at)
  t.strictSame(json.result, await read(id), 'the answer is the Incident with its history')
  t.strictSame(kindsOf(json.result), ['opened', 'confirmed'])
  t.equal(json.result.next, null, 'nobody is reminded any more')
  t.match(await call('POST', path), { status: 409, json: { error: { code: 1409 } } })
  await observe('taken', { signal: 'load', value: 1 })
  t.match(await call('POST', path), { status: 409, json: { error: { message: /closed/ } } })
  t.match((await read(id)).acknowledgement, { by: 'Vera' })
})

t.test('one of many concurrent acknowledgements succeeds (v3 5.6)', async t => {
  await create('race')
  await observe('race', { signal: 'load', value: 5 })
  const [{ id }] = await ofResource('race')
  const tries = await Promise.all(
    Array.from({ length: 8 }, (_, i) =>
      call('POST', `${incidents}/${id}/acknowledge`, {
        token: i % 2 === 0 ? owner : viewer,
        headers: { 'user-agent': 'curl/8' },
      }),
    ),
  )
  t.strictSame(tries.map(({ status }) => status).toSorted(), [200, ...Array.from({ length: 7 }, () => 409)])
  const won = tries.find(({ status }) => status === 200)
  t.match(won?.json.result.acknowledgement, { via: 'api' })
  t.strictSame((await read(id)).acknowledgement, won?.json.result.acknowledgement)
})

t.test('acknowledgement is refused when only the keeper knows that the Incident is closed (v3 5.6)', async t => {
  await create('stale')
  await observe('stale', { signal: 'load', value: 5 })
  const [{ id }] = await ofResource('stale')
  const [before] = await world.store.get('incidents', [internal(id)])
  const path = `${incidents}/${id}/acknowledge`
  t.equal((await call('POST', path, { token: viewer })).status, 200)
  await world.store.upsert('incidents', [before as never])
  const taken = await call('POST', path)
  t.match(taken, { status: 409, json: { error: { message: /taken on by Vera/ } } })
  t.match((await read(id)).acknowledgement, { by: 'Vera' }, 'an open one reads as its keeper has it')
  await observe('stale', { signal: 'load', value: 1 })
  await world.store.upsert('incidents', [before as never])
  t.match(await call('POST', path), { status: 409, json: { error: { message: /closed/ } } })
})

t.test('acknowledgement during a closing either succeeds and is stored, or is refused as closed (v3 5.6)', async t => {
  await create('closing')
  await observe('closing', { signal: 'load', value: 5 })
  const [{ id }] = await ofResource('closing')
  const [answer] = await Promise.all([
    call('POST', `${incidents}/${id}/acknowledge`),
    observe('closing', { signal: 'load', value: 1 }),
  ])
  const { lifecycle, acknowledgement } = await read(id)
  t.equal(lifecycle, 'closed')
  t.equal(acknowledgement !== null, answer.status === 200)
  if (answer.status !== 200) t.match(answer, { status: 409, json: { error: { message: /closed/ } } })
})

t.test('Incident of a custom subject has its id of v2, and closes without evidence with its rule (v3 1.11 and 5.4)', async t => {
  const v2 = (method: string, path: string, body?: object) =>
    world.call(method, `/api/v2/subjects${path}?workspace_id=w1`, { token: owner, ...(body ? { body } : {}) })
  const made = (await v2('POST', '', { name: 'Queue', workspace_id: 'w1' })).json
  t.equal(made.error, null, JSON.stringify(made.error))
  await v2('POST', '/queue/signals', { name: 'depth', kind: 'event' })
  const document = {
    inputs: [{ signal: 'depth', mode: 'status' }],
    decision: { state: 'down', need: 'any' },
    wait: { confirm_after: '0s', close_after: '0s' },
  }
  t.equal((await v2('POST', '/queue/rules', { name: 'Too deep', document })).json.error, null)
  const reported = await v2('POST', '/queue/signals/depth/observations', { status: 'problem', error: 'at http://a:b@q.example/' })
  t.equal(reported.json.error, null, JSON.stringify(reported.json))
  const [old] = (await v2('GET', '/queue/incidents')).json.result
  const [item] = await ofResource('queue')
  t.equal(item.id, old.id)
  t.match(item, { rule: 'too-deep', action: null, resource: { key: 'queue', name: 'Queue' }, confirmation: 'confirmed' })
  const open = await read(item.id)
  t.match(open.history[0].evidence.inputs, [{ signal: /depth/, status: 'problem', reason: 'at http://q.example/' }])
  await world.clock.advance(minute)
  await v2('DELETE', '/queue/rules/too-deep')
  const closed = await read(item.id)
  t.match(closed, {
    lifecycle: 'closed',
    closed_reason: 'rule_removed',
    closed_at: now(),
    effective_at: now(),
    condition: 'problem',
    verdict: 'problem',
    rule: 'too-deep',
  })
  t.match(closed.history.at(-1), { kind: 'closed', at: now(), verdict: 'problem', evidence: null })
  t.strictSame(kindsOf(closed), ['opened', 'confirmed', 'closed'])
})

t.test('Incident of a website monitor has its id of v2, and evidence of its locations (v3 1.11 and 4.10)', async t => {
  const meta = { url: 'https://shop.example/', locations: ['aaaa'], interval_value: 60, interval_unit: 'MINUTE' }
  const id = await create('shop', { template: 'website-check', meta })
  await world.report(id, 'aaaa', false)
  const { json } = await world.call('GET', `/api/v2/incidents?workspace_id=w1&monitor_id=${id}`, { token: owner })
  const [item] = await ofResource('shop')
  t.equal(item.id, json.result[0].id)
  t.match(item, { rule: 'availability', action: null, explanation: '1 of 1 location failing' })
  t.strictSame(await ofResource('shop', '&rule=availability'), [item])
  const { history } = await read(item.id)
  t.match(history[0].evidence.inputs, [{ signal: 'reachability@aaaa', status: 'problem', reason: 'status 503, expected 200' }])
})

t.test('archive closes an Incident without evidence, and the Incident stays readable (v3 5.4)', async t => {
  await create('archived')
  await observe('archived', { signal: 'load', value: 5 })
  const [{ id }] = await ofResource('archived')
  await world.clock.advance(minute)
  t.equal((await call('POST', `${resources}/archived/archive`)).status, 200)
  const closed = { id, lifecycle: 'closed', closed_reason: 'resource_archived', closed_at: now(), effective_at: now() }
  t.match(await ofResource('archived'), [{ ...closed, condition: 'problem', verdict: 'problem' }])
  const detail = await read(id)
  t.match(detail, { ...closed, next: null })
  t.match(detail.history.at(-1), { kind: 'closed', at: now(), verdict: 'problem', evidence: null })
  t.match(await call('POST', `${incidents}/${id}/acknowledge`), { status: 409 })
})

t.test('open_incident of a Resource is the worst Incident, and the oldest of equally bad Incidents (v3 5.5)', async t => {
  await create('several')
  const shown = async () => {
    const [one] = (await call('GET', `${resources}?limit=200`)).json.result.filter(
      ({ key }: { key: string }) => key === 'several',
    )
    const { json } = await call('GET', `${resources}/several`)
    t.equal(one.open_incident?.id, json.result.open_incident?.id, 'list and detail agree')
    return json.result.open_incident
  }
  await observe('several', { signal: 'disk', state: 'problem' })
  t.match(await shown(), { standing: 'unconfirmed', explanation: 'disk problem' })
  await observe('several', { signal: 'probe', state: 'problem' })
  t.match(await shown(), { standing: 'unconfirmed', explanation: 'disk problem' }, 'the older one')
  await observe('several', { signal: 'load', value: 9 })
  t.match(await shown(), { standing: 'problem', explanation: 'load 9' }, 'the worst, though the newest')
  await observe('several', { signal: 'load', value: 1 })
  await observe('several', { signal: 'disk' })
  t.match(await shown(), { standing: 'unconfirmed', explanation: 'probe problem' }, 'a recovering one comes last')
})

t.test('Incident is listed if it matches every filter, newest first (v3 9.2, 9.5 and 9.6)', async t => {
  for (const key of ['f1', 'f2']) {
    await create(key)
    await observe(key, { signal: 'load', value: 5 })
    await observe(key, { signal: 'load', value: 1 })
    await world.clock.advance(second)
    await observe(key, { signal: 'load', value: 6 })
    await observe(key, { signal: 'probe', state: 'problem' })
    await world.clock.advance(second)
  }
  const [confirmed] = await ofResource('f2', '&lifecycle=open&rule=busy')
  await call('POST', `${incidents}/${confirmed.id}/acknowledge`)
  const names = async (path: string) => {
    const { status, json } = await call('GET', path)
    t.equal(status, 200, JSON.stringify(json))
    return json.result.map(
      ({ resource, rule, lifecycle }: { resource: { key: string }; rule: string; lifecycle: string }) =>
        `${resource.key} ${rule} ${lifecycle}`,
    )
  }
  const cases: [query: string, expected: string[]][] = [
    ['', ['f2 down open', 'f2 busy open', 'f2 busy closed', 'f1 down open', 'f1 busy open', 'f1 busy closed']],
    ['rule=busy', ['f2 busy open', 'f2 busy closed', 'f1 busy open', 'f1 busy closed']],
    ['rule=busy&lifecycle=open', ['f2 busy open', 'f1 busy open']],
    ['lifecycle=closed', ['f2 busy closed', 'f1 busy closed']],
    ['confirmation=unconfirmed', ['f2 down open', 'f1 down open']],
    ['confirmation=confirmed&lifecycle=open', ['f2 busy open', 'f1 busy open']],
    ['acknowledged=true', ['f2 busy open']],
    ['acknowledged=false&rule=busy&lifecycle=open', ['f1 busy open']],
    ['rule=nothing', []],
  ]
  for (const [query, expected] of cases) {
    const ours = (found: string[]) => found.filter(name => /^f\d /.test(name))
    t.strictSame(ours(await names(`${incidents}?limit=200&${query}`)), expected, query)
    for (const key of ['f1', 'f2']) {
      const own = expected.filter(name => name.startsWith(key))
      t.strictSame(await names(`${incidents}?resource=${key}&${query}`), own, `${query} of ${key}`)
      t.strictSame(await names(`${resources}/${key}/incidents?${query}`), own, `${query} at ${key}`)
    }
  }
  t.strictSame(await names(`${incidents}?resource=nothing`), [])
  t.strictSame(await names(`${resources}/f1/incidents?resource=f2`), [], 'of two Resources')
  t.strictSame(await names('/workspaces/w2/incidents'), [], 'of another workspace')
  t.equal((await call('GET', '/workspaces/w2/incidents?resource=f1')).json.result.length, 0)
  t.equal((await call('GET', `/workspaces/w2/incidents/${confirmed.id}`)).status, 404)
  for (const [query, field] of [
    ['lifecycle=closing', 'lifecycle'],
    ['confirmation=yes', 'confirmation'],
    ['acknowledged=1', 'acknowledged'],
    ['rule=', 'rule'],
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['cursor=x', 'cursor'],
    ['state=open', 'state'],
    ['rule=a&rule=b', 'rule'],
  ]) {
    t.match(await call('GET', `${incidents}?${query}`), { status: 422, json: { error: { details: { field } } } }, `${query}`)
    t.match(await call('GET', `${resources}/f1/incidents?${query}`), { status: 422, json: { error: { details: { field } } } })
  }
})

t.test('Incidents are filtered by properties of their Resources (v3 9.5)', async t => {
  for (const [key, env] of [
    ['g1', 'prod'],
    ['g2', 'test'],
  ] as const) {
    await create(key, { labels: { env } })
    await observe(key, { signal: 'load', value: 5 })
  }
  const keys = async (query: string) =>
    (await list(`?limit=200&${query}`)).map(({ resource }: { resource: { key: string } }) => resource.key)
  t.strictSame(await keys('label.env=prod'), ['g1'])
  t.strictSame(await keys('label.env=test&rule=busy&lifecycle=open'), ['g2'])
  t.strictSame(await keys('label.env=test&resource=g1'), [])
  t.strictSame(await keys('template=website-check'), ['shop'])
  t.strictSame(await keys('template=website-check@1&meta.url=https%3A%2F%2Fshop.example%2F'), ['shop'])
  t.strictSame(await keys('template=nothing'), [])
  t.strictSame(await keys('resource_state=archived'), ['archived'])
  t.notOk((await keys('resource_state=active')).includes('archived'))
  t.ok((await keys('resource_state=all')).includes('archived'))
  const labels = Array.from({ length: 6 }, (_, i) => `label.l${i}=x`).join('&')
  for (const [query, field] of [
    ['resource_state=gone', 'resource_state'],
    ['meta.url=x', 'meta.url'],
    ['template=website-check&meta.speed=1', 'meta.speed'],
    ['template=nothing&meta.url=x', 'template'],
    ['label.ENV=prod', 'label.ENV'],
    ['label.env=', 'label.env'],
    [labels, 'label.l5'],
    ['label.=x', 'label.'],
  ]) {
    for (const path of [incidents, `${resources}/g1/incidents`])
      t.match(await call('GET', `${path}?${query}`), { status: 422, json: { error: { details: { field } } } }, `${path} ${query}`)
  }
})

t.test('list continues by its cursor and shows each Incident once while others open and close (v3 9.1)', async t => {
  const queries = ['', '&lifecycle=open', '&rule=busy', '&resource=f2', '&resource=f1&rule=busy']
  for (const query of queries) {
    const whole = (await list(`?limit=200${query}`)).map(({ id }: { id: string }) => id)
    const paged: string[] = []
    let cursor = ''
    for (let page = 0; page < 100; page++) {
      const { json } = await call('GET', `${incidents}?limit=2${query}${cursor}`)
      t.ok(json.result.length <= 2)
      paged.push(...json.result.map(({ id }: { id: string }) => id))
      if (page === 0) {
        await world.clock.advance(second)
        await observe('f1', { signal: 'disk', state: 'problem' })
      }
      if (json.meta.next_cursor === null) break
      cursor = `&cursor=${encodeURIComponent(json.meta.next_cursor)}`
    }
    t.strictSame(paged, whole, query)
  }
  const { json } = await call('GET', `${incidents}?limit=2`)
  const cursor = encodeURIComponent(json.meta.next_cursor)
  t.equal((await call('GET', `${incidents}?cursor=${cursor}&limit=5`)).status, 200, 'of another size')
  for (const path of [
    `${incidents}?rule=busy&cursor=${cursor}`,
    `${resources}/f1/incidents?cursor=${cursor}`,
    `${resources}?cursor=${cursor}`,
  ])
    t.match(await call('GET', path), { status: 422, json: { error: { details: { field: 'cursor' } } } }, path)
})

t.test('flapping Incident shows its first 100 and latest 400 entries, and counts the entries between (v3 5.8)', async t => {
  await create('flapping')
  const states = ['problem', 'ok']
  for (let i = 0; i < 520; i++) {
    await observe('flapping', { signal: 'probe', state: states[i % 2] })
    await world.clock.advance(second)
  }
  // An acknowledgement or a changed delay makes a record and no transition, so there are more records than transitions from here on.
  const [{ id }] = await ofResource('flapping')
  await call('POST', `${incidents}/${id}/acknowledge`)
  const { history, history_omitted, path, path_omitted } = await read(id)
  t.strictSame([history.length, history_omitted], [500, 20])
  t.strictSame([path.length, path_omitted], [500, 21])
  t.equal(path.at(-1).event, 'incident.acknowledged')
  t.equal(history[0].kind, 'opened')
  const gapMs = (rows: { at: string }[], i: number) => Date.parse(rows[i + 1]?.at ?? '') - Date.parse(rows[i]?.at ?? '')
  t.strictSame([gapMs(history, 0), gapMs(history, 99), gapMs(history, 498)], [second, 21 * second, second])
  const instants = history.map(({ at }: { at: string }) => at)
  t.strictSame(instants, instants.toSorted(), 'oldest first')
})

t.test('deliveries of an Incident are listed newest first with their reasons (v3 10.3)', async t => {
  await create('told')
  await observe('told', { signal: 'load', value: 5 })
  const [{ id }] = await ofResource('told')
  const row = (number: number, over: Partial<DeliveryLogDocument>): DeliveryLogDocument => ({
    id: `told.${number}`,
    rev: 1,
    number,
    workspaceId: 'w1',
    destinationId: 'd1',
    destinationNumber: 1,
    destinationName: 'Ops',
    destinationType: 'slack',
    alertKind: 'problem',
    event: 'problem',
    status: 'delivered',
    reason: null,
    shownInV2: 1,
    payload: 'https://hooks.example/secret',
    error: '',
    incidentId: internal(id),
    at: number * minute,
    expireAt: Number.MAX_SAFE_INTEGER,
    ...over,
  })
  await world.store.insert('deliveryLog', [
    row(901, { status: 'failed', reason: 'http_503', error: 'http_503: secret' }),
    row(902, {}),
    row(903, { event: 'reminder', status: 'held', reason: 'maintenance' }),
    row(904, { status: 'held', reason: 'no_destination', destinationName: null, destinationType: null, destinationId: null }),
    row(905, { incidentId: 'other.1' }),
  ])
  const path = `${incidents}/${id}/deliveries`
  const { status, json, text } = await call('GET', path, { token: viewer })
  t.equal(status, 200)
  const at = (number: number) => new Date(number * minute).toISOString()
  const ops = { destination: 'Ops', type: 'slack' }
  t.strictSame(json.result, [
    { at: at(904), destination: null, type: null, event: 'problem', status: 'held', reason: 'no_destination' },
    { at: at(903), ...ops, event: 'reminder', status: 'held', reason: 'maintenance' },
    { at: at(902), ...ops, event: 'problem', status: 'delivered', reason: null },
    { at: at(901), ...ops, event: 'problem', status: 'failed', reason: 'http_503' },
  ])
  t.notMatch(text, /secret/)
  const first = (await call('GET', `${path}?limit=3`)).json
  t.equal(first.result.length, 3)
  const rest = await call('GET', `${path}?limit=3&cursor=${encodeURIComponent(first.meta.next_cursor)}`)
  t.strictSame(rest.json, { result: json.result.slice(3), error: null, meta: { next_cursor: null } })
  t.match(await call('GET', `${path}?limit=201`), { status: 422, json: { error: { details: { field: 'limit' } } } })
})

t.test('scoped key acknowledges with its action, and reads of evidence are audited (v3 2.3, 2.8 and 11.3)', async t => {
  await create('scoped')
  await observe('scoped', { signal: 'load', value: 5 })
  const [{ id }] = await ofResource('scoped')
  const keyOf = async (name: string, actions: 'acknowledge'[]) => {
    const token = makeToken()
    const [key] = await world.store.get('keys', ['key-vera'])
    const scoped = { ...key, id: name, tokenHash: hashToken(token), scope: { workspaceId: 'w1', actions } }
    await world.store.insert('keys', [scoped as never])
    return token
  }
  const [reading, taking] = [await keyOf('reads', []), await keyOf('takes', ['acknowledge'])]
  t.match(await call('POST', `${incidents}/${id}/acknowledge`, { token: reading }), {
    status: 403,
    json: { error: { details: { scope: 'acknowledge' } } },
  })
  t.equal((await call('POST', `${incidents}/nothing/acknowledge`, { token: reading })).status, 404)
  t.equal((await call('POST', `${incidents}/${id}/acknowledge`, { token: taking })).status, 200)
  for (const path of ['', '/deliveries', '/nothing']) await call('GET', `${incidents}/${id}${path}`, { token: reading })
  await list('', { token: reading })
  await world.clock.advance(2 * second)
  await world.clock.settle()
  const rows = await storedAuditRows(world.store)
  const kept = rows.filter(({ key }) => key?.id === 'reads' || key?.id === 'takes')
  t.strictSame(
    kept
      .map(({ method, path, status }) => `${method} ${path.replace(/.*[/]incidents/, '').replace(id, ':id')} ${status}`)
      .toSorted(),
    [
      'GET /:id 200',
      'GET /:id/deliveries 200',
      'POST /:id/acknowledge 200',
      'POST /:id/acknowledge 403',
      'POST /nothing/acknowledge 404',
    ],
  )
})

t.test(
  'cause of a website monitor names the location, in lists, single reads and the overview, also after the close (v3 5.9)',
  async t => {
    const place = 'aaaa'
    const meta = {
      url: 'https://shop.example/',
      locations: [place],
      interval_value: 60,
      interval_unit: 'MINUTE',
      failure_mode: 'all',
      confirm_after: 0,
      recover_after: 0,
    }
    const made = await call('POST', resources, { body: { template: 'website-check', name: 'Store', key: 'store', meta } })
    t.equal(made.status, 201, JSON.stringify(made.json))
    const signal = `reachability@${place}`
    await observe('store', { signal, state: 'problem', reason: 'status 503, expected 200' })
    const [{ id, cause, explanation }] = await ofResource('store')
    t.strictSame([cause, explanation], ['status 503, expected 200 (berlin)', '1 of 1 location failing'])
    t.equal((await read(id)).cause, cause)
    const { oldest } = (await call('GET', '/workspaces/w1/overview')).json.result
    t.ok(oldest.length > 0 && oldest.every((one: { cause: unknown }) => typeof one.cause === 'string'), 'the overview has it too')
    await world.clock.advance(minute)
    await observe('store', { signal, state: 'problem', reason: 'connection refused' })
    t.equal((await ofResource('store'))[0].cause, 'connection refused (berlin)', 'the newest reason counts')
    await world.clock.advance(minute)
    await observe('store', { signal })
    t.match(await read(id), { lifecycle: 'closed', cause: 'connection refused (berlin)', explanation: 'the location reports ok' })
    await world.store.upsert('incidents', [{ ...(await storedIncident(id)), cause: undefined as never }])
    t.equal((await read(id)).cause, 'status 503, expected 200 (berlin)', 'an older one has what its first record says')
    t.equal((await ofResource('store'))[0].cause, 'status 503, expected 200 (berlin)')
  },
)

async function storedIncident(id: string) {
  const internal = createIncidentIds(incidentSalt).decode(id)?.incidentId ?? ''
  const [found = null] = await world.store.get('incidents', [internal])
  if (found === null) throw new Error('no such incident')
  return found
}
