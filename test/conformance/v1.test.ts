// Generation 1 as its clients see it (reference/website-monitors): regions, rules, acknowledgement. The tests use the real keeper in
// virtual time. Cases that both generations share are in website-v2.test.ts.
import t from 'tap'
import { createIncidentIds } from '#shared/incidents/incident-ids.ts'
import { limits } from '#shared/limits/limits.ts'
import { allEntries } from '../support/check-entries.ts'
import { type Refusal, refuseAll, resultOf } from '../support/clients/answers.ts'
import { watchRefusals } from '../support/clients/documented-refusals.ts'
import type { Answer } from '../support/worlds/api-world.ts'
import { closeMs, confirmMs, startWholeWorld, type WholeWorld } from '../support/worlds/whole-world.ts'

const rules = '/api/v1/rules'
const monitors = '/api/v2/monitoring/websites'
const home = 'home000000'
const other = 'other00000'
const foreign = 'foreign000'
const hour = 3_600_000
const minute = 60_000

let world: WholeWorld
let undocumented: string[]
let owner = ''
let editor = ''
let viewer = ''
let stranger = ''
let both = ''

t.before(async () => {
  const watched = watchRefusals(await startWholeWorld())
  world = watched.front
  undocumented = watched.undocumented
  owner = (await world.addPerson('owner', { [home]: 'owner' }, { displayName: 'Ada Owner' })).token
  editor = (await world.addPerson('editor', { [home]: 'editor' })).token
  viewer = (await world.addPerson('viewer', { [home]: 'viewer' })).token
  stranger = (await world.addPerson('stranger', { [foreign]: 'owner' })).token
  both = (await world.addPerson('both', { [home]: 'owner', [other]: 'editor' })).token
  await world.addLocations(['de', 'fr "west"', 'us'])
  const [french] = await world.store.get('locations', ['bbbb'])
  if (french) await world.store.upsert('locations', [{ ...french, displayName: 'France' }])
})
t.teardown(() => world.stop())

const get = (path: string, token: string | null = owner) => world.call('GET', path, { token })
const post = (path: string, body: unknown, token: string | null = owner) => world.call('POST', path, { token, body })
const remove = (path: string, token: string | null = owner) => world.call('DELETE', path, { token })
const rule = (change: Record<string, unknown> = {}): Record<string, unknown> => ({
  name: 'Shop',
  interval: 60,
  workspace_id: home,
  request: { url: 'https://shop.example/health', method: 'GET', content_type: 'application/json', data: '' },
  response: { statuses: [200], body: { content: '' } },
  ...change,
})
const created = async (change: Record<string, unknown> = {}) => resultOf(await post(rules, rule(change)))

const refuses = (refusals: readonly Refusal[]) => refuseAll(() => world.dump(), refusals)

t.test('GET /version is the same in both generations', async t => {
  t.equal(resultOf(await get('/api/version', viewer)), '2.0.0')
})

t.test('GET /v1/workspaces returns the memberships of the key owner with exactly the documented fields', async t => {
  t.strictSame(resultOf(await get('/api/v1/workspaces', both)), [
    { id: home, name: `Name of ${home}`, role: 'owner', kind: 'workspace' },
    { id: other, name: `Name of ${other}`, role: 'editor', kind: 'workspace' },
  ])
  t.strictSame(resultOf(await get('/api/v1/workspaces', both)), resultOf(await get('/api/v2/workspaces', both)))
})

t.test('GET /v1/regions returns every location to every key, with display_name if it is set', async t => {
  await world.bus.bucket('presence').put('prober.bbbb.one', {})
  t.strictSame(resultOf(await get('/api/v1/regions', stranger)), [
    { id: 'aaaa', name: 'de', active_workers_count: 0, kind: 'region' },
    { id: 'bbbb', name: 'fr "west"', display_name: 'France', active_workers_count: 1, kind: 'region' },
    { id: 'cccc', name: 'us', active_workers_count: 0, kind: 'region' },
  ])
})

