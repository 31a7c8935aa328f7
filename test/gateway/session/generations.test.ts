// /api/v3 and /session/v2: the routes of generations 3 and 2 with a session in place of a key, over real HTTP (ADR 37).
import t from 'tap'
import { v2Routes } from '../../../services/gateway/v2/routes.ts'
import { v3Routes } from '../../../services/gateway/v3/routes.ts'
import { type DashboardWorld, startDashboardWorld } from '../../support/worlds/dashboard-world.ts'
import { confirmMs } from '../../support/worlds/whole-world.ts'

let world: DashboardWorld
t.before(async () => {
  world = await startDashboardWorld()
})
t.teardown(() => world.stop())

const v3 = (path: string) => `/api/v3/workspaces/${world.workspaceId}${path}`
const resource = {
  key: 'db-1',
  name: 'Database',
  template: 'website-check@1',
  meta: { url: 'https://db.example/', locations: ['aaaa'], interval_value: 1, interval_unit: 'HOUR' },
}

t.test('every route of generation 3 serves a session, and refuses a request without a session', async t => {
  const nobody = world.viewer.copy()
  nobody.cookies().clear()
  for (const { method, path, needs } of v3Routes) {
    const at = `/api/v3${path.replace(':workspace', world.workspaceId).replaceAll(/:\w+/g, 'unknown000')}`
    const given = method === 'GET' || method === 'DELETE' ? {} : { body: {} }
    const refused = await nobody.send(method, at, given)
    if (needs.role !== 'nobody') t.match([refused.status, refused.json.error?.code], [401, 1401], `${method} ${path}`)
    const shown = await world.viewer.send(method, at, given)
    t.notMatch(shown.text, 'There is no such route', `${method} ${path}`)
    t.not(shown.status, 401, `${method} ${path}`)
    t.ok(shown.status < 500, `${method} ${path}: ${shown.text}`)
  }
  t.match((await world.viewer.send('GET', '/api/v3/nothing')).json, { result: null, error: { code: 1404 } })
})

t.test('every route of generation 2 serves a session, and refuses a request without a session', async t => {
  const nobody = world.viewer.copy()
  nobody.cookies().clear()
  for (const { method, path } of v2Routes) {
    const at = `/session/v2${path.replaceAll(/:\w+/g, 'unknown000')}`
    const given = method === 'GET' || method === 'DELETE' ? {} : { body: {} }
    const refused = await nobody.send(method, at, given)
    t.match([refused.status, refused.json.error?.code], [401, 1001], `${method} ${path}`)
    const shown = await world.viewer.send(method, at, given)
    t.equal(shown.status, 200, `${method} ${path}: ${shown.text}`)
    t.notMatch(shown.text, 'There is no such route', `${method} ${path}`)
    t.not(shown.json.error?.code, 500, `${method} ${path}: ${shown.text}`)
  }
  const path = `/session/v2/notifications/transformations?workspace_id=${world.workspaceId}`
  const foreign = await world.stranger.send('GET', path)
  t.equal(foreign.json.error?.code, 2005, foreign.text)
  const cross = await world.editor.send('POST', path, { body: {}, headers: { origin: 'https://evil.example' } })
  t.equal(cross.json.error?.code, 2003)
})

