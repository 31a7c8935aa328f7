// GET /workspaces/{ws}/events of generation 3 over real HTTP, with the real keeper, directory and gateway in virtual time.
import t, { type Test } from 'tap'
import { Compile } from 'typebox/schema'
import { keys, subjects } from '#shared/bus/subjects.ts'
import type { DeliveryNews } from '#shared/contracts/news.ts'
import { sessionEvents } from '#shared/contracts/session/session-events.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Browser } from '../../support/clients/browser.ts'
import { type EventReader, type ReadEvent, readEvents } from '../../support/clients/event-stream.ts'
import { startDashboardWorld } from '../../support/worlds/dashboard-world.ts'
import { confirmMs } from '../../support/worlds/whole-world.ts'

const bounds = limits.events
const named = (event: string) => (one: ReadEvent) => one.event === event

const stream = { accept: 'text/event-stream' }

async function start(t: Test) {
  const world = await startDashboardWorld()
  const open: EventReader[] = []
  t.teardown(async () => {
    for (const reader of open) reader.close()
    await world.stop()
  })
  const path = `/api/v3/workspaces/${world.workspaceId}/events`
  const watch = async (browser: Browser = world.viewer, lastEventId?: string) => {
    const reader = await readEvents(
      world.address,
      browser,
      path,
      lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
    )
    open.push(reader)
    return reader
  }
  /** Publishes a change of state as the keeper does. */
  const say = (news: object, id = 'Subject001') => world.bus.publish(subjects.state(world.workspaceId, id), news)
  const tell = async (news: object, id?: string) => {
    say(news, id)
    await world.clock.advance(bounds.gatherMs)
  }
  return { ...world, path, watch, say, tell }
}

t.test('stream begins with a hello, forbids caching, and has each kind of event in its documented shape (v3 13.6)', async t => {
  const world = await start(t)
  const stream = await world.watch()
  t.match(
    [stream.status, stream.headers],
    [
      200,
      {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store, no-transform',
        'x-accel-buffering': 'no',
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
      },
    ],
  )
  const hello = await stream.next(named('hello'))
  t.match(hello, { id: /^\w{8}\.0$/, data: { at: new Date(world.clock.now()).toISOString() } })
  t.match(stream.text(), /^retry: [2-3]\d\d\d\n\n/)

  const id = await world.addMonitor('Shop')
  await world.clock.advance(bounds.gatherMs)
  t.match((await stream.next(named('row'))).data, { id, name: 'Shop', status: 'unknown' })
  await world.report(id, 'aaaa', false)
  await world.clock.advance(bounds.gatherMs)
  const opened = await stream.next(named('incident'))
  t.match(opened.data, { monitor: id, sequence: 1, kind: 'pending', state: 'pending', explanation: '1 of 1 location failing' })
  const pending = await stream.next(one => one.event === 'row' && one.data.status === 'pending')
  t.equal(pending.data.incident.id, opened.data.id, 'both say the public id')
  await world.clock.advance(confirmMs + bounds.gatherMs)
  await stream.next(one => one.event === 'row' && one.data.status === 'down')
  const ends_at = new Date(world.clock.now() + 60_000).toISOString()
  await world.editor.send('POST', `/session/subjects/${id}/maintenance`, { body: { ends_at } })
  await world.clock.advance(bounds.gatherMs)
  t.match((await stream.next(named('window'))).data, { monitor: id, state: 'running', ends_at, by: 'edith' })
  await world.clock.advance(60_000 + bounds.gatherMs)
  t.match((await stream.next(one => one.event === 'window' && one.data.state === 'ranOut')).data, { monitor: id })
  await world.call('DELETE', `/api/v2/monitoring/websites/${id}`, { token: world.token })
  await world.clock.advance(bounds.gatherMs)
  t.match((await stream.next(named('gone'))).data, { id })
  const delivery: DeliveryNews = {
    id: 'd1',
    incidentId: `${id}.1`,
    destinationId: 'dest',
    destinationName: 'ops',
    state: 'delivered',
    attempts: 2,
    at: world.clock.now(),
  }
  await world.tell({ kind: 'delivery', delivery }, id)
  t.match((await stream.next(named('delivery'))).data, {
    incident: opened.data.id,
    monitor: id,
    destination_name: 'ops',
    attempts: 2,
  })
  await world.bus.bucket('presence').put(keys.proberPresence('aaaa', 'p1'), {})
  await world.clock.advance(bounds.gatherMs)
  await world.bus.bucket('presence').put(keys.proberPresence('aaaa', 'p2'), {})
  await world.clock.advance(bounds.gatherMs)
  t.match((await stream.next(named('prober'))).data, { location_id: 'aaaa', active_workers_count: 2 })
  for (const { event, data } of stream.events) {
    const shape = sessionEvents[event as keyof typeof sessionEvents]
    t.ok(Compile(shape).Check(data), `${event} ${JSON.stringify(data)}`)
  }
})

