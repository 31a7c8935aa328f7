// The whole notifier: alerts in the store, real receivers over HTTP, a clock that the test advances.

import { pino } from 'pino'
import t from 'tap'
import { createNotifierClient } from '#shared/bus/clients/clients.ts'
import { keys, subjects } from '#shared/bus/subjects.ts'
import type { AlertDocument } from '#shared/contracts/incidents/alert.ts'
import type { IncidentDocument } from '#shared/contracts/incidents/incident.ts'
import type { News } from '#shared/contracts/news.ts'
import type { DeliveryDocument, DeliveryLogDocument } from '#shared/contracts/notifications/delivery.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { createIncidentIds } from '#shared/incidents/incident-ids.ts'
import { day, hour, limits, minute, second } from '#shared/limits/limits.ts'
import { type Store, StoreError } from '#shared/store/port.ts'
import { createSubject } from '../../services/keeper/step/commands/subject-commands.ts'
import { startWindow } from '../../services/keeper/step/incidents/drive-window.ts'
import { Lanes } from '../../services/notifier/claim/lanes.ts'
import type { NotifierContext } from '../../services/notifier/context.ts'
import { startScan } from '../../services/notifier/decide/scan.ts'
import { newDelivery, nextRevision } from '../../services/notifier/record/delivery-document.ts'
import { createSender } from '../../services/notifier/send/send.ts'
import {
  type Answer,
  alert,
  createHouse,
  createReceiver,
  destination,
  facts,
  type Hit,
  type House,
  options,
  type Receiver,
  startAt,
  until,
} from './house.ts'

const { retryMs, claimMs, scanMs, giveUpMs, sendMs } = limits.notifier
const closedPort = 'http://127.0.0.1:1/hooks/T0secretT0/B1secretB1?token=hunter2hunter2'

interface Scene extends House {
  receivers: Receiver[]
  receive(answer: (call: number, hit: Hit) => Answer | null | Promise<Answer>): Promise<Receiver>
  run(notifierId: string, over?: Parameters<House['start']>[1]): ReturnType<House['start']>
  deliveries(): Promise<DeliveryDocument[]>
  rows(): Promise<DeliveryLogDocument[]>
  settled(count: number): Promise<void>
}

/** Creates a world whose notifiers and receivers end with the test. Fails if a log line or a log row has the address of a destination. */
function scene(
  t: { teardown(run: () => unknown): void },
  alerts: AlertDocument[],
  destinations: DestinationDocument[] = [],
): Promise<Scene> {
  const house = createHouse()
  const receivers: Receiver[] = []
  const services: Awaited<ReturnType<House['start']>>[] = []
  const deliveries = () => house.store.find('deliveries', { limit: 10_000 })
  const rows = async () => (await house.store.find('deliveryLog', { limit: 10_000 })).sort((a, b) => a.number - b.number)
  t.teardown(async () => {
    await Promise.all(services.map(service => house.stop(service)))
    await Promise.all(receivers.map(receiver => receiver.close()))
  })
  const built: Scene = {
    ...house,
    receivers,
    receive: async answer => {
      const receiver = await createReceiver(answer)
      receivers.push(receiver)
      return receiver
    },
    run: async (notifierId, over) => {
      const service = await house.start(notifierId, over)
      services.push(service)
      return service
    },
    deliveries,
    rows,
    settled: count =>
      until(
        async () => (await deliveries()).filter(({ open }) => open === 0).length >= count,
        `${count} deliveries at their end`,
      ),
  }
  return seed(house.store, alerts, destinations).then(() => built)
}

async function seed(store: Store, alerts: AlertDocument[], destinations: DestinationDocument[]): Promise<void> {
  await store.insert('alerts', alerts)
  await store.insert('destinations', destinations)
  const place = { rev: 1, displayName: null, createdAt: 0 }
  await store.upsert('locations', [
    { ...place, id: 'de01', name: 'de' },
    { ...place, id: 'fr01', name: 'fr' },
  ])
}

const ok = () => ({ status: 200, body: 'ok' })

/** Waits for the log line about a delivery that ended unsent; returns its level and its text. */
async function endLineOf({ log }: House): Promise<string> {
  const line = () => log.map(text => JSON.parse(text)).find(({ msg }) => /^message (withdrawn|failed for good)/.test(msg))
  await until(() => line() !== undefined, 'a line about the end of a delivery')
  return `${pino.levels.labels[line().level]} ${line().msg}`
}

const lineOf = ({ log }: House, msg: string) => log.map(text => JSON.parse(text)).find(line => line.msg === msg)

/** Expected fields of a log line about a delivery to the first destination: names for people, and ids of the API. */
const namesOf = ({ incidentId }: AlertDocument) => ({
  subject: 'Shop',
  incident: createIncidentIds(options.incidentSalt).encode(incidentId),
  destination: 'Destination one',
  destinationId: Number,
})

/** The open incident of an alert, as a keeper writes it. */
const incident = ({ incidentId, subjectId, workspaceId, facts }: AlertDocument): IncidentDocument => ({
  id: incidentId,
  rev: 1,
  subjectId,
  resourceKey: facts.subjectSlug,
  workspaceId,
  ruleKey: facts.ruleKey,
  rule: { key: facts.ruleKey, name: facts.ruleName },
  action: null,
  ruleShown: facts.ruleKey,
  number: 1,
  open: 1,
  facets: 1,
  status: 'problem',
  condition: 'problem',
  troubleSince: facts.troubleSince,
  confirmedAt: facts.confirmedAt,
  wellSince: null,
  closedAt: null,
  closedReason: null,
  acknowledgedAt: null,
  acknowledgedBy: null,
  acknowledgedVia: null,
  effectiveAt: facts.troubleSince,
  explanation: facts.explanation,
  evidence: facts.evidence,
  deadlineAt: null,
})

/** The subject of an alert with a window that ends at `endsAt`, as a keeper writes it. */
function inMaintenance({ subjectId, workspaceId }: AlertDocument, endsAt: number): SubjectDocument {
  const command = { kind: 'create-subject', id: 'x', workspaceId, slug: 'shop', name: 'Shop' } as const
  return startWindow(createSubject(subjectId, command, startAt - 1), { at: startAt - 1, endsAt, by: 'Ada' })
}
const firstValue = async (stored: Promise<(unknown | null)[]>) => (await stored)[0]

