// Secrets of destinations, which only sessions of owners create, replace and remove.
import t from 'tap'
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