t.test('stream names each Template revision that is published, newly used or no longer used', async t => {
  const world = await start(t)
  const stream = await world.watch()
  const wait = { confirm_after: 0, recover_after: 0 }
  const rules = [{ key: 'failing', action: 'Look.', wait, decision: { signal: 'run', field: 'known' } }]
  const template = { key: 'job', version: 1, name: 'Job', signals: [{ key: 'run', kind: 'event' }], rules }
  const v3 = async (path: string, body: object) => {
    const { status, text } = await world.editor.send('POST', `/api/v3/workspaces/${world.workspaceId}${path}`, { body })
    if (status >= 300) throw new Error(text)
    await world.clock.advance(bounds.gatherMs)
  }
  const templates = () => stream.events.filter(named('template')).map(event => event.data.template)
  await v3('/templates', template)
  await stream.next(named('template'))
  await v3('/resources', { template: 'job@1', key: 'db1', name: 'db1' })
  await v3('/templates', { ...template, version: 2 })
  await v3('/resources/db1/rebind', { template: 'job@2' })
  await v3('/resources/db1/archive', {})
  await stream.next(named('gone'))
  t.same(templates(), ['job@1', 'job@1', 'job@2', 'job@1', 'job@2', 'job@2'])
  await world.addMonitor('Shop')
  await world.clock.advance(bounds.gatherMs)
  await stream.next(one => named('template')(one) && one.data.template === 'website-check@1')
  t.ok(stream.events.filter(named('template')).every(({ data }) => Compile(sessionEvents.template).Check(data)))
})

t.test('first stream of a page sends all changes since the data of the page were read', async t => {
  const world = await start(t)
  const id = await world.addMonitor('Shop')
  const firstOf = async () => {
    const { text } = await world.viewer.send('GET', `/monitors/${id}`)
    return JSON.parse(/id="first">(.*)<\/script>/.exec(text)?.[1] ?? 'null')
  }
  const continued = (after: string) => readEvents(world.address, world.viewer, `${world.path}?after=${after}`)
  const { news, monitor } = await firstOf()
  t.match([news, monitor.row.status], [/^\w{8}\.\d+$/, 'unknown'])
  await world.report(id, 'aaaa', false)
  await world.clock.advance(bounds.gatherMs)
  const stream = await continued(news)
  const hello = await stream.next(named('hello'))
  const before = stream.events.slice(0, stream.events.indexOf(hello))
  t.ok(
    before.some(({ event, data }) => event === 'row' && data.id === id && data.status === 'pending'),
    'what was missed comes first',
  )
  t.notOk(before.some(named('reset')))
  const quiet = await continued((await firstOf()).news)
  t.equal((await quiet.next(() => true)).event, 'hello', 'nothing was missed')
  await world.clock.advance(1)
  stream.close()
  quiet.close()
  await Promise.all([stream.ended, quiet.ended])
  const { news: old } = await firstOf()
  await world.clock.advance(bounds.lingerMs)
  const late = await continued(old)
  t.equal((await late.next(() => true)).event, 'reset', 'nobody has heard the news since')
  late.close()
  for (const query of ['?after=', `?after=${'x'.repeat(41)}`, '?since=1'])
    t.equal((await world.viewer.send('GET', world.path + query)).status, 422, query)
})

t.test('changes are sent in batches with only the newest change of each monitor, and never to other workspaces', async t => {
  const world = await start(t)
  await world.ask('create-workspace', { id: 'other00000', name: 'Other', userId: 'user-stan' })
  const stream = await world.watch()
  const other = await readEvents(world.address, world.stranger, '/api/v3/workspaces/other00000/events')
  t.teardown(() => other.close())
  await Promise.all([stream.next(named('hello')), other.next(named('hello'))])
  for (const rev of [1, 2, 3]) world.say({ kind: 'gone', id: 'a', rev })
  world.say({ kind: 'gone', id: 'b', rev: 1 })
  world.say({ kind: 'unheard of' })
  await world.clock.settle()
  t.equal(stream.events.length, 1, 'not yet')
  await world.clock.advance(bounds.gatherMs)
  await stream.next(({ event, data }) => event === 'gone' && data.id === 'b')
  t.strictSame(
    stream.events.slice(1).map(({ id, data }) => [id?.split('.')[1], data.id]),
    [
      ['1', 'a'],
      ['2', 'b'],
    ],
  )
  world.bus.publish(subjects.state('other00000', 'c'), { kind: 'gone', id: 'c', rev: 1 })
  await world.clock.advance(bounds.gatherMs)
  await other.next(named('gone'))
  t.equal(stream.events.length, 3)
})