t.test('rule has exactly the fields and kinds of generation 1 in create, read and list', async t => {
  const sent = rule({
    name: 'Full',
    interval: 86_400,
    kind: 'website_monitor',
    id: 'ignored',
    request: { url: 'http://a.example', method: 'PUT', content_type: 'text/plain', data: 'x', kind: 5 },
    response: { statuses: [599, 100, 100], body: { content: 'ok', kind: null }, kind: [] },
    regions: ['us', 'de', 'us'],
  })
  const stored = resultOf(await post(rules, sent, both))
  t.match(stored.id, /^[0-9A-Za-z]{10}$/)
  t.strictSame(stored, {
    id: stored.id,
    name: 'Full',
    interval: 86_400,
    workspace_id: home,
    request: { url: 'http://a.example', method: 'PUT', content_type: 'text/plain', data: 'x', kind: 'rule_request' },
    response: {
      statuses: [599, 100, 100],
      body: { content: 'ok', kind: 'rule_response_body' },
      kind: 'rule_response',
    },
    regions: ['us', 'de'],
    kind: 'rule',
  })
  t.strictSame(resultOf(await get(`${rules}/${stored.id}`)), stored, 'read your write')
  t.strictSame(resultOf(await get(`${rules}?workspace_id=${home}`)).at(-1), stored)
})

t.test('rule that is created without regions has no regions and is never checked', async t => {
  const stored = await created()
  t.strictSame(stored.regions, [])
  t.equal([...(await allEntries(world.bus)).keys()].filter(key => key.endsWith(stored.id)).length, 0)
})

t.test('absent and null fields get their defaults and are always returned', async t => {
  const stored = await created({
    request: { url: 'https://a.example', method: 'HEAD', content_type: '', data: null },
    response: { statuses: [200], body: null },
    regions: null,
  })
  t.strictSame(stored.request, {
    url: 'https://a.example',
    method: 'HEAD',
    content_type: 'application/json',
    data: '',
    kind: 'rule_request',
  })
  t.strictSame(stored.response.body, { content: '', kind: 'rule_response_body' })
  t.strictSame(stored.regions, [])
})

t.test('locations and agreement are ignored as unknown fields', async t => {
  const stored = await created({ regions: ['de'], locations: 5, agreement: ['x'] })
  t.strictSame(stored.regions, ['de'])
  t.equal(resultOf(await get(`${monitors}/${stored.id}`)).agreement, 'majority')
})

for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']) {
  t.test(`method ${method} is accepted also in generation 1`, async t => {
    const stored = await created({ request: { url: 'https://a.example', method } })
    t.equal(stored.request.method, method)
  })
}

