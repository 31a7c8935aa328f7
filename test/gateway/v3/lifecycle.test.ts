// Archive, rebind and maintenance of Resources over HTTP. Each title cites its rule of docs/reference/v3.md.
import t from 'tap'
import { createDirectoryClient } from '#shared/bus/clients/clients.ts'
import type { KeyAction } from '#shared/contracts/account.ts'
import { hashToken, makeToken } from '#shared/tokens/api-token.ts'
import { v1Routes } from '../../../services/gateway/v1/routes.ts'
import { v2Routes } from '../../../services/gateway/v2/routes.ts'
import { type ApiWorld, type CallOptions, startApiWorld } from '../../support/worlds/api-world.ts'

let world: ApiWorld
let owner: string
let viewer: string
let berlin: string
t.before(async () => {
  world = await startApiWorld()
  owner = (await world.addPerson('olga', { w1: 'owner' })).token
  viewer = (await world.addPerson('vera', { w1: 'viewer' })).token
  const { ask } = createDirectoryClient(world.hub.connect(), world.clock)
  berlin = (await ask('ensure-location', { name: 'berlin' })).id
  const small = (version: number, maximum: number) => host(version, { key: 'load_max', type: 'number', default: 4, max: maximum })
  const team = { key: 'team', type: 'string', required: true }
  for (const body of [small(1, 100), small(2, 10), host(3, team), { ...small(1, 100), key: 'other' }])
    t.match(await call('POST', '/workspaces/w1/templates', { body }), { status: 201 })
})
t.teardown(() => world.stop())

const call = (method: string, path: string, options: CallOptions = {}) =>
  world.call(method, `/api/v3${path}`, { token: owner, ...options })

const resources = '/workspaces/w1/resources'
const host = (version: number, ...fields: object[]) => ({
  key: 'host',
  version,
  name: 'Host',
  fields,
  signals: [{ key: 'probe', kind: 'heartbeat', every_seconds: 60 }],
  rules: [
    {
      key: 'down',
      action: 'Restart the host.',
      wait: { confirm_after: 0, recover_after: 0 },
      decision: { signal: 'probe', field: 'status', operator: 'eq', operand: 'problem' },
    },
  ],
})
const website = () => ({
  template: 'website-check',
  meta: { url: 'https://shop.example/', locations: [berlin], interval_value: 5, data: 'secret' },
})

async function create(key: string, body: object = { template: 'host@1' }) {
  const { status, json } = await call('POST', resources, { body: { key, name: `Name of ${key}`, ...body } })
  t.equal(status, 201)
  return json.result
}

async function scopedKey(actions: KeyAction[]): Promise<string> {
  const token = makeToken()
  const { ask } = createDirectoryClient(world.hub.connect(), world.clock)
  const key = { id: `scoped-${actions[0]}`, description: '', tokenHash: hashToken(token), prefix: 'wk_', userId: 'user-olga' }
  await ask('create-key', { ...key, scope: { workspaceId: 'w1', actions } })
  return token
}

const observe = (key: string, state = 'ok') =>
  call('POST', `${resources}/${key}/observations`, { body: { signal: 'probe', state } })

t.test('archived Resource is readable, listed as archived, and keeps its key (v3 6.4)', async t => {
  const made = await create('old')
  await observe('old', 'problem')
  await call('PUT', `${resources}/old/maintenance`, { body: { minutes: 5 } })
  const { status, json } = await call('POST', `${resources}/old/archive`, { body: {} })
  t.equal(status, 200)
  t.match(json.result, { id: made.id, key: 'old', open_incident: null, maintenance: null })
  t.equal(Date.parse(json.result.archived_at), world.clock.now())
  t.match(json.result.rules, [{ key: 'down', status: 'problem', explanation: 'probe problem', open_incident: null }])
  for (const name of ['old', made.id]) t.strictSame((await call('GET', `${resources}/${name}`)).json.result, json.result)
  const listed = async (state: string) =>
    (await call('GET', `${resources}?limit=200${state}`)).json.result.some(({ id }: { id: string }) => id === made.id)
  t.strictSame(await Promise.all(['', '&state=archived', '&state=all'].map(listed)), [false, true, true])
  const again = { template: 'host@1', name: 'Another', key: 'old' }
  t.match(await call('POST', resources, { body: again }), { status: 409, json: { error: { details: { field: 'key' } } } })
  const ids = await call('POST', resources, { body: { ...again, key: undefined, name: 'Old' } })
  t.equal(ids.json.result.key, 'old-2')
})

