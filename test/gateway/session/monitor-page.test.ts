// GET /session/monitors/{id} over real HTTP, with the real keeper, directory and gateway in virtual time.
import t from 'tap'
import { Compile } from 'typebox/schema'
import { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import { type DashboardWorld, startDashboardWorld } from '../../support/worlds/dashboard-world.ts'
import { closeMs, confirmMs } from '../../support/worlds/whole-world.ts'

let world: DashboardWorld
t.before(async () => {
  world = await startDashboardWorld()
})
t.teardown(() => world.stop())

const fits = Compile(MonitorDetail)
const page = async (id: string, browser = world.viewer): Promise<MonitorDetail> => {
  const { status, json, text } = await browser.send('GET', `/session/monitors/${id}`)
  if (status !== 200 || !fits.Check(json)) throw new Error(`${status} ${text} ${JSON.stringify(fits.Errors(json))}`)
  return json
}

t.test('page of a website monitor has its row, rule, evidence, incident, reports and maintenance window', async t => {
  const id = await world.addMonitor('Shop', { request: { url: 'https://user:hunter2@shop.example/', method: 'GET' } })
  const fresh = await page(id)
  t.match(fresh, { workspace_id: world.workspaceId, kind: 'website', row: { status: 'unknown' }, signals: [], window: null })
  t.match(fresh.resource, { id, key: 'shop', template: 'website-check@1', labels: {}, maintenance: null })
  t.strictSame(fresh.locations, { aaaa: 'de' })
  await world.report(id, 'aaaa', false)
  await world.clock.advance(confirmMs)
  const ends_at = new Date(world.clock.now() + 60_000).toISOString()
  await world.editor.send('POST', `/session/subjects/${id}/maintenance`, { body: { ends_at } })
  const { at, row, rules, last_incident, signals, window } = await page(id)
  t.equal(at, new Date(world.clock.now()).toISOString())
  t.match(row, { status: 'down', maintenance_until: ends_at })
  t.match(rules, [{ key: 'availability', verdict: 'problem', explanation: '1 of 1 location failing' }])
  t.match(rules[0]?.evidence, {
    inputs: [{ signal: 'reachability@aaaa', status: 'problem', reason: 'status 503, expected 200' }],
  })
  t.equal(last_incident, null, 'while one is open')
  t.match(rules[0]?.incident, { state: 'problem', next: { what: 'remind' }, sequence: 2, acknowledged: null })
  t.match(signals, [{ signal: 'reachability@aaaa', location_id: 'aaaa', state: 'problem', reason: 'status 503, expected 200' }])
  t.match(window, { machine: 'maintenance', value: 'running', context: { by: 'edith' }, steps: [{ state: 'running' }] })
  const shown = await world.viewer.send('GET', `/session/monitors/${id}`)
  t.notMatch(shown.text, 'hunter2', 'a viewer sees no credential of the address')
})

t.test('monitor without an open incident names its newest closed incident', async t => {
  const id = await world.addMonitor('Recovered')
  const calm = await page(id)
  t.equal(calm.last_incident, null)
  await world.report(id, 'aaaa', false)
  await world.clock.advance(confirmMs)
  const opened = (await page(id)).rules[0]?.incident
  await world.report(id, 'aaaa', true)
  await world.clock.advance(closeMs)
  const { last_incident } = await page(id)
  t.match(last_incident, {
    id: opened?.id,
    rule: 'availability',
    opened_at: opened?.trouble_since,
    confirmed_at: opened?.confirmed_at,
  })
  t.ok(Date.parse(last_incident?.closed_at ?? '') > Date.parse(opened?.confirmed_at ?? ''))
})

t.test('page of a Resource has each rule and the newest report of each signal', async t => {
  const v3 = `/api/v3/workspaces/${world.workspaceId}`
  const rule = (key: string, decision: object) => ({
    key,
    action: 'Look.',
    wait: { confirm_after: 60, recover_after: 0 },
    decision,
  })
  const manifest = {
    key: 'queue',
    version: 1,
    name: 'Queue',
    signals: [{ key: 'depth', kind: 'periodic', every_seconds: 600 }],
    rules: [
      rule('deep', { signal: 'depth', field: 'value', operator: 'gt', operand: 100 }),
      rule('failing', { signal: 'depth', field: 'status', operator: 'eq', operand: 'problem' }),
    ],
  }
  const published = await world.editor.send('POST', `${v3}/templates`, { body: manifest })
  t.equal(published.json.error, null, published.text)
  const made = await world.editor.send('POST', `${v3}/resources`, { body: { key: 'jobs', name: 'Jobs', template: 'queue@1' } })
  const { id } = made.json.result
  const body = { signal: 'depth', state: 'ok', value: 150 }
  t.equal((await world.editor.send('POST', `${v3}/resources/${id}/observations`, { body })).json.error, null)
  await world.clock.advance(100)
  const { kind, rules, signals, row } = await page(id)
  t.match([kind, row?.incident?.rule, row?.incidents], ['template', 'deep', 1])
  t.match(
    rules.map(({ key, verdict, incident }) => [key, verdict, incident?.state ?? null]),
    [
      ['deep', 'problem', 'pending'],
      ['failing', 'ok', null],
    ],
  )
  t.match(signals, [{ signal: 'depth', location_id: null, state: 'ok', value: 150, reason: null }])
  const archived = await world.editor.send('POST', `${v3}/resources/${id}/archive`, { raw: '{}' })
  t.equal(archived.json.error, null, archived.text)
  t.match(await page(id), { row: null, resource: { archived_at: String } })
})

t.test('page of a custom subject has the newest report of a signal without a rule', async t => {
  const v2 = '/session/v2/subjects'
  const made = await world.editor.send('POST', v2, { body: { name: 'Unread', workspace_id: world.workspaceId } })
  const slug = made.json.result.id
  for (const name of ['depth', 'beat', 'mute']) {
    await world.editor.send('POST', `${v2}/${slug}/signals`, { body: { name, kind: 'custom_event' } })
  }
  const document = { inputs: [{ signal: 'beat', mode: 'status' }], decision: { need: 'any' } }
  await world.editor.send('POST', `${v2}/${slug}/rules`, { body: { name: 'No beat', document } })
  const send = async (signal: string, body: object) => {
    const sent = await world.editor.send('POST', `${v2}/${slug}/signals/${signal}/observations`, { body })
    t.equal(sent.json.error, null, sent.text)
    await world.clock.advance(100)
  }
  await send('depth', { status: 'ok', value: 1 })
  await send('beat', { status: 'ok' })
  await send('depth', { status: 'problem', value: 7 })
  const [subject] = await world.store
    .find('subjects', { where: { workspaceId: world.workspaceId }, limit: 100 })
    .then(all => all.filter(({ name }) => name === 'Unread'))
  const { signals } = await page(subject!.id)
  t.match(signals, [
    { signal: 'beat', state: 'ok' },
    { signal: 'depth', state: 'problem', value: 7 },
  ])
  t.equal(signals.length, 2, 'a signal without a report has no row')
})

t.test('monitor is refused without a session, and unknown to strangers', async t => {
  const id = await world.addMonitor('Mine')
  t.equal((await world.call('GET', `/session/monitors/${id}`)).status, 401)
  t.equal((await world.stranger.send('GET', `/session/monitors/${id}`)).status, 404)
  for (const other of ['nothing', '%00', 'x'.repeat(2_000), `${id}x`])
    t.equal((await world.viewer.send('GET', `/session/monitors/${other}`)).status, 404, other.slice(0, 30))
  await world.call('DELETE', `/api/v2/monitoring/websites/${id}`, { token: world.token })
  t.equal((await world.viewer.send('GET', `/session/monitors/${id}`)).status, 404, 'deleted')
})

t.test('log of a monitor is read by range, and rejected reports can be read separately', async t => {
  const v2 = '/session/v2/subjects'
  const made = await world.editor.send('POST', v2, { body: { name: 'Orders', workspace_id: world.workspaceId } })
  t.equal(made.json.error, null, made.text)
  const slug = made.json.result.id
  const signal = await world.editor.send('POST', `${v2}/${slug}/signals`, { body: { name: 'beat', kind: 'custom_event' } })
  t.equal(signal.json.error, null, signal.text)
  const document = { inputs: [{ signal: signal.json.result.id, mode: 'status' }], decision: { need: 'any' } }
  const rule = await world.editor.send('POST', `${v2}/${slug}/rules`, { body: { name: 'No orders', document } })
  t.equal(rule.json.error, null, rule.text)
  const at = (ms: number) => new Date(world.clock.now() + ms).toISOString()
  const send = async (observed_at: string) => {
    const body = { status: 'problem', observed_at, labels: { token: 'hunter2' } }
    const sent = await world.editor.send('POST', `${v2}/${slug}/signals/${signal.json.result.id}/observations`, { body })
    t.equal(sent.json.error, null, sent.text)
    await world.clock.advance(100)
    return sent.json.result.accepted
  }
  const instants = [at(-60_000), at(-1_000), at(3_600_000)]
  t.strictSame([await send(instants[0]!), await send(instants[1]!), await send(instants[2]!)], [true, true, false])
  const [subject] = await world.store
    .find('subjects', { where: { workspaceId: world.workspaceId }, limit: 100 })
    .then(all => all.filter(({ name }) => name === 'Orders'))
  t.match((await page(subject!.id)).signals, [{ signal: 'beat', state: 'problem', location_id: null }])
  const path = `/session/monitors/${subject!.id}/observations`
  const read = async (query: string, browser = world.viewer) => {
    const { json, text, status } = await browser.send('GET', path + query)
    if (status !== 200) throw new Error(text)
    return json.observations as { at: string; rejected: string | null; labels: object; signal: string }[]
  }
  t.match(await read(''), [{ at: instants[1], rejected: null, signal: 'beat' }, { at: instants[0] }])
  t.match(await read('?unaccepted=true'), [{ at: instants[2], rejected: 'clock_skew' }])
  t.match(await read(`?to=${encodeURIComponent(instants[1]!)}`), [{ at: instants[0] }])
  t.strictSame(await read(`?unaccepted=true&to=${encodeURIComponent(instants[1]!)}`), [])
  t.match(
    [await read('?limit=1'), await read(`?from=${encodeURIComponent(instants[1]!)}`)],
    [[{ at: instants[1] }], [{ at: instants[1] }]],
  )
  t.match((await read('?limit=1'))[0]?.labels, { token: '[redacted]' }, 'a viewer sees no credential')
  t.match((await read('?limit=1', world.editor))[0]?.labels, { token: 'hunter2' })
  for (const query of [
    '?from=today',
    '?to=2026-01-05',
    '?unaccepted=yes',
    '?limit=0',
    '?limit=201',
    '?day=1',
    '?from=1969-12-31T23:59:59Z',
  ])
    t.equal((await world.viewer.send('GET', path + query)).status, 422, query)
  t.equal((await world.stranger.send('GET', path)).status, 404)
})