const wrong = (title: string, change: Record<string, unknown>, details?: string, message = 'Validation failed'): Refusal => ({
  title: `a rule with ${title}`,
  send: () => post(rules, rule(change)),
  code: 2001,
  message,
  ...(details === undefined ? {} : { details }),
})
const badType = (title: string, change: Record<string, unknown>): Refusal => ({
  title: `a rule with ${title}`,
  send: () => post(rules, rule(change)),
  code: 2006,
  message: 'Invalid JSON',
})
refuses([
  wrong('no name', { name: undefined }, "Field 'name' is required"),
  wrong('no interval', { interval: null }, "Field 'interval' is required"),
  wrong('no workspace_id', { workspace_id: '' }, "Field 'workspace_id' is required"),
  wrong('no request', { request: undefined }, "Field 'request.url' is required"),
  wrong('no method', { request: { url: 'https://a.example' } }, "Field 'request.method' is required"),
  wrong('no response', { response: undefined }, "Field 'response.statuses' is required"),
  wrong('a name of 101 characters', { name: 'é'.repeat(101) }),
  wrong('an interval of 59 s', { interval: 59 }),
  wrong('an interval of 90 s', { interval: 90 }),
  wrong('an interval over a day', { interval: 86_460 }),
  wrong('the method TRACE', { request: { url: 'https://a.example', method: 'TRACE' } }),
  wrong('an ftp URL', { request: { url: 'ftp://a.example', method: 'GET' } }),
  wrong('a URL of 2,049 characters', { request: { url: `https://a.example/${'a'.repeat(2_031)}`, method: 'GET' } }),
  wrong('no status', { response: { statuses: [] } }),
  wrong('11 statuses', { response: { statuses: Array(11).fill(200) } }),
  wrong('the status 600', { response: { statuses: [600] } }),
  wrong('data over 64 KiB', { request: { url: 'https://a.example', method: 'POST', data: 'x'.repeat(65_537) } }),
  wrong('content over 4,096 characters', { response: { statuses: [200], body: { content: 'x'.repeat(4_097) } } }),
  wrong('65 regions', { regions: Array(65).fill('de') }, "Field 'regions' must hold at most 64 names"),
  wrong('an unknown region', { regions: ['de', 'mars'] }, 'Unknown region: mars', 'invalid regions'),
  wrong('a region id in place of its name', { regions: ['aaaa'] }, 'Unknown region: aaaa', 'invalid regions'),
  wrong('a display name in place of a name', { regions: ['France'] }, 'Unknown region: France', 'invalid regions'),
  badType('regions that are a text', { regions: 'de' }),
  badType('regions that hold null', { regions: [null] }),
  badType('a name that is a number', { name: 5 }),
  badType('statuses that hold a text', { response: { statuses: ['200'] } }),
  {
    title: 'a broken body',
    send: () => world.call('POST', rules, { token: owner, raw: '{broken', headers: { 'content-type': 'application/json' } }),
    code: 2006,
    message: 'Invalid JSON',
  },
  {
    title: 'a body over 1 MiB',
    send: () => post(rules, rule({ extra: 'x'.repeat(limits.http.bodyBytes) })),
    code: 2006,
    message: 'Request too large',
  },
  {
    title: 'creating in a workspace of others',
    send: () => post(rules, rule({ workspace_id: foreign })),
    code: 2005,
    message: 'Access denied',
    details: 'User does not have access to this workspace',
  },
  { title: 'creating in an unknown workspace', send: () => post(rules, rule({ workspace_id: 'nothing000' })), code: 2005 },
  { title: 'creating as a viewer', send: () => post(rules, rule(), viewer), code: 2005, message: 'Access denied' },
])

refuses([
  {
    title: 'listing without workspace_id',
    send: () => get(rules),
    code: 2004,
    message: 'Missing workspace ID',
    details: 'workspace_id query parameter is required',
  },
  { title: 'listing with an empty workspace_id', send: () => get(`${rules}?workspace_id=`), code: 2004 },
  {
    title: 'listing a workspace of others',
    send: () => get(`${rules}?workspace_id=${foreign}`),
    code: 2005,
    message: 'Access denied',
    details: 'User does not have access to this workspace',
  },
  ...['nothing000', 'a%00b', '%2e%2e%2f', 'x'.repeat(3_000), '%F0%9F%98%80'].map(id => ({
    title: `listing the unknown workspace ${id.slice(0, 12)}`,
    send: () => get(`${rules}?workspace_id=${id}`),
    code: 2002,
    message: 'Workspace not found',
  })),
  ...['nothing000', 'a%2Fb', '%00', 'x'.repeat(5_000)].flatMap(id =>
    (['GET', 'POST', 'DELETE'] as const).map(method => ({
      title: `${method} of the unknown rule ${id.slice(0, 12)}`,
      send: () => world.call(method, `${rules}/${id}`, { token: owner, ...(method === 'POST' ? { body: rule() } : {}) }),
      code: 2002,
      message: 'Rule not found',
      details: 'Rule does not exist or access denied',
    })),
  ),
  ...(
    [
      ['PUT', `${rules}/abcdefghij`],
      ['PATCH', rules],
      ['GET', '/api/v1/locations'],
      ['GET', '/api/v1/incidents'],
      ['POST', '/api/v1/regions'],
      ['GET', `${rules}/abcdefghij/incidents`],
      ['GET', `${rules}/abcdefghij/incidents/x/acknowledge`],
      ['POST', `${rules}/abcdefghij/incidents/a/b/acknowledge`],
      ['POST', '/api/v2/monitoring/websites/abcdefghij/incidents/x/acknowledge'],
      ['GET', '/api/v2/regions'],
    ] as const
  ).map(([method, path]) => ({
    title: `${method} ${path}, which generation 1 never had,`,
    send: () => world.call(method, path, { token: owner }),
    code: 2002,
    message: 'Not found',
  })),
])