t.test('alert is delivered once with its headers, a log row and its count of deliveries', async t => {
  const told = alert('one', 'a', 1)
  const house = await scene(t, [told])
  const receiver = await house.receive(ok)
  await house.store.insert('destinations', [
    destination('one', receiver.url),
    destination('two', receiver.url, { workspaceId: 'workspace-one', default: false }),
  ])
  const service = await house.run('n1')
  house.nudge(told.id, 'unknown.1.a1')
  house.nudge(told.id)
  await house.settled(1)
  await house.clock.advance(scanMs)
  house.nudge(told.id)
  await until(async () => (await house.rows()).length === 1, 'the log row')

  t.equal(receiver.hits.length, 1)
  t.match(lineOf(house, 'message delivered'), { ...namesOf(told), kind: 'problem', attempts: 1 })
  const [delivery] = await house.deliveries()
  const hit = receiver.hits[0] as Hit
  t.equal(hit.body, delivery?.body)
  t.match(JSON.parse(hit.body), { attachments: [{ title: 'Shop is down' }], incident: { transition: 'confirmed' } })
  t.match(hit.headers, {
    'content-type': 'application/json',
    'user-agent': 'watchkeeper/2.0.0 (+https://status.example.com)',
    'idempotency-key': delivery?.idempotencyKey,
    'webhook-id': delivery?.idempotencyKey,
    'webhook-timestamp': String(startAt / second),
  })
  t.match(await firstValue(house.store.get('alerts', [told.id])), { state: 'dispatched', deliveries: 1, rev: 2 })
  t.match(delivery, { open: 0, dueAt: null, claimedBy: null, snapshot: { value: 'delivered', context: { attempts: 1 } } })
  t.match((await house.rows())[0], {
    number: 1,
    status: 'delivered',
    error: '',
    payload: hit.body,
    destinationName: 'Destination one',
    destinationType: 'webhook',
    alertKind: 'problem',
    at: startAt,
    expireAt: startAt + 30 * day,
  })
  t.match(await service.metrics.metrics(), /watchkeeper_notifier_deliveries_total\{outcome="delivered"\} 1/)
  t.same(service.unready(), [])
})

t.test('waiting message is dropped when its subject is deleted', async t => {
  const told = alert('one', 'a', 1)
  const house = await scene(t, [told])
  const receiver = await house.receive(() => ({ status: 503, body: '' }))
  await house.store.insert('destinations', [destination('one', receiver.url)])
  await house.run('n1')
  house.nudge(told.id)
  await until(async () => (await house.rows()).length === 1, 'the first attempt')
  await house.store.delete('alerts', [told.id])
  await house.clock.advance(10 * retryMs)
  await until(async () => (await house.deliveries())[0]?.open === 0, 'the delivery to end')
  t.equal(receiver.hits.length, 1, 'it is not tried again')
  t.match((await house.deliveries())[0]?.snapshot.context.lastError, /^resource_gone: /)
  t.equal(await endLineOf(house), 'info message withdrawn')
})

t.test('message is not sent when the archive of its Resource closed the incident (v3 6.4)', async t => {
  const byArchive = { open: 0, status: 'ok', closedAt: startAt, closedReason: 'resource_archived' } as const
  const recovered = { ...byArchive, closedReason: 'recovered' } as const
  const cases: [
    title: string,
    kind: 'problem' | 'recovery',
    archivedAt: number | null,
    change: Partial<IncidentDocument>,
    hits: number,
  ][] = [
    ['it was archived', 'problem', startAt, byArchive, 0],
    ['its archive is being carried out', 'problem', startAt, {}, 0],
    ['it recovered before it was archived', 'recovery', startAt, recovered, 1],
    ['it is not archived', 'problem', null, {}, 1],
  ]
  for (const [title, kind, archivedAt, change, hits] of cases) {
    const told = alert('one', 'a', 1, { kind })
    const house = await scene(t, [told])
    const receiver = await house.receive(ok)
    await house.store.insert('incidents', [{ ...incident(told), ...change }])
    await house.store.upsert('subjects', [{ id: told.subjectId, rev: 1, archivedAt, deletedAt: null } as never])
    await house.store.insert('destinations', [destination('one', receiver.url)])
    await house.run('n1')
    house.nudge(told.id)
    const stored = async () => (await house.store.get('alerts', [told.id]))[0]
    await until(async () => (await stored())?.state === 'dispatched', title)
    if (hits === 0) t.match((await stored())?.skipped, [{ destinationId: 'one', reason: 'resource_gone' }], title)
    else await until(() => receiver.hits.length === hits, title)
    t.equal(receiver.hits.length, hits, title)
  }
})

t.test('first destination of a workspace is told of its open confirmed incidents, once (messages 1.6)', async t => {
  const cases: [title: string, change: Partial<IncidentDocument>, hits: number][] = [
    ['it is open and confirmed', {}, 1],
    ['it is not confirmed', { confirmedAt: null }, 0],
    ['it has closed', { open: 0 }, 0],
  ]
  for (const [title, change, hits] of cases) {
    const told = alert('one', 'a', 1)
    const again = alert('one', 'a', 2, { reminder: true })
    const house = await scene(t, [told, again])
    const receiver = await house.receive(ok)
    await house.store.insert('incidents', [{ ...incident(told), confirmedAt: startAt, ...change }])
    await house.run('n1')
    house.nudge(told.id, again.id)
    const states = async () =>
      (await house.store.get('alerts', [told.id, again.id])).map(one => `${one?.state} ${one?.deliveries}`)
    await until(async () => (await states()).every(state => state === 'dispatched 0'), 'nobody is told')
    await house.store.insert('destinations', [destination('one', receiver.url)])
    const bus = house.connect()
    const announce = () => bus.publish(subjects.destinationNudge, { workspaceId: 'workspace-one' })
    announce()
    if (hits > 0) await receiver.called(hits)
    if (hits > 0) await house.settled(1)
    announce()
    bus.publish(subjects.destinationNudge, 'nonsense')
    await house.clock.advance(scanMs)
    t.equal(receiver.hits.length, hits, title)
    t.strictSame(await states(), ['dispatched 0', `dispatched ${hits}`], `${title}: the newest message is sent`)
  }
})

