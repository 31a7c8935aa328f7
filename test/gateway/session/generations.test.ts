// /session/v2 and /session/v3: the routes of generations 2 and 3 with a session in place of a key, over real HTTP (ADR 30).
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

const v3 = (path: string) => `/session/v3/workspaces/${world.workspaceId}${path}`
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
    const at = `/session/v3${path.replace(':workspace', world.workspaceId).replaceAll(/:\w+/g, 'unknown000')}`
    const given = method === 'GET' || method === 'DELETE' ? {} : { body: {} }
    const refused = await nobody.send(method, at, given)
    if (needs.role !== 'nobody') t.match([refused.status, refused.json.error?.code], [401, 1401], `${method} ${path}`)
    const shown = await world.viewer.send(method, at, given)
    t.notMatch(shown.text, 'There is no such route', `${method} ${path}`)
    t.not(shown.status, 401, `${method} ${path}`)
    t.ok(shown.status < 500, `${method} ${path}: ${shown.text}`)
  }
  t.match((await world.viewer.send('GET', '/session/v3/nothing')).json, { result: null, error: { code: 1404 } })
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

t.test('key is refused in place of a session, and a workspace of other people is unknown', async t => {
  const byKey = await world.call('GET', v3('/resources'), { token: world.token })
  t.match([byKey.status, byKey.json.error.error_type], [401, 'auth'])
  t.equal((await world.stranger.send('GET', v3('/resources'))).status, 404)
})

t.test("writing request requires the gateway's own origin and JSON", async t => {
  const list = v3('/templates')
  const before = await world.dump()
  const cases = [
    { origin: undefined, 'sec-fetch-site': undefined },
    { origin: 'https://evil.example' },
    { 'sec-fetch-site': 'same-site' },
    { 'content-type': 'text/plain' },
  ]
  for (const headers of cases) {
    const { status, json } = await world.editor.send('POST', list, { body: {}, headers })
    t.match([status, json], [403, { result: null, error: { error_type: 'forbidden' } }], JSON.stringify(headers))
  }
  t.equal(await world.dump(), before, 'nothing is stored')
})

t.test('session has the rights of a full key of the same person', async t => {
  const denied = await world.viewer.send('POST', v3('/resources'), { body: resource })
  t.match([denied.status, denied.json.error.details], [403, { role: 'editor' }])
  const made = await world.editor.send('POST', v3('/resources'), { body: resource })
  t.equal(made.status, 201, made.text)
  t.match((await world.viewer.send('GET', v3('/resources/db-1'))).json, { error: null, result: { id: made.json.result.id } })
  t.match((await world.viewer.send('GET', '/session/v3/workspaces')).json.result, [{ id: world.workspaceId }])
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
  t.notOk(paths.some((path: string) => path.startsWith('GET /session')))
  t.match(
    rows.find(({ path }: { path: string }) => path.endsWith('/acknowledge')),
    { person: { name: 'vera' } },
  )
})

t.test('ended session is refused at the next request', async t => {
  const browser = world.viewer.copy()
  t.equal((await browser.send('GET', v3('/resources'))).status, 200)
  await world.ask('end-sessions', { userId: 'user-vera' })
  t.equal((await browser.send('GET', v3('/resources'))).status, 401)
})
