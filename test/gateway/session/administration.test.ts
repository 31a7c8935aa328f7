// Routes of the dashboard's settings that generations 2 and 3 do not have: secrets of destinations, health, the audit outside of
// workspaces, heartbeats of probers.
import t from 'tap'
import { keys } from '#shared/bus/subjects.ts'
import type { ConditionDocument } from '#shared/contracts/incidents/condition.ts'
import { type DashboardWorld, startDashboardWorld } from '../../support/worlds/dashboard-world.ts'

let world: DashboardWorld
t.before(async () => {
  world = await startDashboardWorld()
})
t.teardown(() => world.stop())

t.test('only an owner creates, rotates and removes the secret of a destination', async t => {
  const v3 = `/api/v3/workspaces/${world.workspaceId}/destinations`
  const body = { name: 'Ops', type: 'webhook', url: 'https://ops.example/hook' }
  const made = await world.editor.send('POST', v3, { body })
  t.equal(made.json.error, null, made.text)
  const path = `/session/workspaces/${world.workspaceId}/destinations/${made.json.result.id}/secret`
  const first = await world.owner.send('POST', path, { body: {} })
  t.match([first.status, first.json], [201, { secret: /^whsec_/, along_until: null }])
  t.equal((await world.owner.send('POST', path, { body: {} })).status, 409, 'it has one')
  const rotated = await world.owner.send('POST', path, { body: { rotate: true, grace_seconds: 60 } })
  t.equal(rotated.status, 201, rotated.text)
  t.not(rotated.json.secret, first.json.secret)
  t.equal(rotated.json.along_until, new Date(world.clock.now() + 60_000).toISOString())
  t.equal(
    (await world.owner.send('POST', path, { body: { rotate: true, grace_seconds: 30 * 86_400 } })).status,
    201,
    'at the bound',
  )
  for (const bad of [{ grace_seconds: -1 }, { grace_seconds: 30 * 86_400 + 1 }, { grace_seconds: 'x' }, { more: 1 }])
    t.equal((await world.owner.send('POST', path, { body: bad })).status, 422, JSON.stringify(bad))
  const before = (await world.store.find('destinations', { limit: 5 }))[0]
  t.equal((await world.editor.send('POST', path, { body: { rotate: true } })).status, 403)
  t.equal((await world.viewer.send('DELETE', path)).status, 403)
  t.equal((await world.stranger.send('POST', path, { body: {} })).status, 404)
  t.equal((await world.owner.send('POST', path.replace(made.json.result.id, 'unknown000'), { body: {} })).status, 404)
  t.strictSame((await world.store.find('destinations', { limit: 5 }))[0], before, 'a refusal leaves no trace')
  t.equal((await world.owner.send('DELETE', path)).status, 204)
  t.strictSame((await world.store.find('destinations', { limit: 5 }))[0]?.secrets, [])
  await world.clock.advance(2_000)
  t.notMatch(world.logged.join('\n') + JSON.stringify(await world.store.find('server_api_audit', { limit: 100 })), /whsec_/)
})

t.test('administrator reads health findings, oldest first, and audit rows of changes outside of workspaces', async t => {
  await world.ask('create-user', { id: 'user-ada', username: 'ada', displayName: 'Ada', password: "ada's password", admin: true })
  const ada = world.stranger.copy()
  ada.cookies().clear()
  const signedIn = await ada.send('POST', '/session/sign-in', { body: { username: 'ada', password: "ada's password" } })
  t.equal(signedIn.status, 200)
  t.match((await ada.send('GET', '/session/health')).json, { version: '2.0.0', conditions: [] })
  const condition = (id: string, since: number, raised: 0 | 1): ConditionDocument => ({
    id,
    rev: 1,
    writer: 'w',
    kind: 'location_lost',
    objectId: id,
    name: id,
    raised,
    since,
    changedAt: since,
    seenAt: since,
    count: 0,
    summary: `${id} is lost.`,
    unsent: [],
    attempts: 0,
    claimedBy: null,
    dueAt: null,
  })
  await world.store.insert('conditions', [condition('late', 2_000, 1), condition('early', 1_000, 1), condition('over', 0, 0)])
  const { json } = await ada.send('GET', '/session/health')
  t.match(json.conditions, [
    { kind: 'location_lost', name: 'early', since: new Date(1_000).toISOString(), summary: 'early is lost.' },
    { name: 'late' },
  ])
  t.equal(json.conditions.length, 2)
  await ada.send('POST', '/session/locations', { body: { name: 'mars' } })
  await world.clock.advance(2_000)
  const audit = (await ada.send('GET', '/session/audit?limit=1')).json
  t.match(audit.rows, [{ method: 'POST', path: '/session/locations', person: { name: 'Ada' }, workspace: null, status: 201 }])
  t.match(audit.rows[0].made, { kind: 'location', id: /^\w+$/, name: 'mars' }, 'the row names what was made')
  for (const query of ['?limit=0', '?limit=201', '?after=%2F', '?person=x'])
    t.equal((await ada.send('GET', `/session/audit${query}`)).status, 422, query)
  if (audit.next !== null) t.equal((await ada.send('GET', `/session/audit?after=${audit.next}`)).status, 200)
  for (const path of ['/session/health', '/session/audit']) t.equal((await world.owner.send('GET', path)).status, 403, path)
})

t.test('location shows the instant of the last heartbeat of its probers', async t => {
  const place = async () =>
    (await world.viewer.send('GET', '/session/locations')).json.locations.find(({ id }: { id: string }) => id === 'aaaa')
  t.match(await place(), { active_workers_count: 0, last_seen_at: null })
  await world.bus.bucket('presence').put(keys.proberPresence('aaaa', 'p1'), {})
  await world.clock.settle()
  const seenAt = new Date(world.clock.now()).toISOString()
  await world.clock.advance(1_000)
  t.match(await place(), { active_workers_count: 1, last_seen_at: seenAt })
})