t.test('message that waits for its next attempt is withdrawn when its Resource is archived (v3 6.4)', async t => {
  const reasons = { resource_archived: 1, recovered: 2 } as const
  for (const [closedReason, hits] of Object.entries(reasons)) {
    const told = alert('one', 'a', 1)
    const house = await scene(t, [told])
    const receiver = await house.receive(call => ({ status: call === 1 ? 503 : 200, body: '' }))
    await house.store.insert('incidents', [incident(told)])
    await house.store.insert('destinations', [destination('one', receiver.url)])
    await house.run('n1')
    house.nudge(told.id)
    await until(async () => (await house.rows()).length === 1, 'the first attempt')
    const closed = { open: 0, status: 'ok', closedAt: startAt, closedReason, rev: 2 } as never
    await house.store.upsert('incidents', [{ ...incident(told), ...(closed as object) }])
    await house.clock.advance(retryMs)
    await house.settled(1)
    t.equal(receiver.hits.length, hits, closedReason)
    const lastError = (await house.deliveries())[0]?.snapshot.context.lastError ?? ''
    t.equal(lastError.startsWith('resource_gone: '), closedReason === 'resource_archived', closedReason)
  }
})

t.test('reminder is sent while its incident is open and unacknowledged', async t => {
  const meanwhile: [string, Partial<IncidentDocument>, number, RegExp | null, endsAt?: number][] = [
    ['nothing happened', {}, 2, null],
    ['it was acknowledged', { acknowledgedAt: startAt, acknowledgedBy: 'Ada' }, 1, /^not_sent: the incident was acknowledged$/],
    ['it has ended', { open: 0, status: 'ok', closedAt: startAt }, 1, /^not_sent: the incident has ended$/],
    ['it recovers', { condition: 'ok', status: 'recovering', wellSince: startAt }, 1, /^not_sent: it is not failing any more$/],
    ['its reports are missing', { condition: 'no_data', status: 'no_data' }, 1, /^not_sent: it is not failing any more$/],
    ['maintenance ended', {}, 2, null, startAt],
    ['maintenance began', {}, 1, /^maintenance: a window runs$/, startAt + 3_600_000],
  ]
  for (const [title, change, hits, error, endsAt] of meanwhile) {
    const reminder = alert('one', 'a', 1, { reminder: true })
    const house = await scene(t, [reminder])
    await house.store.insert('incidents', [incident(reminder)])
    const receiver = await house.receive(call => ({ status: call === 1 ? 503 : 200, body: '' }))
    await house.store.insert('destinations', [destination('one', receiver.url)])
    await house.run('n1')
    house.nudge(reminder.id)
    await until(async () => (await house.rows()).length === 1, 'the first attempt')
    await house.store.upsert('incidents', [{ ...incident(reminder), ...change, rev: 2 }])
    if (endsAt !== undefined) await house.store.insert('subjects', [inMaintenance(reminder, endsAt)])
    await house.clock.advance(retryMs)
    await house.settled(1)
    t.equal(receiver.hits.length, hits, title)
    const [delivery] = await house.deliveries()
    if (error === null) t.equal(delivery?.snapshot.value, 'delivered', title)
    else t.match(delivery?.snapshot, { value: 'failed', context: { lastError: error } }, title)
    if (error !== null) t.equal(await endLineOf(house), 'info message withdrawn', title)
  }
  const late = alert('one', 'b', 1, { reminder: true, decidedAt: startAt - 3_600_000 })
  const house = await scene(t, [late])
  const receiver = await house.receive(ok)
  await house.store.insert('incidents', [{ ...incident(late), acknowledgedAt: startAt }])
  await house.store.insert('destinations', [destination('one', receiver.url)])
  await house.run('n1')
  await house.settled(1)
  t.equal(receiver.hits.length, 0, 'also where no notifier ran when it was decided')
})

t.test('temporary failure is retried with the same key and body, and each attempt has a log row', async t => {
  const answers: Record<string, (call: number) => Answer | null> = {
    'an internal error': call => ({ status: call === 1 ? 500 : 204, body: 'sorry /hooks/T0secretT0/B1secretB1' }),
    'a rate limit': call => ({ status: call === 1 ? 429 : 200, headers: { 'retry-after': '1' } }),
    'no answer': call => (call === 1 ? null : ok()),
  }
  const keys = new Set<unknown>()
  for (const [name, answer] of Object.entries(answers)) {
    const told = alert('one', 'a', 1)
    const house = await scene(t, [told])
    const receiver = await house.receive(answer)
    await house.store.insert('destinations', [destination('one', receiver.url)])
    const news: News[] = []
    await house.connect().subscribe(subjects.state(told.workspaceId, told.subjectId), ({ body }) => void news.push(body as News))
    await house.run('n1')
    house.nudge(told.id)
    await receiver.called(1)
    const waited = name === 'no answer' ? sendMs : 0
    await house.clock.advance(waited)
    await until(async () => (await house.deliveries())[0]?.snapshot.value === 'waiting', `${name}: waiting`)
    const [waiting] = await house.deliveries()
    t.equal(waiting?.dueAt, startAt + waited + retryMs, `${name}: due after its pause`)
    await house.clock.advance(retryMs - 1)
    await new Promise(resolve => setImmediate(resolve))
    t.equal(receiver.hits.length, 1, `${name}: not before`)
    await house.clock.advance(1)
    await house.settled(1)
    const [first, second] = receiver.hits
    t.equal(second?.headers['idempotency-key'], first?.headers['idempotency-key'], `${name}: same key`)
    t.equal(second?.body, first?.body, `${name}: same body`)
    keys.add(first?.headers['idempotency-key'])
    await until(() => news.length >= 2, `${name}: news`)
    const { id: deliveryId } = (await house.deliveries())[0]!
    const expected = { id: deliveryId, incidentId: told.incidentId, destinationName: destination('one', '').name }
    t.match(
      news,
      [
        { kind: 'delivery', delivery: { ...expected, state: 'waiting', attempts: 1 } },
        { kind: 'delivery', delivery: { ...expected, state: 'delivered', attempts: 2 } },
      ],
      `${name}: those who watch are told of both attempts`,
    )
    t.notMatch(JSON.stringify(news), /secret|127\.0\.0\.1/, `${name}: news carries no address`)
    t.same(
      (await house.rows()).map(({ number, status, payload }) => [number, status, payload]),
      [
        [1, 'failed', first?.body],
        [2, 'delivered', first?.body],
      ],
    )
    t.notMatch(JSON.stringify([await house.rows(), house.log]), /secret|hunter2|127\.0\.0\.1/, `${name}: the address is nowhere`)
  }
  t.equal(keys.size, 1, 'the delivery itself decides its key, whoever makes it')
})