t.test('refusal of generation 2 names the faulty field to a session, and has only the documented members for a key', async t => {
  const { workspaceId, editor, token } = world
  const inWorkspace = `?workspace_id=${workspaceId}`
  const make = (path: string, body: object) => editor.send('POST', `/session/v2${path}${inWorkspace}`, { body })
  const { id } = (await make('/subjects', { workspace_id: workspaceId, name: 'Fields' })).json.result
  await make(`/subjects/${id}/signals`, { name: 'Beat', kind: 'heartbeat' })
  const input = { signal: 'beat', mode: 'status' }
  const rule = { name: 'Failing', document: { inputs: [input], decision: { need: 'any' } } }
  await make(`/subjects/${id}/rules`, rule)
  const [subjects, signals, rules] = ['/subjects', `/subjects/${id}/signals`, `/subjects/${id}/rules`] as const
  const transformations = '/notifications/transformations'
  const documentOf = (over: object) => ({ name: 'Other', document: { ...rule.document, ...over } })
  await make(transformations, { workspace_id: workspaceId, name: 'Pager', template: '{"text": "{{ summary }}"}' })
  const cases: [path: string, body: object, field: string | undefined][] = [
    [subjects, { workspace_id: workspaceId, name: '!!' }, 'name'],
    [subjects, { workspace_id: workspaceId }, 'name'],
    [signals, { name: 'beat', kind: 'event' }, 'name'],
    [signals, { name: 'Other', kind: 'often' }, 'kind'],
    [signals, { name: 'Other', kind: 'event', meta: [1] }, 'meta'],
    [`${signals}/unknown`, { name: 'Other' }, undefined],
    [rules, rule, 'name'],
    [rules, documentOf({ inputs: [{ ...input, signal: 'none' }] }), 'inputs[0].signal'],
    [rules, documentOf({ inputs: [{ from: 'none' }] }), 'inputs[0].from'],
    [rules, documentOf({ inputs: [{ ...input, mode: 'other' }] }), 'inputs[0].mode'],
    [rules, documentOf({ inputs: [{ ...input, threshold: 'many' }] }), 'document.inputs[0].threshold'],
    [rules, documentOf({ inputs: [{ ...input, no_data_after: 'often' }] }), 'inputs[0].no_data_after'],
    [rules, documentOf({ decision: { need: 'at_least', at_least: 2 } }), 'decision.at_least'],
    [rules, documentOf({ wait: { confirm_after: 'later' } }), 'wait.confirm_after'],
    [transformations, { workspace_id: workspaceId, name: 'pager', template: '{}' }, 'name'],
    [transformations, { workspace_id: workspaceId, name: 'Other', template: '{{ nothing }' }, 'template'],
    [transformations, { workspace_id: workspaceId, name: 'Other', template: '' }, 'template'],
  ]
  for (const [path, body, field] of cases) {
    const title = `${path} ${JSON.stringify(body)}`
    const shown = await make(path, body)
    t.equal(shown.json.error.field, field, `${title}: ${shown.text}`)
    const byKey = await world.call('POST', `/api/v2${path}${inWorkspace}`, { token, body })
    const { field: _, ...classic } = shown.json.error
    t.strictSame(byKey.json, { result: null, error: classic, meta: null }, title)
  }
})

t.test('workspace of other people is unknown to a session', async t => {
  t.equal((await world.stranger.send('GET', v3('/resources'))).status, 404)
})

/** What a page of another site, a form, or a program without a browser's headers sends. */
const forged = [
  { origin: undefined, 'sec-fetch-site': undefined },
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'none' },
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/x-www-form-urlencoded' },
  { 'content-type': undefined },
]

t.test('no route of generation 3 is carried out for a forged request with a session (v3 2.9)', async t => {
  const before = await world.dump()
  for (const { method, path } of v3Routes.filter(({ method }) => method !== 'GET')) {
    const at = `/api/v3${path.replace(':workspace', world.workspaceId).replaceAll(/:\w+/g, 'unknown000')}`
    for (const headers of forged) {
      if (method === 'DELETE' && 'content-type' in headers) continue
      const given = method === 'DELETE' ? { headers } : { raw: '{}', headers }
      const { status, json } = await world.owner.send(method, at, given)
      const title = `${method} ${path} ${JSON.stringify(headers)}`
      t.match([status, json], [403, { result: null, error: { code: 1403, error_type: 'forbidden' } }], title)
    }
  }
  t.equal(await world.dump(), before, 'nothing is stored')
})

t.test('read with a session changes nothing, wherever it comes from, and no other site reads the response', async t => {
  const before = await world.dump()
  for (const { method, path, needs } of v3Routes) {
    if (method !== 'GET' || needs.role === 'nobody') continue
    const at = `/api/v3${path.replace(':workspace', world.workspaceId).replaceAll(/:\w+/g, 'unknown000')}`
    const { status, headers } = await world.owner.send('GET', at, {
      headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    })
    t.not(status, 401, path)
    t.equal(headers['cross-origin-resource-policy'], 'same-origin', path)
    t.equal(headers['access-control-allow-origin'], undefined, path)
    t.match(headers['content-security-policy'], "default-src 'none'", path)
  }
  t.equal(await world.dump(), before, 'nothing is stored')
})

t.test('key is preferred to a session: the response is the same to the byte whatever cookies come (v3 2.9)', async t => {
  const cookie = [...world.owner.cookies()].map(([name, value]) => `${name}=${value}`).join('; ')
  const evil = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', 'content-type': 'text/plain' }
  const scope = { workspace_id: world.workspaceId, actions: [] }
  const scoped = (await world.owner.send('POST', '/session/keys', { body: { scope } })).json.token
  const cases: [authorization: Record<string, string>, status: number][] = [
    [{ authorization: `Bearer ${world.token}` }, 422],
    [{ authorization: `Bearer ${scoped}` }, 403],
    [{ authorization: `Bearer ${world.token}x` }, 401],
    [{ authorization: 'Bearer' }, 401],
  ]
  for (const [authorization, status] of cases) {
    const [plain, withCookie] = await Promise.all(
      [{}, { cookie }].map(async more => {
        const headers = { ...authorization, ...evil, 'accept-encoding': 'br', ...more }
        const answer = await fetch(world.address + v3('/resources'), { method: 'POST', headers, body: '{}' })
        return [answer.status, Object.fromEntries([...answer.headers].filter(([name]) => name !== 'date')), await answer.text()]
      }),
    )
    t.equal(plain?.[0], status, JSON.stringify(authorization))
    t.strictSame(withCookie, plain, JSON.stringify(authorization))
  }
})