t.test('reconnected stream gets each missed event once, or a reset when its last event is unknown', async t => {
  const world = await start(t)
  const first = await world.watch()
  await first.next(named('hello'))
  await world.tell({ kind: 'gone', id: 'one', rev: 1 })
  const { id: known } = await first.next(named('gone'))
  first.close()
  await world.tell({ kind: 'gone', id: 'two', rev: 1 })
  await world.tell({ kind: 'gone', id: 'three', rev: 1 })
  const again = await world.watch(world.viewer, known!)
  const hello = await again.next(named('hello'))
  t.strictSame(
    again.events.map(({ event, data }) => (event === 'gone' ? data.id : event)),
    ['two', 'three', 'hello'],
  )
  t.equal(hello.id, again.events[1]?.id, 'the next reconnect goes on from here')
  const epoch = known!.split('.')[0]
  for (const id of [
    'nonsense',
    'otherone.1',
    `${epoch}.99`,
    `${epoch}.-1`,
    `${epoch}.`,
    `${epoch}.1.1`.slice(0, -2).concat('x'),
    'x'.repeat(4_000),
  ]) {
    const lost = await world.watch(world.viewer, id)
    await lost.next(named('hello'))
    t.equal(lost.events[0]?.event, 'reset', id.slice(0, 40))
    lost.close()
  }
  for (let i = 0; i <= bounds.remembered; i++) world.say({ kind: 'gone', id: `x${i}`, rev: 1 })
  await world.clock.advance(bounds.gatherMs)
  const late = await world.watch(world.viewer, hello.id!)
  t.equal((await late.next(() => true)).event, 'reset', 'more was missed than is kept')
  const within = `${epoch}.${Number(hello.id!.split('.')[1]) + 1}`
  const just = await world.watch(world.viewer, within)
  await just.next(named('hello'))
  t.equal(just.events.length, bounds.remembered + 1, 'as many as are kept')
})

t.test('every stream gets a reset when the gateway was disconnected from the bus', async t => {
  const world = await start(t)
  const stream = await world.watch()
  const { id } = await stream.next(named('hello'))
  world.hub.cut(world.gatewayBus)
  await world.clock.settle()
  world.hub.restore(world.gatewayBus)
  const reset = await stream.next(named('reset'))
  t.not(reset.id?.split('.')[0], id?.split('.')[0], 'ids of before are answered no more')
})

t.test('stream is refused without a session, to strangers, and above each bound', async t => {
  const world = await start(t)
  const nobody = world.viewer.copy()
  nobody.cookies().clear()
  t.equal((await nobody.send('GET', world.path)).status, 401)
  t.equal((await world.stranger.send('GET', world.path)).status, 404)
  t.equal((await world.viewer.send('HEAD', world.path)).status, 200, 'HEAD waits for no event')
  const mine: EventReader[] = []
  for (let i = 0; i < bounds.streamsPerPerson; i++) mine.push(await world.watch())
  t.ok(mine.every(({ status }) => status === 200))
  const over = await world.viewer.send('GET', world.path, { headers: stream })
  t.match([over.status, over.headers['retry-after'], over.json.error.error_type], [429, '5', 'rate_limited'])
  t.equal((await world.watch(world.editor)).status, 200, 'others have theirs')
  mine[0]!.close()
  for (let i = 0; i < 100 && (await world.watch()).status !== 200; i++) await world.clock.settle()
  t.pass('a closed one leaves room')
})

t.test('stream ends when its person signs out, is disabled, or loses membership or role', async t => {
  const world = await start(t)
  const cases: [name: string, why: string, act: (browser: Browser) => Promise<unknown>][] = [
    ['one', 'session', browser => browser.send('POST', '/session/sign-out', { body: {} })],
    ['two', 'rights', () => world.ask('remove-member', { workspaceId: world.workspaceId, userId: 'user-two' })],
    ['three', 'rights', () => world.ask('change-role', { workspaceId: world.workspaceId, userId: 'user-three', role: 'editor' })],
    ['four', 'session', () => world.ask('update-user', { userId: 'user-four', disabled: true })],
  ]
  for (const [name, why, act] of cases) {
    const browser = await world.addMember(name, 'viewer')
    const stream = await world.watch(browser)
    const other = await world.watch()
    await stream.next(named('hello'))
    await act(browser)
    t.strictSame((await stream.next(named('ended'))).data, { why }, name)
    await stream.ended
    await other.next(named('hello'))
    t.notOk(other.events.some(named('ended')), 'others go on')
    other.close()
  }
})