t.test('retry is sent at its planned instant when its timer fires a moment early', async t => {
  const told = alert('one', 'a', 1)
  const house = await scene(t, [told])
  const receiver = await house.receive(call => ({ status: call === 1 ? 503 : 200 }))
  await house.store.insert('destinations', [destination('one', receiver.url)])
  await house.run('n1')
  house.nudge(told.id)
  await until(async () => (await house.deliveries())[0]?.snapshot.value === 'waiting', 'waiting')
  await house.clock.settle()
  house.clock.stepWall(-20)
  await house.clock.advance(retryMs)
  t.equal(receiver.hits.length, 1, 'not before its instant')
  await house.clock.advance(20)
  await receiver.called(2)
  t.equal(house.clock.now(), startAt + retryMs)
})

t.test('retry waits for the pause that the receiver requests, within bounds', async t => {
  const rows: [string, string, number][] = [
    ['seconds', '7', 7 * second],
    ['a date', new Date(startAt + 9 * second).toUTCString(), 9 * second],
    ['a date that is over', new Date(startAt - hour).toUTCString(), retryMs],
    ['a date far ahead', new Date(startAt + 9 * hour).toUTCString(), limits.notifier.retryMsMax],
    ['too much', '86400', limits.notifier.retryMsMax],
    ['nonsense', 'soon', retryMs],
  ]
  for (const status of [429, 503]) {
    for (const [name, asked, pause] of rows) {
      const told = alert('one', 'a', 1)
      const house = await scene(t, [told])
      const receiver = await house.receive(() => ({ status, headers: { 'retry-after': asked } }))
      await house.store.insert('destinations', [destination('one', receiver.url)])
      await house.run('n1')
      house.nudge(told.id)
      await until(async () => (await house.deliveries())[0]?.snapshot.value === 'waiting', name)
      t.equal((await house.deliveries())[0]?.dueAt, startAt + pause, `${status}: ${name}`)
    }
  }
})

t.test('refused connection is retried with growing pauses until the time of the delivery ends', async t => {
  const told = alert('one', 'a', 1)
  const house = await scene(t, [told], [destination('one', closedPort)])
  await house.run('n1')
  house.nudge(told.id)
  const pauses: number[] = []
  for (let rows = 1; ; rows++) {
    await until(async () => (await house.rows()).length === rows, `row ${rows}`)
    await until(async () => (await house.deliveries())[0]?.snapshot.value !== 'sending', `outcome ${rows}`)
    const [delivery] = await house.deliveries()
    if (delivery?.open === 0) break
    const pause = (delivery?.dueAt as number) - house.clock.now()
    pauses.push(pause)
    await house.clock.advance(pause)
  }
  t.same(pauses.slice(0, 4), [retryMs, 2 * retryMs, 4 * retryMs, 8 * retryMs])
  t.ok(Math.max(...pauses) <= limits.notifier.retryMsMax)
  t.equal(house.clock.now(), startAt + giveUpMs, 'the last attempt is made when the time is up')
  t.match((await house.deliveries())[0]?.snapshot, { value: 'failed', context: { lastError: 'unreachable: connection refused' } })
  t.notMatch(JSON.stringify([await house.rows(), house.log]), /secret|hunter2|127\.0\.0\.1/)
})

t.test('message that waited hours for a notifier is retried for an hour', async t => {
  const old = alert('one', 'a', 1, { decidedAt: startAt - 3 * giveUpMs })
  const house = await scene(t, [old])
  const receiver = await house.receive(call => ({ status: call === 1 ? 503 : 200, body: '' }))
  await house.store.insert('destinations', [destination('one', receiver.url)])
  const service = await house.run('n1')
  await until(async () => (await house.rows()).length === 1, 'the first attempt')
  t.match((await house.deliveries())[0]?.snapshot, { value: 'waiting', context: { giveUpAt: startAt + hour } })
  await house.clock.advance(retryMs)
  await house.settled(1)
  t.match((await house.deliveries())[0]?.snapshot, { value: 'delivered' })
  t.match(await service.metrics.metrics(), /delivery_seconds_sum 2160\d/, 'its delay is counted from its decision')
})

t.test('permanent failure ends a delivery at once', async t => {
  const rows: [number, string][] = [
    [410, 'http_410: the destination is gone, it answered 410 Gone'],
    [408, 'http_408: the destination answered 408 Request Timeout'],
    [404, 'http_404: the destination answered 404 Not Found'],
    [301, 'http_301: the destination answered 301 Moved Permanently'],
  ]
  for (const [status, error] of rows) {
    const told = alert('one', 'a', 1)
    const house = await scene(t, [told])
    const receiver = await house.receive(() => ({
      status,
      headers: { location: '/elsewhere' },
      body: 'no longer\n T0secretT0 here',
    }))
    await house.store.insert('destinations', [destination('one', receiver.url)])
    await house.run('n1')
    house.nudge(told.id)
    await house.settled(1)
    await house.clock.advance(minute)
    t.equal(receiver.hits.length, 1, `${status}: one call, no redirect followed`)
    t.match(await house.rows(), [{ status: 'failed', error }], `${status}`)
    t.equal(await endLineOf(house), 'error message failed for good', `${status}`)
    t.match(lineOf(house, 'message failed for good'), { ...namesOf(told), reason: error, attempts: 1 })
  }
})

t.test('message counts as received when its receiver reports success and then stops responding', async t => {
  const told = alert('one', 'a', 1)
  const house = await scene(t, [told])
  const { createServer } = await import('node:http')
  const server = createServer((_, response) => response.writeHead(200, { 'content-length': '1000' }).write('begun'))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  await house.store.insert('destinations', [
    destination('one', `http://127.0.0.1:${(server.address() as { port: number }).port}/`),
  ])
  await house.run('n1')
  house.nudge(told.id)
  await house.settled(1)
  t.match((await house.deliveries())[0]?.snapshot, { value: 'delivered' })
})