t.test('list returns the rules of the workspace by creation, or []', async t => {
  t.strictSame(resultOf(await get(`${rules}?workspace_id=${other}`, both)), [])
  for (const name of ['b', 'a']) {
    await world.clock.advance(1)
    resultOf(await post(rules, rule({ name, workspace_id: other }), both))
  }
  const listed = resultOf(await get(`${rules}?workspace_id=${other}`, both)) as { name: string }[]
  t.strictSame(
    listed.map(({ name }) => name),
    ['b', 'a'],
  )
})

t.test('rule of an unreachable workspace gets the same response as an unknown rule', async t => {
  const { id } = await created()
  for (const method of ['GET', 'POST', 'DELETE']) {
    const options = method === 'POST' ? { body: rule() } : {}
    const unreachable = await world.call(method, `${rules}/${id}`, { token: stranger, ...options })
    const unknown = await world.call(method, `${rules}/nothing000`, { token: stranger, ...options })
    t.strictSame(unreachable.json, unknown.json, method)
  }
})

t.test('viewer reads rules and regions, and cannot change them', async t => {
  const { id } = await created()
  resultOf(await get(`${rules}/${id}`, viewer))
  resultOf(await get(`${rules}?workspace_id=${home}`, viewer))
  t.match((await post(`${rules}/${id}`, rule(), viewer)).json.error, { code: 2005, message: 'Access denied' })
  t.match((await remove(`${rules}/${id}`, viewer)).json.error, { code: 2005, message: 'Access denied' })
  t.equal(resultOf(await get(`${rules}/${id}`)).name, 'Shop')
})

t.test('viewer reads neither credentials of the address nor the request body of a rule', async t => {
  const request = { url: 'https://me:hidden@shop.example/?token=abc', method: 'POST', data: 'secret' }
  const stored = await created({ request })
  t.match(stored.request, request)
  const shown = { ...stored, request: { ...stored.request, url: 'https://shop.example/?token=redacted', data: '' } }
  t.strictSame(resultOf(await get(`${rules}/${stored.id}`, viewer)), shown)
  const listed = resultOf(await get(`${rules}?workspace_id=${home}`, viewer))
  t.strictSame(
    listed.find((one: { id: string }) => one.id === stored.id),
    shown,
  )
  t.strictSame(resultOf(await get(`${rules}/${stored.id}`, editor)), stored)
})

t.test('update replaces every field, and a rule without regions is not checked', async t => {
  const before = await created({ regions: ['de', 'us'] })
  t.not(await world.checkEntry('aaaa', before.id), null)
  const sent = {
    name: 'New',
    interval: 120,
    request: { url: 'https://b.example', method: 'POST' },
    response: { statuses: [201] },
  }
  const stored = resultOf(await post(`${rules}/${before.id}`, { ...sent, workspace_id: foreign, id: 'ignored' }, editor))
  t.strictSame(stored, {
    id: before.id,
    name: 'New',
    interval: 120,
    workspace_id: home,
    request: { url: 'https://b.example', method: 'POST', content_type: 'application/json', data: '', kind: 'rule_request' },
    response: { statuses: [201], body: { content: '', kind: 'rule_response_body' }, kind: 'rule_response' },
    regions: [],
    kind: 'rule',
  })
  for (const location of ['aaaa', 'cccc']) t.equal(await world.checkEntry(location, before.id), null)
  resultOf(await post(`${rules}/${before.id}`, { ...sent, regions: ['us'] }))
  t.match(await world.checkEntry('cccc', before.id), { url: 'https://b.example', intervalMs: 2 * minute }, 'until assigned again')
})

t.test('update with an unknown region is refused, and the stored rule stays unchanged', async t => {
  const before = await created({ regions: ['de'] })
  const answer = await post(`${rules}/${before.id}`, rule({ regions: ['mars'] }))
  t.match(answer.json.error, { code: 2001, message: 'invalid regions', details: 'Unknown region: mars' })
  t.strictSame(resultOf(await get(`${rules}/${before.id}`)), before)
})