t.test(
  'write to an archived Resource is refused for a faulty field, else for the archive, and never stored (v3 6.4)',
  async t => {
    await create('gone')
    const made = await create('gone-site', website())
    for (const key of ['gone', 'gone-site']) t.match(await call('POST', `${resources}/${key}/archive`), { status: 200 })
    const before = await world.store.get('subjects', [made.id])
    const cases: [method: string, path: string, body: unknown, status: number, field?: string][] = [
      ['POST', 'gone/archive', undefined, 409],
      ['POST', 'gone-site/archive', {}, 409],
      ['POST', 'gone/archive', { force: true }, 400, 'force'],
      ['PATCH', 'gone', { name: 'New' }, 409],
      ['PATCH', 'gone', {}, 409],
      ['PATCH', 'gone', { name: '' }, 422, 'name'],
      ['PATCH', 'gone', { meta: { load_max: 'x' } }, 422, 'load_max'],
      ['PATCH', 'gone-site', { meta: { url: 'https://new.example/' } }, 409],
      ['PATCH', 'gone-site', { meta: { url: 'ftp://new.example/' } }, 422, 'url'],
      ['POST', 'gone/rebind', { template: 'host@2' }, 409],
      ['POST', 'gone/rebind', { template: 'host@1' }, 422, 'template'],
      ['PUT', 'gone/maintenance', { minutes: 5 }, 409],
      ['PUT', 'gone/maintenance', { minutes: 0 }, 422, 'minutes'],
      ['DELETE', 'gone/maintenance', undefined, 409],
      ['POST', 'gone/observations', { signal: 'probe', state: 'ok' }, 422, 'resource'],
    ]
    for (const [method, path, body, status, field] of cases) {
      const answer = await call(method, `${resources}/${path}`, body === undefined ? {} : { body })
      t.match(answer, { status, json: { error: { code: 1000 + status } } }, `${method} ${path} ${JSON.stringify(body)}`)
      t.equal(answer.json.error.details.field, field)
    }
    t.match((await call('POST', `${resources}/gone/archive`, { token: viewer })).status, 403, 'the role comes before the state')
    const sentence = 'Resource gone is archived and accepts no Observations.'
    t.equal((await observe('gone')).json.error.message, sentence)
    const observations = [{ resource: 'gone', signal: 'probe', state: 'ok' }]
    const { json } = await call('POST', '/workspaces/w1/observations', { body: { observations } })
    t.match(json.result.results, [
      { status: 'rejected', error: { code: 1422, message: sentence, details: { field: 'resource' } } },
    ])
    t.strictSame(await world.store.get('subjects', [made.id]), before)
  },
)

t.test('keeper refuses an Observation when its Resource is archived while the Observation is on its way (v3 6.4)', async t => {
  const made = await create('racing')
  const [subject] = await world.store.get('subjects', [made.id])
  const racing = [observe('racing'), call('POST', `${resources}/racing/archive`), observe('racing')]
  const [first, archived, last] = await Promise.all(racing)
  t.match(archived, { status: 200 })
  const rows = await world.store.find('pushedObservations', { where: { id: { gte: made.id, lt: `${made.id}~` } }, limit: 9 })
  const accepted = [first, last].filter(answer => answer?.status === 202)
  t.equal(rows.length, accepted.length)
  for (const answer of [first, last])
    if (answer?.status !== 202) t.match(answer, { status: 422, json: { error: { details: { field: 'resource' } } } })
  t.not(subject, undefined)
})

t.test('archived subject is unknown to every route of generations 1 and 2 (v3 6.4)', async t => {
  const site = await create('site-1', website())
  const v2 = (method: string, path: string, body?: object) => world.call(method, `/api${path}`, { token: owner, body })
  const { result: custom } = (await v2('POST', '/v2/subjects', { name: 'Orders', workspace_id: 'w1' })).json
  const lists = async () => {
    const found: unknown[] = []
    for (const path of ['/v1/rules', '/v2/monitoring/websites', '/v2/subjects', '/v2/incidents'])
      found.push(...(await v2('GET', `${path}?workspace_id=w1`)).json.result.map((one: { id?: string }) => one.id))
    return found
  }
  t.ok((await lists()).includes(site.id) && (await lists()).includes(custom.id))
  for (const id of [site.id, custom.id]) t.match(await call('POST', `${resources}/${id}/archive`), { status: 200 })
  t.notOk((await lists()).includes(site.id) || (await lists()).includes(custom.id))
  const below = (generation: string, routes: typeof v2Routes) =>
    routes.map(({ method, path }) => ({ method, path: `/${generation}${path}` })).filter(({ path }) => path.includes('/:'))
  const all = [...below('v1', v1Routes), ...below('v2', v2Routes)].filter(({ path }) => !path.includes('/notifications/'))
  t.ok(all.length > 20)
  for (const { method, path } of all) {
    const named = path.replace(':subject', custom.id).replace(/:(id|uid)/, site.id)
    const { json } = await v2(method, `${named.replaceAll(/:\w+/g, 'any')}?workspace_id=w1`, method === 'GET' ? undefined : {})
    t.match(json.error, { code: 2002 }, `${method} ${path}`)
  }
})