t.test('messages of an incident arrive in order, and other incidents continue', async t => {
  const alerts = [alert('one', 'a', 1), alert('one', 'a', 2, { kind: 'recovery' }), alert('one', 'b', 1)]
  const house = await scene(t, alerts)
  const titles: string[] = []
  const receiver = await house.receive((_, { body }) => {
    const { attachments, incident } = JSON.parse(body)
    titles.push(`${incident.resource.key} ${attachments[0].title}`)
    return { status: incident.resource.key === 'held' && titles.length < 3 ? 503 : 200 }
  })
  await house.store.insert('destinations', [destination('one', receiver.url)])
  await house.store.upsert(
    'alerts',
    alerts.map(one => ({ ...one, facts: { ...facts, subjectSlug: one.subjectId.startsWith('a') ? 'held' : 'free' } })),
  )
  await house.run('n1')
  // The test sends hints only about later messages, so the notifier must find the earlier message by itself.
  house.nudge(alerts[1]?.id as string)
  await receiver.called(1)
  house.nudge(alerts[2]?.id as string)
  await receiver.called(2)
  await until(async () => (await house.deliveries()).length === 3, 'all deliveries')
  await house.clock.advance(scanMs)
  await house.settled(3)
  t.same(titles, ['held Shop is down', 'free Shop is down', 'held Shop is down', 'held Shop is back up'])
})

t.test('next message of an incident is sent after its predecessor has arrived', async t => {
  const alerts = [alert('one', 'a', 1), alert('one', 'a', 2, { kind: 'recovery' })]
  const house = await scene(t, alerts)
  let finish: (answer: Answer) => void = () => {}
  const receiver = await house.receive(call => (call === 1 ? new Promise<Answer>(resolve => (finish = resolve)) : ok()))
  await house.store.insert('destinations', [destination('one', receiver.url)])
  await house.run('n1')
  house.nudge(...alerts.map(({ id }) => id))
  await receiver.called(1)
  await until(async () => (await house.deliveries()).length === 2, 'the second delivery')
  await house.clock.settle()
  t.equal(receiver.hits.length, 1, 'the second waits')
  finish(ok())
  await receiver.called(2)
  t.equal(house.clock.now(), startAt, 'no scan was needed')
})

t.test('message of which the notifier gets a hint is sent at once, after the earlier one of which it got none', async t => {
  const house = await scene(t, [])
  const receiver = await house.receive(ok)
  await house.store.insert('destinations', [destination('one', receiver.url)])
  await house.run('n1')
  await house.clock.settle()
  const alerts = [alert('one', 'a', 1), alert('one', 'a', 2, { kind: 'recovery' })]
  await house.store.insert('alerts', alerts)
  house.nudge(alerts[1]?.id as string)
  await receiver.called(2)
  t.equal(house.clock.now(), startAt, 'no scan was needed')
})

t.test('due delivery is sent by only one of two notifiers', async t => {
  const alerts = Array.from({ length: 20 }, (_, i) => alert('one', `i${i}`, 1, { state: 'dispatched' }))
  const house = await scene(t, alerts)
  const receiver = await house.receive(ok)
  await house.store.insert('destinations', [destination('one', receiver.url)])
  const marks = { notifierId: 'gone', incidentSalt: options.incidentSalt }
  await house.store.insert(
    'deliveries',
    alerts.map(one => newDelivery(one, 'one', startAt, marks)),
  )
  await Promise.all([house.run('n1'), house.run('n2')])
  await house.settled(20)
  await house.clock.advance(scanMs)
  t.equal(receiver.hits.length, 20)
  t.equal((await house.rows()).length, 20)
})

t.test('each receiver is called once for each alert when two notifiers run', async t => {
  const alerts = Array.from({ length: 60 }, (_, i) => alert(`d${i % 3}`, `i${i}`, 1))
  const house = await scene(t, alerts)
  const receiver = await house.receive(ok)
  await house.store.insert(
    'destinations',
    [0, 1, 2].map(i => destination(`d${i}`, receiver.url)),
  )
  await Promise.all([house.run('n1'), house.run('n2')])
  const ids = alerts.map(({ id }) => id)
  for (let i = 0; i < 4; i++) house.nudge(...ids)
  await house.settled(60)
  await house.clock.advance(scanMs)
  await until(async () => (await house.rows()).length === 60, 'all rows')
  t.equal(receiver.hits.length, 60)
  t.equal(new Set(receiver.hits.map(({ headers }) => headers['idempotency-key'])).size, 60)
  t.same(
    (await house.rows()).map(({ number }) => number),
    Array.from({ length: 60 }, (_, i) => i + 1),
    'numbers without a gap',
  )
})

t.test('next notifier repeats a message at most once with the same key when a notifier dies', async t => {
  const told = alert('one', 'a', 1)
  const house = await scene(t, [told])
  const receiver = await house.receive(ok)
  await house.store.insert('destinations', [destination('one', receiver.url)])
  // The store of the first notifier stops responding after the message is sent: the notifier can no longer write the outcome.
  const deaf = new Set(['insert', 'get:counters'])
  const dying = new Proxy(house.store, {
    get:
      (store, name: keyof Store) =>
      (collection: string, ...rest: unknown[]) =>
        deaf.has(name) || deaf.has(`${name}:${collection}`)
          ? new Promise(() => {})
          : (store[name] as (...all: unknown[]) => unknown)(collection, ...rest),
  })
  await house.start('dying', { store: dying })
  house.nudge(told.id)
  await receiver.called(1)
  const [claimed] = await house.deliveries()
  t.match(claimed, { claimedBy: 'dying', dueAt: startAt + claimMs, snapshot: { value: 'sending' } })

  await house.run('heir')
  await house.clock.advance(claimMs - 1)
  await new Promise(resolve => setImmediate(resolve))
  t.equal(receiver.hits.length, 1, 'not before the claim ends')
  await house.clock.advance(scanMs)
  await house.settled(1)
  const [first, second] = receiver.hits
  t.equal(receiver.hits.length, 2)
  t.equal(second?.headers['webhook-id'], first?.headers['webhook-id'])
  t.equal(second?.body, first?.body)
  t.match(await house.rows(), [{ id: `${claimed?.id}.2`, status: 'delivered' }])
})

