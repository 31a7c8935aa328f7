// Lists of Resources with filters over HTTP. Reference: docs/reference/v3.md, 9.1 to 9.4.
import t from 'tap'
import { type ApiWorld, startApiWorld } from '../../support/worlds/api-world.ts'

let world: ApiWorld
let token: string
const field = (key: string, type: string, more: object = {}) => ({ key, type, ...more })
const host = {
  key: 'host',
  version: 1,
  name: 'Host',
  fields: [
    ...['one', 'two', 'three', 'four', 'five', 'six'].map(key => field(key, 'integer', { default: 1 })),
    field('load_share', 'number'),
    field('ports', 'integer_list'),
  ],
  signals: [{ key: 'probe', kind: 'heartbeat', every_seconds: 60 }],
  rules: [
    {
      key: 'down',
      action: 'Restart the host.',
      wait: { confirm_after: 0, recover_after: 0 },
      decision: { signal: 'probe', field: 'status', operator: 'eq', operand: 'problem' },
    },
  ],
}
const list = (query: string) => world.call('GET', `/api/v3/workspaces/w1/resources${query}`, { token })
const create = async (key: string, more: object) => {
  const body = { template: 'host', key, name: key, ...more }
  const { status } = await world.call('POST', '/api/v3/workspaces/w1/resources', { token, body })
  t.equal(status, 201, key)
}
const keysOf = async (query: string): Promise<string[]> => {
  const { status, json } = await list(query)
  if (status !== 200) throw new Error(JSON.stringify(json.error))
  return json.result.map((resource: { key: string }) => resource.key).sort()
}

t.before(async () => {
  world = await startApiWorld()
  token = (await world.addPerson('olga', { w1: 'owner' })).token
  const { status } = await world.call('POST', '/api/v3/workspaces/w1/templates', { token, body: host })
  t.equal(status, 201)
  await create('a', { meta: { load_share: 0.4 }, labels: { env: 'test' } })
  await create('b', { meta: { load_share: 4, two: 7 }, labels: { env: 'test', team: 'à b+c' } })
  await create('c', {})
  await world.addSubject({ id: 'Website001', workspaceId: 'w1', slug: 'site' })
})
t.teardown(() => world.stop())

t.test('list shows the Resources that match every filter (v3 9.3, 9.4)', async t => {
  const cases: [query: string, keys: string[]][] = [
    ['', ['a', 'b', 'c', 'site']],
    ['?template=host', ['a', 'b', 'c']],
    ['?template=host@1', ['a', 'b', 'c']],
    ['?template=host@2', []],
    ['?template=website-check', ['site']],
    ['?template=website-check&meta.url=https%3A%2F%2Fexample.test%2F', ['site']],
    ['?template=unknown', []],
    ['?template=host&meta.load_share=0.40', ['a']],
    ['?template=host&meta.two=1', ['a', 'c']],
    ['?template=host&meta.one=1&meta.two=1&meta.three=1&meta.four=1&meta.five=1', ['a', 'c']],
    ['?label.env=test', ['a', 'b']],
    ['?label.env=test&template=host&meta.two=7', ['b']],
    ['?label.team=%C3%A0+b%2Bc', ['b']],
    ['?label.none=x', []],
    ['?state=archived', []],
    ['?state=all&label.env=test', ['a', 'b']],
  ]
  for (const [query, keys] of cases) t.strictSame(await keysOf(query), keys, query)
})

t.test('Resource is found by its new `meta` and labels, and not by the old ones, right after PATCH (v3 9.3)', async t => {
  await create('d', { meta: { two: 50 }, labels: { stage: 'old' } })
  const change = { meta: { two: 51 }, labels: { stage: 'new' } }
  t.match(await world.call('PATCH', '/api/v3/workspaces/w1/resources/d', { token, body: change }), { status: 200 })
  t.strictSame(await keysOf('?template=host&meta.two=51&label.stage=new'), ['d'])
  t.strictSame(await keysOf('?template=host&meta.two=50'), [])
  t.strictSame(await keysOf('?label.stage=old'), [])
})