t.test('Resource is bound to another revision and keeps the `meta` values that fit the revision (v3 6.5)', async t => {
  await create('bound', { template: 'host@1', meta: { load_max: 7 } })
  const rebind = (body: object, key = 'bound') => call('POST', `${resources}/${key}/rebind`, { body })
  await observe('bound', 'problem')
  t.match(await rebind({ template: 'host@2' }), { status: 200, json: { result: { template: 'host@2', meta: { load_max: 7 } } } })
  t.match(await rebind({ template: 'host', meta: { team: 'core' } }), {
    status: 200,
    json: { result: { template: 'host@3', meta: { load_max: undefined, team: 'core' }, rules: [{ status: 'problem' }] } },
  })
  t.match(await rebind({ template: 'other@1' }), {
    status: 200,
    json: { result: { template: 'other@1', meta: { load_max: 4 } } },
  })
  await create('bound-site', website())
  const refused: [body: object, status: number, field: string, key?: string][] = [
    [{}, 422, 'template'],
    [{ template: null }, 422, 'template'],
    [{ template: 7 }, 400, 'template'],
    [{ template: '' }, 422, 'template'],
    [{ template: 'nothing' }, 422, 'template'],
    [{ template: 'host@9' }, 422, 'template'],
    [{ template: 'other' }, 422, 'template'],
    [{ template: 'website-check' }, 422, 'template'],
    [{ template: 'host@1' }, 422, 'template', 'bound-site'],
    [{ template: 'host@1', name: 'x' }, 400, 'name'],
    [{ template: 'host@1', meta: 'x' }, 400, 'meta'],
    [{ template: 'host@1', meta: { speed: 1 } }, 422, 'speed'],
    [{ template: 'host@2', meta: { load_max: 10.5 } }, 422, 'load_max'],
    [{ template: 'host@3' }, 422, 'team'],
  ]
  const before = (await call('GET', `${resources}/bound`)).json.result
  for (const [body, status, field, key] of refused)
    t.match(await rebind(body, key), { status, json: { error: { details: { field } } } }, JSON.stringify(body))
  t.strictSame((await call('GET', `${resources}/bound`)).json.result, before)
  const scoped = await scopedKey(['resources', 'templates'])
  const { json } = await call('POST', `${resources}/bound/rebind`, { body: { template: 'host@1' }, token: scoped })
  t.strictSame(json.error.details, { scope: 'full' })
})

t.test('window runs for the requested minutes, keeps start and person when changed, and can be ended (v3 6.7)', async t => {
  await create('paused')
  const token = await scopedKey(['maintenance'])
  const path = `${resources}/paused/maintenance`
  const put = (minutes: unknown, options: CallOptions = {}) => call('PUT', path, { body: { minutes }, token, ...options })
  const shown = async () => (await call('GET', `${resources}/paused`)).json.result.maintenance
  const span = ({ from, until }: { from: string; until: string }) => Date.parse(until) - Date.parse(from)
  t.match(await call('DELETE', path), { status: 409, json: { error: { code: 1409, details: {} } } }, 'none runs')
  for (const [minutes, status] of [
    [0, 422],
    [10_081, 422],
    [-1, 422],
    [1.5, 422],
    ['60', 400],
    [null, 422],
  ] as const)
    t.match(await put(minutes), { status, json: { error: { details: { field: 'minutes' } } } }, `${minutes}`)
  t.match(await call('PUT', path), { status: 422, json: { error: { details: { field: 'minutes' } } } })
  t.equal(await shown(), null)
  const { status, json } = await put(10_080)
  t.equal(status, 200)
  t.match(json.result, { key: 'paused', rules: [{ key: 'down' }], maintenance: { by: 'olga' } })
  t.equal(span(json.result.maintenance), 10_080 * 60_000)
  const { from } = json.result.maintenance
  const later = (await world.addPerson('edda', { w1: 'editor' })).token
  const moved = (await put(1, { token: later })).json.result.maintenance
  t.match(moved, { from, by: 'olga' })
  t.equal(Date.parse(moved.until), world.clock.now() + 60_000)
  t.strictSame(await shown(), moved)
  t.match(await call('DELETE', path, { token }), { status: 200, json: { result: { key: 'paused', maintenance: null } } })
  t.match(await call('DELETE', path, { body: {} }), { status: 409 })
  t.match(await call('DELETE', path, { body: { now: true } }), { status: 400, json: { error: { details: { field: 'now' } } } })
  await create('paused-site', website())
  t.match(await call('PUT', `${resources}/paused-site/maintenance`, { body: { minutes: 3 } }), { status: 200 })
})