t.test('notifier sends messages claimed by a dead notifier at once, and leaves messages claimed by live notifiers', async t => {
  const house = await scene(t, [])
  const receiver = await house.receive(ok)
  await house.store.insert('destinations', [destination('one', receiver.url)])
  const claimed = (name: string, claimedBy: string) => {
    const told = alert('one', name, 1)
    const opened = newDelivery(told, 'one', startAt, { ...options, notifierId: claimedBy })
    const event = { type: 'delivery.claimed' as const, at: startAt, until: startAt + claimMs }
    return nextRevision({ ...opened, ...message }, [event], claimedBy)?.document as DeliveryDocument
  }
  const message = { body: '{}', contentType: 'application/json' as const, signature: null }
  const [dead, living] = [claimed('dead', 'dying'), claimed('living', 'busy')]
  for (const document of [dead, living]) await house.store.upsert('deliveries', [document])
  await house.store.insert('alerts', [alert('one', 'dead', 1), alert('one', 'living', 1)])
  await house.run('heir', { deadNotifiers: ['long gone', 'dying'] })
  await receiver.called(1)
  t.equal(receiver.hits[0]?.headers['webhook-id'], dead.idempotencyKey)
  t.equal(house.clock.now(), startAt, 'nobody waited')
  t.match(await house.store.get('deliveries', [living.id]), [{ claimedBy: 'busy', snapshot: { value: 'sending' } }])
})

/** A store that a test can take away. While it is away, every call fails. */
function fragile(store: Store) {
  const state = { isAway: false }
  const proxy = new Proxy(store, {
    get:
      (target, name: keyof Store) =>
      async (...all: unknown[]) => {
        if (state.isAway) throw new StoreError('unavailable', 'cut off')
        return (target[name] as (...some: unknown[]) => unknown)(...all)
      },
  })
  return { state, store: proxy }
}

const takeOverMs = limits.notifier.presence.absentMs + limits.notifier.presence.gapMs

/** A notifier with a claim whose message waits for a receiver that answers the first call never, and another notifier beside it. */
async function twoNotifiers(t: Parameters<typeof scene>[0]) {
  const told = alert('one', 'a', 1)
  const house = await scene(t, [told])
  const receiver = await house.receive(call => (call === 1 ? null : { status: 200 }))
  await house.store.insert('destinations', [destination('one', receiver.url)])
  const { state, store } = fragile(house.store)
  const first = await house.run('first', { store, exclusive: false })
  house.nudge(told.id)
  await receiver.called(1)
  await house.run('heir', { exclusive: false })
  await house.clock.advance(second)
  return { house, receiver, first, state }
}

t.test('another notifier takes over a claim within 8 s when its notifier dies', async t => {
  const { house, receiver, first, state } = await twoNotifiers(t)
  first.setBus(false)
  state.isAway = true
  await house.clock.advance(limits.notifier.presence.absentMs - second)
  t.match(await house.deliveries(), [{ claimedBy: 'first' }], 'not before it is absent')
  await house.clock.advance(takeOverMs - limits.notifier.presence.absentMs + second)
  await receiver.called(2)
  await house.settled(1)
  const [once, again] = receiver.hits
  t.equal(again?.headers['webhook-id'], once?.headers['webhook-id'])
  t.equal(again?.body, once?.body)
  t.match(await house.rows(), [{ status: 'delivered' }])
  t.ok(house.log.some(line => line.includes('claims of a dead notifier given back')))
  state.isAway = false
})

t.test('notifier that starts after the death of another takes its claims over within 8 s', async t => {
  const told = alert('one', 'a', 1)
  const house = await scene(t, [told])
  const receiver = await house.receive(call => (call === 1 ? null : { status: 200 }))
  await house.store.insert('destinations', [destination('one', receiver.url)])
  const { state, store } = fragile(house.store)
  const first = await house.run('first', { store, exclusive: false })
  house.nudge(told.id)
  await receiver.called(1)
  first.setBus(false)
  state.isAway = true
  await house.clock.advance(2 * second)
  await house.run('heir', { exclusive: false })
  await house.clock.advance(takeOverMs)
  await receiver.called(2)
  t.pass('sent again')
  state.isAway = false
})

t.test('claim of a notifier that only loses the bus is kept until its deadline', async t => {
  const { house, receiver, first } = await twoNotifiers(t)
  first.setBus(false)
  await house.clock.advance(sendMs - 2 * second)
  t.match(await house.deliveries(), [{ claimedBy: 'first', snapshot: { value: 'sending' } }])
  t.equal(receiver.hits.length, 1, 'its attempt goes on, and nobody sends beside it')
  await house.clock.advance(2 * second)
  await until(async () => (await house.deliveries())[0]?.claimedBy === null, 'its outcome')
  t.match(await house.rows(), [{ status: 'failed', error: /no answer within/ }], 'its own outcome is stored')
})

t.test('notifier ends an attempt without an outcome when another has taken its claim over', async t => {
  const { house, receiver, first, state } = await twoNotifiers(t)
  first.setBus(false)
  state.isAway = true
  await house.clock.advance(takeOverMs)
  await receiver.called(2)
  await house.settled(1)
  state.isAway = false
  await house.clock.advance(second)
  const abandoned = async () => /attempts_total\{result="abandoned"\} 1/.test(await first.metrics.metrics())
  await until(abandoned, 'the end of its attempt')
  t.match(await house.rows(), [{ status: 'delivered' }])
})

t.test('no claim is taken over while no process can announce itself, and none whose claim says nothing of presence', async t => {
  const { house, receiver, first } = await twoNotifiers(t)
  await house.connect().bucket('presence').put(keys.notifierPresence('older'), {})
  const older = newDelivery(alert('one', 'older', 1), 'one', startAt, { ...options, notifierId: 'older' })
  const event = { type: 'delivery.claimed' as const, at: house.clock.now(), until: house.clock.now() + claimMs }
  const claimed = nextRevision({ ...older, body: '{}', contentType: 'application/json', signature: null }, [event], 'older')
  await house.store.upsert('deliveries', [claimed?.document as DeliveryDocument])
  house.depose(['presence'])
  await house.clock.advance(9 * second)
  house.depose([])
  await house.clock.advance(claimMs - 10 * second)
  t.match(await house.store.get('deliveries', [older.id]), [{ claimedBy: 'older' }])
  const claims = (await house.deliveries()).filter(({ claimedBy }) => claimedBy === 'heir')
  t.same(claims, [])
  t.ok((await first.metrics.metrics()).length > 0 && receiver.hits.length <= 3)
})