t.test('refusal of a filter names its parameter as sent (v3 9.3, 9.4, 1.5)', async t => {
  const long = 'x'.repeat(129)
  const cases: [query: string, field: string][] = [
    ['?meta.load_share=1', 'meta.load_share'],
    ['?template=unknown&meta.load_share=1', 'template'],
    ['?template=', 'template'],
    [`?template=${'x'.repeat(101)}`, 'template'],
    ['?template=host&meta.load_share=much', 'meta.load_share'],
    ['?template=host&meta.speed=1', 'meta.speed'],
    ['?template=host&meta.ports=1', 'meta.ports'],
    ['?template=host&meta.=1', 'meta.'],
    ['?template=host&meta.one=1&meta.one=1', 'meta.one'],
    ['?template=host&meta.one=1&meta.two=1&meta.three=1&meta.four=1&meta.five=1&meta.six=1', 'meta.six'],
    ['?template=website-check&meta.data=x', 'meta.data'],
    ['?label.a=1&label.b=1&label.c=1&label.d=1&label.e=1&label.f=1', 'label.f'],
    ['?label.env=', 'label.env'],
    [`?label.env=${long}`, 'label.env'],
    ['?label.env=%20a', 'label.env'],
    ['?label.Env=a', 'label.Env'],
    [`?label.${'x'.repeat(64)}=a`, `label.${'x'.repeat(64)}`],
    ['?label.=a', 'label.'],
    ['?state=gone', 'state'],
    ['?owner=a', 'owner'],
  ]
  for (const [query, refused] of cases) {
    const { status, json } = await list(query)
    t.strictSame([status, json.error?.code, json.error?.details], [422, 1422, { field: refused }], query)
  }
  t.equal((await list(`?label.env=${long.slice(1)}`)).status, 200)
  t.equal((await list(`?label.${'x'.repeat(63)}=a`)).status, 200)
  t.equal((await list('?label.a=1&label.b=1&label.c=1&label.d=1&label.e=1')).status, 200)
  t.equal((await list(`?template=${'x'.repeat(100)}`)).status, 200)
})

t.test('cursor is valid only with the filters of its list (v3 9.1)', async t => {
  const first = await list('?template=host&label.env=test&limit=1')
  const { next_cursor: cursor } = first.json.meta
  t.type(cursor, 'string')
  const second = await list(`?label.env=test&limit=2&template=host&cursor=${cursor}`)
  t.match(second, { status: 200, json: { meta: { next_cursor: null } } })
  t.strictSame([...first.json.result, ...second.json.result].map(({ key }) => key).sort(), ['a', 'b'])
  for (const query of ['?template=host', '?template=host&label.env=other', '?template=host&label.env=test&state=all', '']) {
    const { status, json } = await list(`${query}${query === '' ? '?' : '&'}cursor=${cursor}`)
    t.strictSame([status, json.error?.details], [422, { field: 'cursor' }], query)
  }
  const forged = Buffer.from(`${Buffer.from(cursor, 'base64url').toString().slice(0, 8)}/../x y`).toString('base64url')
  const { status, json } = await list(`?template=host&label.env=test&cursor=${forged}`)
  t.strictSame([status, json.error?.details], [422, { field: 'cursor' }])
})

t.test('filter tells a reader nothing about a value that the reader sees redacted (v3 9.3, 11.2)', async t => {
  const stored = 'https://me:hidden@pay.example/a?token=hidden&n=1'
  const shown = 'https://pay.example/a?token=redacted&n=1'
  const made = await world.addSubject({ id: 'Website002', workspaceId: 'w1', slug: 'pay' })
  await world.addSubject({ ...made, check: { ...made.check!, url: stored } })
  const fields = [field('api_token', 'string', { default: '' }), field('link', 'string', { default: '' })]
  const body = { ...host, key: 'linked', fields }
  t.equal((await world.call('POST', '/api/v3/workspaces/w1/templates', { token, body })).status, 201)
  const secrets = { meta: { api_token: 'hidden', link: '?key=hidden' }, labels: { 'api.key': 'hidden', see: stored } }
  await create('linked-1', { template: 'linked', ...secrets })
  const viewer = (await world.addPerson('vera', { w1: 'viewer' })).token
  const ask = async (name: string, value: string, by: string, more = '') => {
    const query = `${more}${name}=${encodeURIComponent(value)}`
    const { status, json } = await world.call('GET', `/api/v3/workspaces/w1/resources?${query}`, { token: by })
    const incidents = await world.call('GET', `/api/v3/workspaces/w1/incidents?${query}`, { token: by })
    t.equal(incidents.status, status, query)
    return status === 200 ? json.result.map((one: { key: string }) => one.key) : json.error.details
  }
  const website = 'template=website-check&'
  const linked = 'template=linked&'
  const cases: [name: string, value: string, more: string, full: unknown, redacted: unknown][] = [
    ['meta.url', stored, website, ['pay'], []],
    ['meta.url', shown, website, [], ['pay']],
    ['meta.url', 'https://pay.example/a?token=guess&n=1', website, [], []],
    ['meta.url', 'https://example.test/', website, ['site'], ['site']],
    ['meta.link', '?key=hidden', linked, ['linked-1'], []],
    ['meta.link', '?key=redacted', linked, [], ['linked-1']],
    ['meta.api_token', 'hidden', linked, ['linked-1'], { field: 'meta.api_token' }],
    ['label.api.key', 'hidden', '', ['linked-1'], { field: 'label.api.key' }],
    ['label.see', stored, '', ['linked-1'], []],
    ['label.see', shown, '', [], ['linked-1']],
  ]
  for (const [name, value, more, full, redacted] of cases) {
    t.strictSame(await ask(name, value, token, more), full, `${name}=${value} with a full key`)
    t.strictSame(await ask(name, value, viewer, more), redacted, `${name}=${value} of a viewer`)
  }
})
