// GET /workspaces/{ws}/deliveries of generation 3 over real HTTP: the messages of a workspace with their payloads.
import t from 'tap'
import type { DeliveryLogDocument } from '#shared/contracts/notifications/delivery.ts'
import { type DashboardWorld, startDashboardWorld } from '../../support/worlds/dashboard-world.ts'

let world: DashboardWorld
t.before(async () => {
  world = await startDashboardWorld()
})
t.teardown(() => world.stop())

t.test('delivery log has sent and withheld messages, newest first, without credentials in addresses (v3 10.12)', async t => {
  const path = `/api/v3/workspaces/${world.workspaceId}/deliveries`
  const row = (number: number, over: Partial<DeliveryLogDocument>): DeliveryLogDocument => ({
    id: `Log${number}`,
    rev: 1,
    number,
    workspaceId: world.workspaceId,
    destinationId: 'dest1',
    destinationNumber: 1,
    destinationName: 'Ops',
    destinationType: 'webhook',
    alertKind: 'problem',
    event: 'problem',
    status: 'delivered',
    reason: null,
    shownInV2: 1,
    payload: 'see https://ada:hunter2@a.example/',
    error: '',
    incidentId: 'Subject001.1',
    subjectId: 'Subject001',
    at: number * 1_000,
    expireAt: world.clock.now() + 1_000_000,
    ...over,
  })
  await world.store.insert('deliveryLog', [
    row(1, {}),
    row(2, { status: 'failed', reason: 'http_503', error: 'answered 503' }),
    row(3, {
      status: 'held',
      reason: 'maintenance',
      shownInV2: 0,
      destinationId: null,
      destinationName: null,
      destinationType: null,
    }),
    row(4, { destinationId: 'dest2', event: 'test', incidentId: null }),
    row(5, { workspaceId: 'other00000' }),
  ])
  const read = async (query = '') => (await world.viewer.send('GET', path + query)).json
  const instants = async (query: string) => (await read(query)).result.map(({ at }: { at: string }) => Date.parse(at) / 1_000)
  t.strictSame(await instants(''), [4, 3, 2, 1])
  t.strictSame(await instants('?status=failed'), [2])
  t.strictSame(await instants('?status=held'), [3])
  t.strictSame(await instants('?destination=dest1'), [2, 1])
  t.strictSame(await instants('?destination=dest1&status=delivered'), [1])
  t.strictSame(await instants('?destination=unknown'), [])
  await world.store.insert('deliveryLog', [
    row(6, { incidentId: 'Subject002.12', subjectId: 'Subject002', status: 'failed' }),
    row(7, { incidentId: 'Subject002.3', subjectId: 'Subject002' }),
  ])
  t.strictSame(await instants('?resource=Subject002'), [7, 6], 'by instant, whatever the number of the incident')
  t.strictSame(await instants('?resource=Subject002&status=failed'), [6])
  t.strictSame(await instants('?resource=Subject002&destination=dest2'), [])
  await world.store.insert('deliveryLog', [row(8, { status: 'accepted', event: 'digest', incidentId: null })])
  t.strictSame(await instants('?status=accepted'), [8])
  t.match((await read('?status=accepted')).result, [{ event: 'digest', incident: null, resource: null, rule: null }])
  await world.store.deleteRange('deliveryLog', 'Log8', 'Log9', 10)
  t.strictSame(await instants('?resource=Subject00'), [])
  t.strictSame(await instants('?resource=Subject002&limit=1'), [7])
  await world.store.deleteRange('deliveryLog', 'Log6', 'Log8', 10)
  const first = await read('?limit=3')
  t.equal(first.result.length, 3)
  t.strictSame(await instants(`?limit=3&cursor=${first.meta.next_cursor}`), [1])
  t.match(first.result[2], {
    destination: 'Ops',
    type: 'webhook',
    status: 'failed',
    reason: 'http_503',
    error: 'answered 503',
    incident: /^i/,
  })
  t.notMatch(JSON.stringify(first), 'hunter2')
  const payloads: [sent: string, shown: string][] = [
    [
      '{"text":"see https://a.example/?token=hunter2\\nDown for 0s"}',
      '{"text":"see https://a.example/?token=redacted\\nDown for 0s"}',
    ],
    ['{ "text" : "https://a.example/?q=\\"x\\"&token=hunter2" }', '{ "text" : "https://a.example/?q=\\"x\\"&token=redacted" }'],
    ['https://a.example/;token=hunter2/b#token=hunter2', 'https://a.example/;token=redacted/b#token=redacted'],
    ['//ada:hunter2@a.example/ is down', '//a.example/ is down'],
  ]
  for (const [payload, shown] of payloads) {
    await world.store.insert('deliveryLog', [row(9, { payload })])
    t.equal((await read('?limit=1')).result[0].payload, shown)
    await world.store.deleteRange('deliveryLog', 'Log9', 'LogA', 10)
  }
  for (const query of [
    '?status=ok',
    '?limit=0',
    '?limit=201',
    '?after=x',
    '?after=',
    '?destination=%2F',
    '?resource=%2F',
    '?undelivered=true',
  ])
    t.equal((await world.viewer.send('GET', path + query)).status, 422, query)
  t.equal((await world.stranger.send('GET', path)).status, 404)
})