t.test('scan finds deliveries when the hint about them was lost', async t => {
  const alerts = [alert('one', 'a', 1), alert('one', 'b', 1)]
  const house = await scene(t, [])
  const receiver = await house.receive(ok)
  await house.store.insert('destinations', [destination('one', receiver.url)])
  await house.run('n1')
  await new Promise(resolve => setImmediate(resolve))
  await house.store.insert('alerts', alerts)
  await house.clock.advance(scanMs - 1)
  await new Promise(resolve => setImmediate(resolve))
  t.equal(receiver.hits.length, 0)
  await house.clock.advance(1)
  await house.settled(2)
  t.equal(receiver.hits.length, 2)
})

t.test('alert without recipients is sent to nobody, and its dispatch is complete', async t => {
  const rows: [string, Partial<DestinationDocument>, string][] = [
    ['no default', { default: false }, 'no_destination'],
    ['another workspace', { workspaceId: 'elsewhere' }, 'no_destination'],
    ['switched off', { enabled: false }, 'destination_disabled'],
  ]
  for (const [name, over, reason] of rows) {
    const told = alert('one', 'a', 1)
    const house = await scene(t, [told], [destination('one', closedPort, over)])
    const service = await house.run('n1')
    house.nudge(told.id)
    await until(async () => (await house.store.get('alerts', [told.id]))[0]?.state === 'dispatched', name)
    t.match((await house.store.get('alerts', [told.id]))[0], { deliveries: 0 }, name)
    t.same(await house.deliveries(), [], name)
    t.match(await service.metrics.metrics(), new RegExp(`unsent_alerts_total{reason="${reason}"} 1`), name)
  }
})

t.test('problem in maintenance notifies nobody, records the reason, and delays no recovery', async t => {
  const held: AlertDocument = { ...alert('one', 'a', 1), held: 'maintenance' }
  const recovery: AlertDocument = { ...alert('one', 'a', 2), kind: 'recovery' }
  for (const order of [[held, recovery], [recovery, held], [recovery]]) {
    const name = order.map(({ kind }) => kind).join(', then ')
    const house = await scene(t, [held, recovery])
    const receiver = await house.receive(ok)
    await house.store.insert('destinations', [destination('one', receiver.url)])
    const service = await house.run('n1')
    for (const { id } of order) house.nudge(id)
    await house.settled(1)
    t.match(
      (await house.store.get('alerts', [held.id, recovery.id])).map(one => one && [one.state, one.deliveries, one.skipped]),
      [
        ['dispatched', 0, [{ destinationId: 'one', reason: 'maintenance' }]],
        ['dispatched', 1, []],
      ],
      name,
    )
    t.strictSame(
      receiver.hits.map(({ body }) => JSON.parse(body).incident.transition),
      ['closed'],
      name,
    )
    t.strictSame(
      (await house.deliveries()).map(({ alertId }) => alertId),
      [recovery.id],
      name,
    )
    t.match(await service.metrics.metrics(), /unsent_alerts_total{reason="maintenance"} 1/, name)
  }
})

t.test('waiting delivery is dropped when its destination is switched off', async t => {
  const told = alert('one', 'a', 1)
  const house = await scene(t, [told])
  const receiver = await house.receive(() => ({ status: 503 }))
  const there = destination('one', receiver.url)
  await house.store.insert('destinations', [there])
  await house.run('n1')
  house.nudge(told.id)
  await until(async () => (await house.deliveries())[0]?.snapshot.value === 'waiting', 'waiting')
  await house.store.replace('destinations', [{ ...there, rev: 2, enabled: false }])
  await house.clock.advance(retryMs)
  await house.settled(1)
  t.equal(receiver.hits.length, 1)
  t.match((await house.deliveries())[0]?.snapshot, { value: 'failed', context: { lastError: /^destination_disabled/ } })
  t.equal(await endLineOf(house), 'info message withdrawn')
})

t.test('delivery whose last attempt has no known outcome ends with an error, even if its subject was deleted', async t => {
  const told = alert('one', 'a', 1, { decidedAt: startAt - 3 * hour })
  const house = await scene(t, [], [destination('one', closedPort)])
  const opened = newDelivery(told, 'one', told.decidedAt, { ...options, notifierId: 'dead' })
  const context = { ...opened.snapshot.context, attempts: 1, deadlineAt: opened.snapshot.context.giveUpAt }
  const snapshot = { ...opened.snapshot, value: 'sending' as const, context }
  await house.store.insert('deliveries', [{ ...opened, snapshot, dueAt: context.deadlineAt, claimedBy: 'dead' }])
  await house.run('heir')
  await house.clock.advance(scanMs)
  t.equal(await endLineOf(house), 'error message failed for good')
})

t.test('receiver that never responds delays no other receiver, and gets one message at a time', async t => {
  const alerts = Array.from({ length: 40 }, (_, i) => alert(i % 2 ? 'dead' : 'alive', `i${i}`, 1))
  const house = await scene(t, alerts)
  const dead = await house.receive(() => null)
  const alive = await house.receive(ok)
  await house.store.insert('destinations', [destination('dead', dead.url), destination('alive', alive.url)])
  await house.run('n1')
  house.nudge(...alerts.map(({ id }) => id))
  await house.settled(20)
  t.equal(alive.hits.length, 20)
  await dead.called(8)
  t.equal(dead.hits.length, 8, 'no more than its share at once')
  await house.clock.advance(sendMs)
  await dead.called(9)
  await until(async () => (await house.rows()).length === 28, 'rows of the time-outs')
  t.equal(dead.hits.length, 9, 'then one at a time')
  t.match((await house.rows()).at(-1), { error: 'unreachable: no answer within 10 s' })
})

