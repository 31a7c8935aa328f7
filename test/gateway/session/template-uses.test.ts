// GET /session/workspaces/{id}/template-uses over real HTTP, with the real keeper, directory and gateway in virtual time.
import t from 'tap'
import { type DashboardWorld, startDashboardWorld } from '../../support/worlds/dashboard-world.ts'

let world: DashboardWorld
t.before(async () => {
  world = await startDashboardWorld()
})
t.teardown(() => world.stop())

const path = () => `/session/workspaces/${world.workspaceId}/template-uses`
const uses = async () => (await world.viewer.send('GET', path())).json.uses

const revision = (version: number) => ({
  key: 'nightly',
  version,
  name: 'Nightly job',
  signals: [{ key: 'run', kind: 'event' }],
  rules: [
    {
      key: 'failing',
      action: 'Read the log.',
      wait: { confirm_after: 0, recover_after: 0 },
      decision: { signal: 'run', field: 'status', operator: 'eq', operand: 'problem' },
    },
  ],
})

t.test('revision has the count of its unarchived Resources', async t => {
  t.same(await uses(), {})
  const send = async (method: string, below: string, body: object) => {
    const shown = await world.editor.send(method, `/api/v3/workspaces/${world.workspaceId}${below}`, { body })
    t.ok(shown.status < 300, shown.text)
  }
  await send('POST', '/templates', revision(1))
  await send('POST', '/templates', revision(2))
  for (const key of ['a', 'b', 'c']) await send('POST', '/resources', { template: 'nightly@1', key, name: key })
  await world.addMonitor('Shop')
  t.same(await uses(), { 'nightly@1': 3, 'website-check@1': 1 })
  await send('POST', '/resources/a/rebind', { template: 'nightly@2' })
  await send('POST', '/resources/b/archive', {})
  t.same(await uses(), { 'nightly@1': 1, 'nightly@2': 1, 'website-check@1': 1 })
})

t.test('stranger gets no counts', async t => {
  t.equal((await world.stranger.send('GET', path())).status, 404)
})