t.test('update with an unchanged copy of the rule changes nothing', async t => {
  const before = await created({ regions: ['us', 'fr "west"'] })
  t.strictSame(resultOf(await post(`${rules}/${before.id}`, before)), before)
})

t.test('monitor of generation 2 is a rule in generation 1, which neither shows nor changes its `agreement`', async t => {
  const monitor = resultOf(await post(monitors, rule({ locations: ['us', 'de'], agreement: 'all', regions: ['mars'] })))
  const seen = resultOf(await get(`${rules}/${monitor.id}`))
  t.strictSame(Object.keys(seen).sort(), ['id', 'interval', 'kind', 'name', 'regions', 'request', 'response', 'workspace_id'])
  t.strictSame(seen.regions, ['us', 'de'])
  t.equal(seen.kind, 'rule')
  const updated = resultOf(await post(`${rules}/${monitor.id}`, { ...seen, name: 'By v1', regions: ['de'], agreement: 'any' }))
  t.strictSame(updated, { ...seen, name: 'By v1', regions: ['de'] })
  t.strictSame(resultOf(await get(`${monitors}/${monitor.id}`)), {
    ...monitor,
    name: 'By v1',
    locations: ['de'],
    agreement: 'all',
  })
  resultOf(await post(`${monitors}/${monitor.id}`, { ...monitor, agreement: 'any' }))
  t.strictSame(resultOf(await get(`${rules}/${monitor.id}`)), seen)
})

t.test('deletion returns message and rule_id, and the rule is gone from both generations', async t => {
  const { id } = await created({ regions: ['de'] })
  t.strictSame(resultOf(await remove(`${rules}/${id}`, editor)), { message: 'Rule deleted successfully', rule_id: id })
  for (const [method, body] of [['GET'], ['POST', rule()], ['DELETE']] as const) {
    t.equal((await world.call(method, `${rules}/${id}`, { token: owner, body })).json.error.code, 2002, `v1 ${method}`)
    t.equal((await world.call(method, `${monitors}/${id}`, { token: owner, body })).json.error.code, 2002, `v2 ${method}`)
  }
  const listed = resultOf(await get(`${rules}?workspace_id=${home}`)) as { id: string }[]
  t.notOk(listed.some(found => found.id === id))
  t.equal(await world.checkEntry('aaaa', id), null, 'nobody checks it any more')
})

/** A rule in one region whose incident has just opened. */
const troubled = async (change: Record<string, unknown> = {}) => {
  const { id } = await created({ regions: ['de'], ...change })
  await world.report(id, 'aaaa', false)
  const [incident] = resultOf(await get(`/api/v2/incidents?workspace_id=${home}&monitor_id=${id}`))
  return { id, incident, path: `${rules}/${id}/incidents/${incident.id}/acknowledge` }
}
const acknowledge = (path: string, token = owner) => world.call('POST', path, { token })
const listedIncident = async (id: string) =>
  resultOf(await get(`/api/v2/incidents?workspace_id=${home}&monitor_id=${id}`))[0] ?? null
/** Lets time pass and repeats the result of the rule once a minute, so that the rule never becomes silent. */
const pass = async (id: string, ms: number, ok: boolean) => {
  for (let passed = 0; passed < ms; passed += minute) {
    await world.clock.advance(minute)
    await world.report(id, 'aaaa', ok)
  }
}
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/

t.test('acknowledgement of an open incident returns exactly the documented fields and changes no status', async t => {
  const { id, incident, path } = await troubled()
  await world.clock.advance(1_234)
  const at = new Date(world.clock.now()).toISOString()
  t.strictSame(resultOf(await acknowledge(path)), {
    incident_id: incident.id,
    monitor_id: id,
    status: 'pending',
    acknowledged: true,
    acknowledged_at: at,
    acknowledged_by: 'Ada Owner',
    recorded: true,
    trouble_since: incident.trouble_since,
    confirmed_at: null,
    well_since: null,
    closed_at: null,
    kind: 'incident_acknowledgement',
  })
  t.match(at, timestamp)
  t.strictSame(await listedIncident(id), incident, 'the listed incident is what it was, without a word of it')
  const history = await world.store.find('history', { where: { subjectId: id }, sort: [['sequence', 'asc']], limit: 10 })
  t.strictSame(
    history.map(entry => entry.kind),
    ['pending', 'acknowledged'],
    'it stands in the timeline',
  )
})