t.test('message is sent once when the response of the store to its claim is lost', async t => {
  const told = alert('one', 'a', 1)
  const house = await scene(t, [told])
  const receiver = await house.receive(ok)
  await house.store.insert('destinations', [destination('one', receiver.url)])
  let lost = 0
  const forgetful = new Proxy(house.store, {
    get:
      (store, name: keyof Store) =>
      async (collection: string, ...rest: unknown[]) => {
        const result = await (store[name] as (...all: unknown[]) => Promise<unknown>)(collection, ...rest)
        if (name === 'replace' && collection === 'deliveries' && lost++ === 0) throw new StoreError('unavailable', 'cut off')
        return result
      },
  })
  await house.run('n1', { store: forgetful })
  house.nudge(told.id)
  await until(() => lost > 0, 'the lost answer')
  await until(async () => {
    await house.clock.advance(10)
    return receiver.hits.length > 0
  }, 'the message')
  await house.settled(1)
  t.equal(receiver.hits.length, 1)
  t.ok(house.clock.now() - startAt < second, 'the same put is repeated, nobody waits for the claim to end')
})

t.test('stopping notifier waits for its sends, and releases deliveries without an outcome', async t => {
  const alerts = [alert('slow', 'a', 1), alert('dead', 'b', 1)]
  const house = await scene(t, alerts)
  let finish: (answer: Answer) => void = () => {}
  const slow = await house.receive(() => new Promise<Answer>(resolve => (finish = resolve)))
  const dead = await house.receive(() => null)
  await house.store.insert('destinations', [destination('slow', slow.url), destination('dead', dead.url)])
  const service = await house.start('n1')
  house.nudge(...alerts.map(({ id }) => id))
  await Promise.all([slow.called(1), dead.called(1)])
  const stopping = service.stop()
  finish({ status: 200 })
  await house.settled(1)
  await house.clock.advance(limits.notifier.stopMs)
  await stopping
  const byDestination = Object.fromEntries((await house.deliveries()).map(one => [one.destinationId, one]))
  t.match(byDestination['slow'], { snapshot: { value: 'delivered' } })
  t.match(byDestination['dead'], { claimedBy: null, open: 1, snapshot: { value: 'queued' }, dueAt: house.clock.now() })
  t.equal((await house.rows()).length, 1, 'no row for an attempt without an outcome')
  await house.store.insert('alerts', [alert('slow', 'c', 1)])
  await house.clock.advance(minute)
  t.equal(await house.store.count('alerts', { state: 'open' }), 1, 'it looks for nothing any more')
})

t.test('stop aborts sends without a response within three quarters of `serviceStopMs`', async t => {
  const told = alert('one', 'a', 1)
  const house = await scene(t, [told])
  const silent = await house.receive(() => null)
  await house.store.insert('destinations', [destination('one', silent.url)])
  const service = await house.start('n1')
  house.nudge(told.id)
  await silent.called(1)
  const tested = createNotifierClient(house.connect(), house.clock).sendTest({ destinationId: 'one' })
  await silent.called(2)
  let stopped = false
  const stopping = service.stop().then(() => {
    stopped = true
  })
  await house.clock.advance(0.75 * limits.start.serviceStopMs)
  await until(async () => (await house.deliveries())[0]?.claimedBy === null, 'the claim given back')
  t.match(await tested, { delivered: false, error: 'unreachable: no answer before the notifier stopped' })
  await until(() => stopped, 'the end of the notifier')
  t.match(await house.deliveries(), [{ open: 1, snapshot: { value: 'queued' } }])
  t.match(await house.rows(), [{ status: 'failed', error: 'unreachable: no answer before the notifier stopped' }])
  await stopping
})

t.test('expired documents are removed, and other documents stay', async t => {
  const old = { state: 'dispatched' as const, expireAt: startAt + minute }
  const house = await scene(t, [alert('one', 'a', 1, old), alert('one', 'b', 1, { ...old, expireAt: startAt + 1e9 })])
  await house.run('n1')
  await house.clock.advance(limits.notifier.expireMs + scanMs)
  t.same(
    (await house.store.find('alerts', { limit: 10 })).map(({ incidentId }) => incidentId),
    ['bxxxxxxxxx.1'],
  )
})

t.test('hint that is no list of ids is ignored', async t => {
  const told = alert('one', 'a', 1, { state: 'dispatched' })
  const house = await scene(t, [told])
  await house.run('n1')
  for (const strange of [null, 7, {}]) house.nudge(strange as never)
  await house.clock.settle()
  t.same(await house.deliveries(), [])
  t.same(house.log, [])
})

t.test('a thousand alerts to ten receivers arrive once each', async t => {
  const alerts = Array.from({ length: 1_000 }, (_, i) => alert(`d${i % 10}`, `i${i}`, 1))
  const house = await scene(t, alerts)
  const receiver = await house.receive(ok)
  await house.store.insert(
    'destinations',
    Array.from({ length: 10 }, (_, i) => destination(`d${i}`, receiver.url)),
  )
  await house.run('n1')
  const began = performance.now()
  for (const { id } of alerts) house.nudge(id)
  await receiver.called(1_000)
  const ms = Math.round(performance.now() - began)
  await house.settled(1_000)
  t.equal(new Set(receiver.hits.map(({ headers }) => headers['webhook-id'])).size, 1_000)
  t.equal(receiver.hits.length, 1_000)
  t.comment(`drained in ${ms} ms`)
})

t.test('sender is opened once, for the first recipient', async t => {
  const { store, clock } = createHouse()
  let prepared = 0
  const sender = createSender({ clock, ...options })
  const counted = { ...sender, prepare: () => sender.prepare().then(() => void prepared++) }
  const context = { store, clock, logger: pino({ level: 'silent' }), lanes: new Lanes(() => 0), stopping: () => false }
  const dispatch = { size: () => 0, add: () => undefined, idle: async () => undefined }
  const scan = startScan(context as unknown as NotifierContext, dispatch, counted, () => undefined)
  t.teardown(() => Promise.all([scan.stop(), sender.close()]))
  await clock.advance(3 * scanMs)
  t.equal(prepared, 0, 'nobody to tell')
  await store.insert('destinations', [destination('one', closedPort)])
  await clock.advance(scanMs)
  await until(() => prepared > 0, 'made ready')
  await clock.advance(3 * scanMs)
  t.equal(prepared, 1)
  t.notOk(scan.failing())
})