t.test('key watches as a session does, until it is deleted or its person loses the membership (v3 13.7)', async t => {
  const world = await start(t)
  const watch = async (token: string) => {
    const reader = await readEvents(world.address, nobody, world.path, { authorization: `Bearer ${token}` })
    t.teardown(() => reader.close())
    await reader.next(named('hello'))
    return reader
  }
  const nobody = world.viewer.copy()
  nobody.cookies().clear()
  const [one, other] = [
    await world.addPerson('one', { [world.workspaceId]: 'viewer' }),
    await world.addPerson('other', { [world.workspaceId]: 'viewer' }),
  ]
  const [deleted, left] = [await watch(one.token), await watch(other.token)]
  await world.tell({ kind: 'gone', id: 'one', rev: 1 })
  await Promise.all([deleted, left].map(reader => reader.next(named('gone'))))
  await world.ask('delete-key', { keyId: one.keyId, userId: null })
  t.strictSame((await deleted.next(named('ended'))).data, { why: 'key' })
  await deleted.ended
  await world.ask('remove-member', { workspaceId: world.workspaceId, userId: other.userId })
  t.strictSame((await left.next(named('ended'))).data, { why: 'rights' })
})

t.test('without Accept, the response is a position, and a stream that begins after it misses nothing (v3 13.6)', async t => {
  const world = await start(t)
  const { result } = (await world.call('GET', world.path, { token: world.token })).json
  t.match(result, { position: /^\w{8}\.\d+$/ })
  await world.tell({ kind: 'gone', id: 'between', rev: 1 })
  const reader = await readEvents(world.address, world.viewer, `${world.path}?after=${result.position}`)
  t.teardown(() => reader.close())
  await reader.next(named('hello'))
  t.strictSame(
    reader.events.map(({ event, data }) => data.id ?? event),
    ['between', 'hello'],
  )
})

t.test('stream ends within a minute when the end of its session was not announced', async t => {
  const world = await start(t)
  const stream = await world.watch()
  await stream.next(named('hello'))
  const [session] = await world.store.find('sessions', { where: { userId: 'user-vera' }, limit: 1 })
  await world.store.delete('sessions', [session!.id])
  await world.clock.advance(bounds.lookMs + bounds.lookTickMs)
  t.strictSame((await stream.next(named('ended'))).data, { why: 'session' })
})

t.test('stream without events sends a heartbeat every 15 s', async t => {
  const world = await start(t)
  const stream = await world.watch()
  await stream.next(named('hello'))
  await world.clock.advance(2 * bounds.beatMs)
  for (let i = 0; i < 100 && stream.text().split(':\n\n').length < 3; i++) await world.clock.settle()
  t.equal(stream.text().match(/(?<=\n\n):\n\n/g)?.length, 2)
})

t.test('stream is closed when its reader lags 256 kB, and other streams continue', async t => {
  const world = await start(t)
  const slow = await world.watch()
  const quick = await world.watch(world.editor)
  await Promise.all([slow.next(named('hello')), quick.next(named('hello'))])
  slow.response.pause()
  slow.response.socket.pause()
  const explanation = 'x'.repeat(100_000)
  const transition = {
    id: 't',
    incidentId: 'Subject001.1',
    subjectId: 'Subject001',
    kind: 'pending',
    state: 'pending',
    event: { at: 0 },
    deadlineAt: null,
  }
  let sequence = 0
  for (; sequence < 300 && slow.response.socket.readyState === 'open' && (await world.cutStreams()) === 0; sequence++) {
    await world.tell({ kind: 'transition', transition: { ...transition, id: `t${sequence}`, sequence, explanation } })
    await quick.next(({ data }) => data.sequence === sequence)
  }
  t.equal(await world.cutStreams(), 1)
  t.ok(sequence > 2, 'not before')
  slow.response.socket.resume()
  slow.response.resume()
  await slow.ended
  await world.tell({ kind: 'gone', id: 'still', rev: 1 })
  await quick.next(named('gone'))
})

t.test('stopping gateway ends its streams first and opens no new streams', async t => {
  const world = await startDashboardWorld()
  const path = `/api/v3/workspaces/${world.workspaceId}/events`
  const stream = await readEvents(world.address, world.viewer, path)
  await stream.next(named('hello'))
  await world.stop()
  t.strictSame((await stream.next(named('ended'))).data, { why: 'stopping' })
  await stream.ended
})