t.test('repeated acknowledgement returns recorded false with the first person and time', async t => {
  const { path } = await troubled()
  const first = resultOf(await acknowledge(path, editor))
  t.equal(first.acknowledged_by, 'editor', 'the username where there is no display name')
  await world.clock.advance(5_000)
  for (const token of [editor, owner]) t.strictSame(resultOf(await acknowledge(path, token)), { ...first, recorded: false })
})

t.test('acknowledgement is accepted in every open state of an incident', async t => {
  const pending = await troubled()
  t.equal(resultOf(await acknowledge(pending.path)).status, 'pending')

  const problem = await troubled()
  await pass(problem.id, confirmMs, false)
  const confirmed = resultOf(await acknowledge(problem.path))
  t.match(confirmed, { status: 'problem', well_since: null, closed_at: null })
  t.equal(Date.parse(confirmed.confirmed_at) - Date.parse(confirmed.trouble_since), confirmMs)

  const recovering = await troubled()
  await world.report(recovering.id, 'aaaa', true)
  const well = resultOf(await acknowledge(recovering.path))
  t.match(well, { status: 'recovering', confirmed_at: null, closed_at: null })
  t.match(well.well_since, timestamp)

  const silent = await troubled()
  await world.clock.advance(3 * minute + confirmMs)
  t.match(resultOf(await acknowledge(silent.path)), { status: 'no_data' })
})

t.test('acknowledgement stops the four-hour reminders of its own incident only', async t => {
  // The interval is so long that no silence occurs during the test.
  const quiet = await troubled({ interval: 86_400 })
  const loud = await troubled({ interval: 86_400 })
  await world.clock.advance(confirmMs)
  resultOf(await acknowledge(quiet.path))
  await world.clock.advance(4 * hour)
  const told = async (subjectId: string) => {
    const alerts = await world.store.find('alerts', { where: { subjectId }, limit: 100 })
    // Acknowledgements go only to destinations that generation 1 does not know (v3 10.16).
    const known = alerts.filter(({ kind }) => kind !== 'acknowledged')
    return known.map(({ kind, reminder }) => `${kind}${reminder ? ' again' : ''}`).sort()
  }
  t.strictSame(await told(quiet.id), ['problem'])
  t.strictSame(await told(loud.id), ['problem', 'problem again'])
  await world.report(quiet.id, 'aaaa', true)
  await world.clock.advance(closeMs)
  t.strictSame(await told(quiet.id), ['problem', 'recovery'], 'a recovery is told all the same')
})

t.test('acknowledgement of a closed incident returns an earlier acknowledgement, or is refused if there is none', async t => {
  const never = await troubled()
  const before = await troubled()
  await pass(before.id, confirmMs, false)
  const first = resultOf(await acknowledge(before.path, editor))
  await world.report(never.id, 'aaaa', true)
  await world.report(before.id, 'aaaa', true)
  const wellSince = (await listedIncident(before.id)).well_since
  await world.clock.advance(closeMs)
  t.equal(await listedIncident(before.id), null, 'closed')
  t.match((await acknowledge(never.path)).json.error, {
    code: 2004,
    error_type: 'internal_error',
    message: 'Incident is closed',
  })
  t.strictSame(resultOf(await acknowledge(before.path)), {
    ...first,
    status: 'ok',
    recorded: false,
    well_since: wellSince,
    closed_at: wellSince,
  })
})