t.test('without a key, only a session that the gateway could have made is looked up (v3 2.9)', async t => {
  const shownTo = async (headers: Record<string, string>, path = '/api/v3/key') => {
    const answer = await fetch(world.address + path, { headers })
    const { error } = (await answer.json()) as { error: { message: string } | null }
    return `${answer.status} ${error?.message ?? ''}`
  }
  const cookie = [...world.viewer.cookies()].map(([name, value]) => `${name}=${value}`).join('; ')
  const basic = `Basic ${Buffer.from('proxy:password').toString('base64')}`
  t.equal(await shownTo({}), '401 Authorization header is required')
  t.equal(await shownTo({ cookie: 'watchkeeper-session=short' }), await shownTo({}))
  t.match(await shownTo({ cookie: `watchkeeper-session=${'x'.repeat(43)}` }), /^401 Sign in first/)
  t.equal(await shownTo({ cookie, authorization: basic }), '200 ', 'a credential for a proxy is no key')
  t.not(await shownTo({ authorization: basic }), '200 ')
  t.match(await shownTo({ cookie }, '/api/v3/%ff'), /^404 /, 'a page is not told that its session has ended')
  t.match(await shownTo({ cookie }, '/api/v2/workspaces'), /^200 ./, 'generation 2 takes keys only')
})

t.test('session has the rights of a full key of the same person', async t => {
  const denied = await world.viewer.send('POST', v3('/resources'), { body: resource })
  t.match([denied.status, denied.json.error.details], [403, { role: 'editor' }])
  const made = await world.editor.send('POST', v3('/resources'), { body: resource })
  t.equal(made.status, 201, made.text)
  t.match((await world.viewer.send('GET', v3('/resources/db-1'))).json, { error: null, result: { id: made.json.result.id } })
  t.match((await world.viewer.send('GET', '/api/v3/workspaces')).json.result, [{ id: world.workspaceId }])
})

t.test('preview is compressed, and the response to a change is not', async t => {
  const signal = { key: 'run', kind: 'event', help: 'x'.repeat(500) }
  const rule = {
    key: 'failing',
    action: 'Look.',
    wait: { confirm_after: 0, recover_after: 0 },
    help: 'y'.repeat(500),
    decision: { signal: 'run', field: 'status', operator: 'eq', operand: 'problem' },
  }
  const manifest = { key: 'long', version: 1, name: 'Long', signals: [signal], rules: [rule] }
  const cookie = [...world.editor.cookies()].map(([name, value]) => `${name}=${value}`).join('; ')
  const encodingOf = async (path: string, body: object) => {
    const headers = { cookie, origin: world.address, 'content-type': 'application/json', 'accept-encoding': 'br' }
    const answer = await fetch(world.address + v3(path), { method: 'POST', headers, body: JSON.stringify(body) })
    t.match(await answer.json(), { error: null })
    return answer.headers.get('content-encoding')
  }
  t.equal(await encodingOf('/templates/preview', { manifest }), 'br')
  t.equal(await encodingOf('/templates', manifest), null)
})

t.test('acknowledgement is recorded as made in the dashboard', async t => {
  const { result } = (await world.viewer.send('GET', v3('/resources/db-1'))).json
  await world.report(result.id, 'aaaa', false)
  await world.clock.advance(confirmMs)
  const [incident] = (await world.viewer.send('GET', v3('/incidents?lifecycle=open'))).json.result
  const taken = await world.viewer.send('POST', v3(`/incidents/${incident.id}/acknowledge`), { raw: '{}' })
  t.match(taken.json.result?.acknowledgement, { by: 'vera', via: 'ui' }, taken.text)
})

t.test('audit row of a change names person and workspace, and a read has no audit row', async t => {
  await world.clock.advance(2_000)
  const rows = (await world.owner.send('GET', v3('/audit'))).json.result
  const paths = rows.map(({ method, path }: { method: string; path: string }) => `${method} ${path}`)
  t.ok(paths.includes(`POST ${v3('/resources')}`), paths.join(', '))
  t.notOk(paths.some((path: string) => path.startsWith('GET ')))
  t.match(
    rows.find(({ path }: { path: string }) => path.endsWith('/acknowledge')),
    { person: { name: 'vera' } },
  )
})

t.test('ended session is refused at the next request (v3 2.9)', async t => {
  const browser = world.viewer.copy()
  t.equal((await browser.send('GET', v3('/resources'))).status, 200)
  await world.ask('end-sessions', { userId: 'user-vera' })
  t.equal((await browser.send('GET', v3('/resources'))).status, 401)
})
