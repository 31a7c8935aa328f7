// Audit rows name what a request made, for the page that links it.
import t from 'tap'
import type { Route } from '../../../services/gateway/http/route.ts'
import { sessionRoutes } from '../../../services/gateway/session/routes.ts'
import { v3Routes } from '../../../services/gateway/v3/routes.ts'
import { startDashboardWorld } from '../../support/worlds/dashboard-world.ts'

t.test('audit row names what the request made, as the response shows it, and nothing secret', async t => {
  const world = await startDashboardWorld()
  t.teardown(() => world.stop())
  const base = `/api/v3/workspaces/${world.workspaceId}`
  const example = v3Routes.find(({ method, path }) => method === 'POST' && path.endsWith('/templates'))?.examples?.[0] as object
  const send = async (path: string, body: object) => (await world.owner.send('POST', path, { body })).json
  const destination = await send(`${base}/destinations`, { name: 'Ops', type: 'webhook', url: 'https://ops.example/hook' })
  const address = await send(`${base}/addresses`, { description: 'Nightly jobs' })
  await send(`${base}/templates`, example)
  const monitor = await send(`${base}/resources`, { template: 'heartbeat@1', key: 'backup-1', name: 'Nightly backup' })
  await send(`${base}/resources`, { template: 'heartbeat@1', key: 'backup-1', name: 'The same key' })
  const invitation = await send(`${base}/invitations`, { username: 'grace', role: 'viewer' })
  await world.clock.advance(2_000)

  const { result, meta } = (await world.owner.send('GET', `${base}/audit`)).json
  t.equal(meta.next_cursor, null)
  t.strictSame(
    result.map(({ made }: { made: object | null }) => made),
    [
      { kind: 'invitation', id: invitation.result.id, name: 'grace' },
      null,
      { kind: 'resource', id: monitor.result.id, name: 'Nightly backup' },
      { kind: 'template', id: 'heartbeat@1', name: 'Heartbeat' },
      { kind: 'address', id: address.result.id, name: 'Nightly jobs' },
      { kind: 'destination', id: destination.result.id, name: 'Ops' },
    ],
  )
  t.notMatch(JSON.stringify(await world.store.find('server_api_audit', { limit: 100 })), address.result.token)

  const filtered = `${base}/audit?path=%2Fresources&limit=1`
  const first = (await world.owner.send('GET', filtered)).json
  const second = (await world.owner.send('GET', `${filtered}&cursor=${first.meta.next_cursor}`)).json
  t.match([first.result, second.result], [[{ status: 409, made: null }], [{ made: { name: 'Nightly backup' } }]])

  await world.owner.send('POST', '/session/v2/subjects', { body: { workspace_id: world.workspaceId, name: 'Queue API' } })
  await world.clock.advance(2_000)
  const all = await world.ask('list-audit', { ...everything, workspaceId: null })
  t.match(all.items[0]?.made, { kind: 'custom_subject', id: 'queue-api', name: 'Queue API' })
})

const everything = { personId: null, path: null, since: null, until: null, limit: 50, after: null }

/** Routes with status 201 whose object has no page and no id: the path names what they concern. */
const makeNothing = [
  'POST /workspaces/:workspaceId/destinations/:destinationId/secret',
  'POST /monitors/:monitorId/maintenance',
  'POST /subjects/:subjectId/maintenance',
]

t.test('every route that answers 201 says what it makes', async t => {
  const silent = ({ method, path, status, makes }: Route) =>
    status === 201 && makes === undefined && !makeNothing.includes(`${method} ${path}`)
  t.strictSame(
    [...v3Routes, ...sessionRoutes].filter(silent).map(({ path }) => path),
    [],
  )
})