t.test('acknowledgement refuses a body of one byte or more, whatever the headers say', async t => {
  const { path } = await troubled()
  const send = (raw: string | Uint8Array, headers: Record<string, string> = {}) =>
    world.call('POST', path, { token: owner, raw, headers })
  const json = { 'content-type': 'application/json' }
  const refusal = { code: 2001, error_type: 'validation_error', message: 'This request takes no body' }
  const before = await world.dump()
  for (const raw of ['{}', ' ', '{broken', 'null', '\n', 'x'.repeat(limits.http.bodyBytes + 1)]) {
    t.match((await send(raw, json)).json.error, refusal, JSON.stringify(raw.slice(0, 10)))
  }
  t.match((await send('a=b', { 'content-type': 'application/x-www-form-urlencoded' })).json.error, refusal)
  t.match((await send(new Uint8Array([0]))).json.error, refusal)
  t.match((await send('x', { 'content-encoding': 'gzip' })).json.error, refusal)
  t.equal(await world.dump(), before)
  t.equal(resultOf(await send('', json)).recorded, true, 'an empty body is no body')
})

t.test('acknowledgement is refused with a body, and accepted without a body, under any Content-Type', async t => {
  const types = ['foo', '', 'application//json', 'a/b/c', 'application/json,text/plain']
  for (const type of types) {
    const { path } = await troubled()
    const send = (raw?: string) =>
      world.call('POST', path, { token: owner, headers: { 'content-type': type }, ...(raw ? { raw } : {}) })
    t.match((await send('{}')).json.error, { code: 2001, message: 'This request takes no body' }, `'${type}' with a body`)
    t.equal(resultOf(await send()).recorded, true, `'${type}' without a body`)
  }
})

t.test('incident is unknown if its id belongs to another monitor', async t => {
  const mine = await troubled()
  const others = await troubled()
  const { id: strangers } = resultOf(await post(rules, rule({ workspace_id: foreign, regions: ['de'] }), stranger))
  await world.report(strangers, 'aaaa', false)
  const [foreignIncident] = resultOf(await get(`/api/v2/incidents?workspace_id=${foreign}`, stranger))
  const ids = createIncidentIds('salt')
  const wrongIds: [title: string, id: string][] = [
    ['of another monitor', others.incident.id],
    ['of another workspace', foreignIncident.id],
    ['the inner id', `${mine.id}.1`],
    ['one that never was', ids.encode(`${mine.id}.2`)],
    ['made with another salt', createIncidentIds('other').encode(`${mine.id}.1`)],
    ['a number', '1'],
    ['the monitor id', mine.id],
    ['an encoded slash', 'a%2Fb'],
    ['a zero byte', '%00'],
    ['upper case', mine.incident.id.toUpperCase()],
    ['very long', 'i'.repeat(5_000)],
  ]
  const before = await world.dump()
  for (const [title, id] of wrongIds) {
    const { error } = (await acknowledge(`${rules}/${mine.id}/incidents/${id}/acknowledge`)).json
    t.match(error, { code: 2002, error_type: 'not_found', message: 'Incident not found' }, title)
  }
  t.equal(await world.dump(), before)
})

t.test('acknowledgement is checked in the order key, rule, incident, role, body, state', async t => {
  const { id, incident } = await troubled()
  const closed = await troubled()
  await world.report(closed.id, 'aaaa', true)
  await world.clock.advance(closeMs)
  const send = (rule: string, incidentId: string, token: string | null, raw?: string) =>
    world.call('POST', `${rules}/${rule}/incidents/${incidentId}/acknowledge`, { token, ...(raw ? { raw } : {}) })
  const cases: [title: string, answer: Promise<Answer>, code: number, message: string][] = [
    ['key first', send('nothing000', 'x', null, 'x'), 1001, 'Missing Authorization header'],
    ['an unknown rule', send('nothing000', incident.id, viewer, 'x'), 2002, 'Rule not found'],
    ['an unreachable rule', send(id, incident.id, stranger, 'x'), 2002, 'Rule not found'],
    ['an unknown incident before the role', send(id, 'x', viewer, 'x'), 2002, 'Incident not found'],
    ['the role before the body', send(id, incident.id, viewer, 'x'), 2005, 'Access denied'],
    ['a viewer', send(id, incident.id, viewer), 2005, 'Access denied'],
    ['the role before the state', send(closed.id, closed.incident.id, viewer), 2005, 'Access denied'],
    ['the body before the state', send(closed.id, closed.incident.id, editor, 'x'), 2001, 'This request takes no body'],
    ['the state', send(closed.id, closed.incident.id, editor), 2004, 'Incident is closed'],
  ]
  for (const [title, answer, code, message] of cases) t.match((await answer).json.error, { code, message }, title)
})

t.test('request on a subject that became custom is refused with the routes that now serve it', async t => {
  const { id, path } = await troubled({ name: 'Café' })
  const [stored] = await world.store.get('subjects', [id])
  if (stored) await world.store.upsert('subjects', [{ ...stored, kind: 'custom' }])
  const answers = [
    get(`${rules}/${id}`),
    post(`${rules}/${id}`, rule()),
    remove(`${rules}/${id}`),
    acknowledge(path),
    get(`${rules}/${id}`, viewer),
  ]
  for (const answer of await Promise.all(answers)) {
    t.match(answer.json.error, { code: 2004, message: 'Custom subjects are managed elsewhere' })
    t.match(answer.json.error.details, '/v2/subjects/caf%C3%A9')
  }
  const listed = resultOf(await get(`${rules}?workspace_id=${home}`)) as { id: string }[]
  t.notOk(listed.some(found => found.id === id))
  t.equal((await get(`${rules}/${id}`, stranger)).json.error.code, 2002, 'who cannot reach it learns nothing')
})

t.test('incident of a deleted rule is not found', async t => {
  const { id, path } = await troubled()
  resultOf(await remove(`${rules}/${id}`))
  t.match((await acknowledge(path)).json.error, { code: 2002, message: 'Rule not found' })
  t.equal(await listedIncident(id), null)
})

t.test('deleted rule ignores late results, elapsed delays and reminders', async t => {
  const pending = await troubled({ interval: 86_400 })
  const confirmed = await troubled({ interval: 86_400 })
  await world.clock.advance(confirmMs - minute)
  const begun = await troubled({ interval: 86_400 })
  await world.clock.advance(minute)
  t.match(await listedIncident(confirmed.id), { status: 'problem' })
  const gone = [pending.id, confirmed.id, begun.id]
  for (const id of gone) resultOf(await remove(`${rules}/${id}`))
  for (const id of gone) await world.report(id, 'aaaa', false, { rev: 1_000 })
  await world.clock.advance(5 * hour)
  for (const id of gone) await world.report(id, 'aaaa', true, { rev: 1_000 })
  await world.clock.advance(closeMs)
  for (const collection of ['incidents', 'history', 'alerts', 'observations', 'deadLetters'] as const) {
    // What is open elsewhere still ends: its last message outlives the subject (v3 10.16).
    const left = (await world.store.find(collection, { limit: 10_000 })).filter(
      found => gone.some(id => JSON.stringify(found).includes(id)) && !('kind' in found && found.kind === 'withdrawn'),
    )
    t.strictSame(left, [], collection)
  }
  for (const id of gone) t.equal(await world.checkEntry('aaaa', id), null)
})

t.test('incident that closes between read and command is returned in its new state', async t => {
  const never = await troubled()
  const before = await troubled()
  const first = resultOf(await acknowledge(before.path, editor))
  for (const { id } of [never, before]) await world.report(id, 'aaaa', true)
  const incidents = async () =>
    (await world.store.find('incidents', { limit: 10_000 })).filter(found => [never.id, before.id].includes(found.subjectId))
  const open = await incidents()
  await world.clock.advance(closeMs)
  const closed = await incidents()
  t.strictSame(
    [...open, ...closed].map(incident => incident.open),
    [1, 1, 0, 0],
  )
  // The gateway reads the open incidents. The closed incidents replace them in the store when the gateway sends its command.
  const commanded = await world.bus.subscribe('cmd.*.*', () => void world.store.upsert('incidents', closed))
  await world.store.upsert('incidents', open)
  t.match(resultOf(await acknowledge(before.path)), { recorded: false, status: 'ok', acknowledged_by: first.acknowledged_by })
  await world.store.upsert('incidents', open)
  t.match((await acknowledge(never.path)).json.error, { code: 2004, message: 'Incident is closed' })
  await commanded.close()
})

t.test('OpenAPI document of a route lists every refusal that the requests of this file received', async t =>
  t.strictSame(undocumented, []),
)
