// Messages of the notifiers to the operator: conditions of the installation, each sent once in a cluster and over restarts.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { gatewaySign } from '#shared/bus/gateway-sign.ts'
import { keys } from '#shared/bus/subjects.ts'
import type { KeyDocument } from '#shared/contracts/account.ts'
import type { ConditionDocument } from '#shared/contracts/incidents/condition.ts'
import type { DeliveryLogDocument } from '#shared/contracts/notifications/delivery.ts'
import type { SigningSecret } from '#shared/contracts/notifications/destination.ts'
import { day, hour, limits, minute, second } from '#shared/limits/limits.ts'
import { createEgress } from '#shared/net/egress.ts'
import { readSettings } from '#shared/settings.ts'
import { type Room, type Store, StoreError } from '#shared/store/port.ts'
import { signatureOf } from '../../services/notifier/send/signature.ts'
import { notifierSettings } from '../../services/notifier/settings.ts'
import { subjectDocument } from '../support/worlds/fake-keeper.ts'
import { type Answer, alert, createHouse, createReceiver, destination, type Hit, type Over, startAt, until } from './house.ts'

type Test = import('tap').Test

const { lostMs, lookMs, claimMs, keyMs, failingMs, quietMs, giveUpMs, usageMs } = limits.operator
const secret = `whsec_${Buffer.from('o'.repeat(32)).toString('base64')}`
const guide = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'operator.md'), 'utf8')
const matchesSchema = new Ajv2020({ allowUnionTypes: true }).compile(
  JSON.parse(/```json schema\n([\s\S]*?)```/.exec(guide)?.[1] ?? 'null'),
)

interface Told {
  type: string
  text: string
  data: { condition: string; state: string; since: string; name: string; details: Record<string, unknown> }
}

type Scene = Awaited<ReturnType<typeof begin>>
type Respond = (call: number, hit: Hit) => Answer | null

/** Runs a scenario, and checks all messages and log lines after its end. */
function scenario(
  title: string,
  play: (t: Test, scene: Scene) => Promise<void>,
  respond: Respond = () => ({ status: 204 }),
): void {
  t.test(title, async t => {
    const scene = await begin(t, respond)
    await play(t, scene)
    await scene.finish()
    for (const hit of scene.receiver.hits) checkMessage(t, hit)
    t.notMatch(scene.log.join(''), /T0secretT0|B1secretB1|hunter2|whsec_/, 'neither address nor secret is in the log')
  })
}

/** A cluster on one store and one bus, and the operator's receiver. */
async function begin(t: Test, respond: Respond) {
  const house = createHouse()
  const receiver = await createReceiver(respond)
  const webhook = { url: receiver.url, secret }
  const running: Awaited<ReturnType<typeof house.start>>[] = []
  const presence = house.connect().bucket('presence')
  let isOver = false
  /** Heartbeat of a second keeper, because a lost keeper is reported only while another keeper is live. */
  const beatOfKeeper = () => {
    if (isOver) return
    presence.put(keys.keeperPresence('k1'), {}).catch(() => undefined)
    house.clock.schedule(limits.presence.beatMs, beatOfKeeper)
  }
  beatOfKeeper()
  const finish = async () => {
    isOver = true
    for (const service of running.splice(0)) await house.stop(service)
    await receiver.close()
  }
  t.teardown(finish)
  const beat = (locationId: string, proberId = 'one') =>
    presence.put(keys.proberPresence(locationId, proberId), {}).catch(() => undefined)
  return {
    ...house,
    receiver,
    finish,
    told: () => receiver.hits.map(({ body }) => JSON.parse(body) as Told),
    types: () => receiver.hits.map(({ body }) => (JSON.parse(body) as Told).type),
    lines: (msg: string) => house.log.map(line => JSON.parse(line)).filter(line => line.msg === msg),
    run: async (notifierId: string, over: Over = {}) => {
      const service = await house.start(notifierId, { operatorWebhook: webhook, ...over })
      running.push(service)
      await house.clock.settle()
      return service
    },
    end: async (service: (typeof running)[number]) => {
      running.splice(running.indexOf(service), 1)
      await house.stop(service)
    },
    /** Advances the clock by this time while a prober sends heartbeats. */
    live: async (locationId: string, ms: number, proberId?: string) => {
      for (let passed = 0; passed < ms; passed += second) {
        await beat(locationId, proberId)
        await house.clock.advance(second)
      }
    },
    stopProber: (locationId: string, proberId = 'one') => presence.delete(keys.proberPresence(locationId, proberId)),
    /** Stores a monitor that is checked from these locations. */
    watchFrom: (id: string, locations: string[], rev = 1) => {
      const subject = subjectDocument(id, 'w', id, id, {} as never, startAt)
      return house.store.upsert('subjects', [{ ...subject, rev, checkLocations: locations }])
    },
    addLocation: (id: string, name: string) =>
      house.store.upsert('locations', [{ id, rev: 1, name, displayName: null, createdAt: startAt }]),
  }
}

/** Checks the body, signature and headers that every message has. */
function checkMessage(t: Test, { headers, body }: Hit): void {
  t.ok(matchesSchema(JSON.parse(body)), JSON.stringify(matchesSchema.errors))
  const id = String(headers['webhook-id'])
  const madeAt = Number(headers['webhook-timestamp']) * second
  const signing: SigningSecret = { id: '', secret, createdAt: 0, expiresAt: null }
  t.equal(headers['webhook-signature'], signatureOf([signing], { id, madeAt, body }))
  t.equal(headers['idempotency-key'], id)
  t.equal(headers['content-type'], 'application/json')
}

scenario('cluster sends one message when a location is lost, and one when it is back', async (t, scene) => {
  await scene.addLocation('hh01', 'hamburg')
  await scene.watchFrom('shop', ['hh01'])
  const [first] = [await scene.run('one'), await scene.run('two')]
  await scene.live('hh01', 5 * second)
  await scene.clock.advance(lostMs - 2 * second)
  t.strictSame(scene.types(), [], 'no message before the location is lost')
  await scene.clock.advance(2 * second)
  await scene.receiver.called(1)
  await scene.clock.advance(10 * minute)
  t.match(scene.told(), [
    {
      type: 'location.lost',
      text: /^Location hamburg has had no live prober since 2026-01-05 12:00:0\d UTC: 1 monitor is not checked from there\.$/,
      data: { condition: 'location_lost.hh01', state: 'raised', name: 'hamburg', details: { location_id: 'hh01', monitors: 1 } },
    },
  ])
  t.match(first?.warnings?.(), [/^Location hamburg has had no live prober/])
  t.match(await first?.metrics.metrics(), 'watchkeeper_notifier_conditions{kind="location_lost",name="hamburg"} 1')

  await scene.live('hh01', 5 * second)
  await scene.receiver.called(2)
  await scene.live('hh01', 2 * minute)
  t.strictSame(scene.types(), ['location.lost', 'location.back'])
  t.match(scene.told()[1], { text: 'Location hamburg has a live prober again.', data: { state: 'cleared' } })
  t.strictSame(first?.warnings?.(), [])
  t.notMatch(await first?.metrics.metrics(), 'kind="location_lost"')
  t.match(scene.lines('location lost'), [{ level: 40, name: 'hamburg', location_id: 'hh01' }], 'one log line')
  t.match(scene.lines('location back'), [{ level: 40, name: 'hamburg' }])
})

scenario('location is not lost while its prober restarts or the bus is disconnected', async (t, scene) => {
  await scene.addLocation('hh01', 'hamburg')
  await scene.watchFrom('shop', ['hh01'])
  await scene.run('one')
  await scene.live('hh01', 5 * second)
  await scene.stopProber('hh01')
  await scene.clock.advance(lostMs - 2 * second)
  await scene.live('hh01', 10 * second, 'two')
  scene.setBus(false)
  await scene.live('hh01', minute, 'two')
  scene.setBus(true)
  await scene.live('hh01', minute, 'two')
  // The bus reconnects just before the location would count as lost, and the prober reconnects a little later.
  scene.setBus(false)
  await scene.clock.advance(2 * lostMs - 3 * second)
  scene.setBus(true)
  await scene.clock.advance(5 * second)
  await scene.live('hh01', minute, 'two')
  scene.depose(['presence'])
  await scene.live('hh01', 2 * lostMs, 'two')
  scene.depose([])
  await scene.live('hh01', minute, 'two')
  t.strictSame(scene.types(), [])
})

scenario('location is not reported as lost while it never had a prober or no monitor uses it', async (t, scene) => {
  await scene.addLocation('hh01', 'hamburg')
  await scene.addLocation('hb01', 'bremen')
  await scene.watchFrom('shop', ['hb01'])
  await scene.run('one')
  await scene.live('hh01', 5 * second)
  await scene.clock.advance(2 * minute)
  t.strictSame(scene.types(), [])
  await scene.watchFrom('blog', ['hh01', 'hb01'])
  await scene.clock.advance(usageMs + 2 * minute)
  await scene.receiver.called(1)
  t.match(scene.told(), [{ type: 'location.lost', data: { name: 'hamburg' } }])
  await scene.watchFrom('blog', ['hb01'], 2)
  await scene.clock.advance(usageMs + 2 * minute)
  await scene.receiver.called(2)
  t.match(scene.told()[1], { type: 'location.back', text: 'Location hamburg is used by no monitor any more.' })
})

scenario('restart repeats no message, and an old beat is no sign of life', async (t, scene) => {
  await scene.addLocation('hh01', 'hamburg')
  await scene.watchFrom('shop', ['hh01'])
  const before = await scene.run('one')
  await scene.live('hh01', 5 * second)
  await scene.clock.advance(lostMs + second)
  await scene.receiver.called(1)
  await scene.end(before)
  await scene.run('one')
  await scene.clock.advance(2 * minute)
  t.strictSame(scene.types(), ['location.lost'], 'the key of the dead prober was still in the bucket')
  scene.setBus(false)
  await scene.live('hh01', second, 'brief')
  await scene.clock.advance(10 * second)
  scene.setBus(true)
  await scene.clock.advance(minute)
  t.strictSame(scene.types(), ['location.lost'], 'a prober that lived only while presence was not heard is gone')
  await scene.live('hh01', 5 * second)
  await scene.receiver.called(2)
  t.strictSame(scene.types(), ['location.lost', 'location.back'])
})

scenario('location that was lost while no notifier ran is reported after the start', async (t, scene) => {
  await scene.addLocation('hh01', 'hamburg')
  await scene.watchFrom('shop', ['hh01'])
  const before = await scene.run('one')
  await scene.live('hh01', 5 * minute)
  await scene.end(before)
  await scene.clock.advance(hour)
  await scene.run('two')
  await scene.clock.advance(lostMs + second)
  await scene.receiver.called(1)
  const since = Date.parse(scene.told()[0]?.data.since ?? '')
  t.ok(since > startAt + 3 * minute && since <= startAt + 6 * minute, 'instant of the last beat')
})

scenario(
  'unchanged message is retried with growing pauses until its time ends',
  async (t, scene) => {
    await scene.store.insert('deadLetters', [deadLetter('a', startAt)])
    await scene.run('one')
    const at: number[] = []
    for (let passed = 0; scene.receiver.hits.length < 9 && passed < hour; passed += second) {
      const before = scene.receiver.hits.length
      await scene.clock.advance(second)
      await turns(20)
      if (scene.receiver.hits.length > before) at.push(scene.clock.now())
    }
    t.equal(new Set(scene.receiver.hits.map(({ headers }) => headers['webhook-id'])).size, 1)
    t.equal(new Set(scene.receiver.hits.map(({ body }) => body)).size, 1)
    const pauses = at.slice(1).map((instant, i) => instant - (at[i] ?? 0))
    t.ok(
      pauses.every((pause, i) => i === 0 || pause > (pauses[i - 1] ?? 0)),
      `growing: ${pauses}`,
    )
    await until(() => scene.lines('operator message delivered').length === 1, 'its delivery')
    t.match(scene.lines('operator message not taken')[0], { type: 'dead_letters.found', reason: /^http_500: / })
  },
  call => (call === 6 ? null : { status: call < 9 ? 500 : 200 }),
)

const waiting = (at: number): ConditionDocument => ({
  id: 'dead_letters',
  rev: 3,
  writer: 'dead.xyz',
  kind: 'dead_letters',
  objectId: '',
  name: 'dead letters',
  raised: 1,
  since: at,
  changedAt: at,
  seenAt: startAt,
  count: 1,
  summary: 'There was one.',
  unsent: [{ id: 'msg_1', type: 'dead_letters.found', at, body: messageOf(at) }],
  attempts: 10,
  claimedBy: 'dead',
  dueAt: startAt + claimMs,
})

const messageOf = (at: number) => {
  const timestamp = new Date(at).toISOString()
  const data = { condition: 'x', kind: 'dead_letters', state: 'raised', since: timestamp, name: 'x', source: 'y', details: {} }
  return JSON.stringify({ type: 'dead_letters.found', timestamp, text: 'There was one.', data })
}

scenario('message claimed by a dead notifier is sent by another one when the claim has ended', async (t, scene) => {
  await scene.store.insert('conditions', [waiting(startAt)])
  await scene.run('one')
  await scene.run('two')
  await scene.clock.advance(claimMs - second)
  t.strictSame(scene.types(), [])
  await scene.clock.advance(lookMs + second)
  await scene.receiver.called(1)
  await scene.clock.advance(hour)
  t.match(scene.receiver.hits, [{ headers: { 'webhook-id': 'msg_1' } }])
})

scenario(
  'message without a successful attempt is given up after a day',
  async (t, scene) => {
    await scene.store.insert('conditions', [waiting(startAt - giveUpMs + hour)])
    const service = await scene.run('one')
    for (let passed = 0; scene.lines('operator message given up').length === 0 && passed < 2 * hour; passed += 30 * second) {
      await scene.clock.advance(30 * second)
      await turns(20)
    }
    t.ok(scene.receiver.hits.length >= 4, 'pauses are at most 15 minutes')
    t.ok(scene.clock.now() > startAt + 40 * minute && scene.clock.now() <= startAt + hour)
    t.match(await service.metrics.metrics(), 'watchkeeper_notifier_operator_messages_total{outcome="failed"} 1')
    t.match(await service.metrics.metrics(), 'watchkeeper_notifier_operator_unsent 0')
  },
  () => ({ status: 503 }),
)

scenario(
  'message is given up at once when a retry cannot succeed',
  async (t, scene) => {
    await scene.store.insert('deadLetters', [deadLetter('a', startAt)])
    await scene.run('one')
    await until(() => scene.lines('operator message given up').length === 1, 'its end')
    await scene.clock.advance(quietMs / 2)
    t.equal(scene.receiver.hits.length, 1)
  },
  () => ({ status: 404 }),
)

scenario(
  'begin and end are sent once, in order, when a condition ends before its message could be sent',
  async (t, scene) => {
    await scene.addLocation('hh01', 'hamburg')
    await scene.watchFrom('shop', ['hh01'])
    await scene.run('one')
    await scene.run('two')
    await scene.live('hh01', 5 * second)
    await scene.clock.advance(lostMs)
    await scene.receiver.called(1)
    for (let passed = 0; passed < 3 * minute; passed += second) {
      await scene.live('hh01', second)
      await turns(20)
    }
    t.strictSame(scene.types(), [...Array(5).fill('location.lost'), 'location.back'])
    t.equal(new Set(scene.receiver.hits.map(({ headers }) => headers['webhook-id'])).size, 2)
  },
  call => ({ status: call < 5 ? 503 : 204 }),
)

scenario('key is reported two weeks before its end, and again when it has ended', async (t, scene) => {
  await scene.store.insert('users', [user('ann')])
  const [near, next, past, far] = [startAt + 3 * hour, startAt + keyMs + hour, startAt - 1, startAt + 100 * day]
  await scene.store.insert('keys', [key('near', near), key('next', next), key('past', past), key('far', far)])
  const [service] = [await scene.run('one'), await scene.run('two')]
  await scene.receiver.called(1)
  const details = { key_id: 'near', username: 'ann', prefix: 'p-near', expires_at: new Date(near).toISOString() }
  t.match(scene.told(), [{ type: 'key.expiring', data: { condition: 'key_expiring.near', state: 'raised', details } }])
  await scene.clock.advance(hour - minute)
  t.equal(scene.receiver.hits.length, 1)
  await scene.clock.advance(2 * minute)
  await scene.receiver.called(2)
  t.match(scene.told()[1], { text: /^API key "key next" of ann ends at 2026-01-19 13:00:00 UTC/, data: { name: 'key next' } })
  t.equal(service?.warnings?.().length, 2)
  await scene.store.delete('keys', ['next'])
  await scene.clock.advance(minute)
  await scene.receiver.called(3)
  await scene.clock.advance(2 * hour)
  await scene.receiver.called(4)
  await scene.clock.advance(10 * minute)
  t.match(scene.told().slice(2), [
    { type: 'key.gone', text: 'API key "key next" was deleted.', data: { state: 'cleared', details: { reason: 'deleted' } } },
    { type: 'key.gone', data: { condition: 'key_expiring.near', details: { reason: 'expired' } } },
  ])
  t.strictSame(await scene.store.find('conditions', { limit: 10 }), [], 'all conditions are removed')
})

scenario('nearly full disk is reported once, and again when it has room', async (t, scene) => {
  const room: Room = { freeBytes: 10 * 1024 ** 3, totalBytes: 100 * 1024 ** 3 }
  const store: Store = { ...scene.store, room: async () => ({ ...room }) }
  const [service] = [await scene.run('one', { store }), await scene.run('two', { store })]
  await scene.clock.advance(lookMs)
  t.match(await service?.metrics.metrics(), 'watchkeeper_notifier_store_free_bytes 10737418240')
  t.match(await service?.metrics.metrics(), 'watchkeeper_notifier_store_bytes 107374182400')
  room.freeBytes = 200 * 1024 ** 2
  await scene.clock.advance(5 * minute)
  await scene.receiver.called(1)
  room.freeBytes = 400 * 1024 ** 2
  await scene.clock.advance(5 * minute)
  t.match(scene.told(), [{ type: 'storage.full', text: 'The disk under the store has 200 MiB of 100.0 GiB left: make room.' }])
  room.freeBytes = 600 * 1024 ** 2
  await scene.clock.advance(5 * minute)
  await scene.receiver.called(2)
  t.match(scene.told()[1], { type: 'storage.room', data: { state: 'cleared' } })
})

scenario(
  'operator is notified of a full disk when the store accepts no write',
  async (t, scene) => {
    const room: Room = { freeBytes: 0, totalBytes: 100 * 1024 ** 3 }
    let isFull = true
    const full = async () => {
      throw new StoreError('unavailable', 'The embedded store failed: database or disk is full.')
    }
    const store: Store = {
      ...scene.store,
      room: async () => ({ ...room }),
      replace: async (collection, documents) => (isFull ? full() : scene.store.replace(collection, documents)),
    }
    const service = await scene.run('one', { store })
    await scene.clock.advance(minute)
    await scene.receiver.called(2)
    await scene.clock.advance(5 * minute)
    t.strictSame(scene.types(), ['storage.full', 'storage.full'], 'retried from memory')
    t.equal(new Set(scene.receiver.hits.map(({ headers }) => headers['webhook-id'])).size, 1)
    t.match(service.warnings?.(), [/^The disk under the store has 0 MiB/])
    isFull = false
    room.freeBytes = 10 * 1024 ** 3
    await scene.clock.advance(minute)
    await scene.receiver.called(3)
    t.equal(scene.types()[2], 'storage.room')
    t.strictSame(service.warnings?.(), [])
  },
  call => ({ status: call === 1 ? 500 : 200 }),
)

scenario('destination is reported when it takes no message for an hour, and when it takes messages again', async (t, scene) => {
  let status = 404
  const receiver = await createReceiver(() => ({ status, body: 'gone fishing' }))
  t.teardown(() => receiver.close())
  await scene.store.insert('destinations', [destination('ops', receiver.url, { name: 'Ops channel' })])
  const one = await scene.run('one')
  const send = async (incident: string) => {
    const before = receiver.hits.length
    await scene.store.insert('alerts', [alert('ops', incident, 1, { decidedAt: scene.clock.now() })])
    scene.nudge(`${incident.padEnd(10, 'x')}.1.a1`)
    await receiver.called(before + 1)
    await scene.clock.advance(second)
  }
  await send('first')
  await until(async () => (await scene.store.find('conditions', { limit: 10 })).length === 1, 'its note')
  await scene.end(one)
  await scene.run('two')
  await scene.clock.advance(failingMs - 2 * minute)
  await send('second')
  t.strictSame(scene.types(), [])
  await scene.clock.advance(3 * minute)
  await scene.receiver.called(1)
  await scene.clock.advance(hour)
  t.match(scene.told(), [
    {
      type: 'destination.failing',
      text: /^Destination "Ops channel" has taken no message since 2026-01-05 12:00:0\d UTC: http_404: /,
      data: { condition: 'destination_failing.ops', details: { last_error: /^http_404: [^"]*$/ } },
    },
  ])
  status = 200
  await send('third')
  await scene.receiver.called(2)
  t.match(scene.told()[1], { type: 'destination.well', text: 'Destination "Ops channel" takes messages again.' })
  status = 404
  await send('fourth')
  await scene.clock.advance(failingMs + minute)
  await scene.receiver.called(3)
  const [row] = await scene.store.find('deliveryLog', { sort: [['number', 'desc']], limit: 1 })
  const taken = { ...row, id: 'by-another', number: (row?.number ?? 0) + 1, status: 'delivered', at: scene.clock.now() }
  await scene.store.insert('deliveryLog', [taken as DeliveryLogDocument])
  await scene.clock.advance(minute)
  await scene.receiver.called(4)
  t.equal(scene.types()[3], 'destination.well', 'another notifier has delivered a message')
  await scene.clock.advance(minute)
  t.match(await scene.store.find('conditions', { where: { raised: 1 }, limit: 10 }), [])
})

scenario('destination that took a message within the hour is not failing', async (t, scene) => {
  let status = 503
  const receiver = await createReceiver(() => ({ status }))
  t.teardown(() => receiver.close())
  await scene.store.insert('destinations', [destination('ops', receiver.url)])
  const service = await scene.run('one')
  await scene.store.insert('alerts', [alert('ops', 'first', 1)])
  scene.nudge('firstxxxxx.1.a1')
  await receiver.called(1)
  await scene.clock.advance(second)
  status = 200
  for (let passed = 0; passed < 2 * hour; passed += 5 * minute) {
    await scene.clock.advance(5 * minute)
    await turns(20)
  }
  t.strictSame(scene.types(), [])
  t.strictSame(service.warnings?.(), [])
  t.strictSame(await scene.store.find('conditions', { limit: 10 }), [])
})

scenario('any number of dead letters is reported once, and again when none came for an hour', async (t, scene) => {
  const [service] = [await scene.run('one'), await scene.run('two')]
  await scene.clock.advance(lookMs)
  await scene.store.insert('deadLetters', [deadLetter('a', scene.clock.now()), deadLetter('b', scene.clock.now() + 1)])
  await scene.clock.advance(minute)
  await scene.receiver.called(1)
  for (let i = 0; i < 5; i++) {
    await scene.store.insert('deadLetters', [deadLetter(`c${i}`, scene.clock.now())])
    await scene.clock.advance(10 * minute)
  }
  t.match(scene.told(), [{ type: 'dead_letters.found', text: /^2 inputs could not be judged .*: it makes no sense$/ }])
  t.match(await service?.metrics.metrics(), 'watchkeeper_notifier_conditions{kind="dead_letters",name="dead letters"} 1')
  await scene.clock.advance(quietMs)
  await scene.receiver.called(2)
  t.match(scene.told()[1], { type: 'dead_letters.quiet', text: 'No dead letter came for 1h; there were 7.' })
})

scenario('proxy that is not trusted is reported once, and its end when no gateway has seen one for an hour', async (t, scene) => {
  await Promise.all([scene.run('one'), scene.run('two')])
  const presence = scene.connect().bucket('presence')
  const beat = (address: string | null) => presence.put(keys.gatewayPresence('g1'), gatewaySign(address))
  await beat(null)
  await scene.clock.advance(lookMs)
  t.strictSame(scene.types(), [])
  for (let i = 0; i < 10; i++) {
    await beat('10.0.0.5')
    await scene.clock.advance(minute)
  }
  await scene.receiver.called(1)
  t.match(scene.told(), [
    { type: 'proxy.untrusted', text: /10\.0\.0\.5 .* set TRUST_PROXY/, data: { details: { address: '10.0.0.5' } } },
  ])
  for (let passed = 0; passed < quietMs + 2 * minute; passed += minute) {
    await beat(null)
    await scene.clock.advance(minute)
  }
  await scene.receiver.called(2)
  t.strictSame(scene.types(), ['proxy.untrusted', 'proxy.settled'])
})

scenario('suspend or a set clock is reported once, and again when there was none for an hour', async (t, scene) => {
  const service = await scene.run('one')
  await scene.clock.advance(lookMs)
  t.strictSame(scene.types(), [], 'time that passes is no jump')
  scene.clock.stepWall(hour)
  await scene.clock.advance(lookMs)
  await scene.receiver.called(1)
  const details = { by_ms: hour, jumps: 1 }
  t.match(scene.told(), [
    { type: 'clock.set', text: /^The machine .+ was suspended, or its clock was set forward, by 1h: /, data: { details } },
  ])
  t.equal(service.warnings?.().length, 1)
  scene.clock.setBack(10 * minute)
  await scene.clock.advance(lookMs + minute)
  t.equal(scene.types().length, 1, 'while it is raised, nothing more is said')
  await scene.clock.advance(quietMs + minute)
  await scene.receiver.called(2)
  t.match(scene.told()[1], { type: 'clock.steady', data: { details: { jumps: 2 } } })
})

scenario('log, /readyz and metrics show conditions when the operator has no address', async (t, scene) => {
  await scene.store.insert('deadLetters', [deadLetter('a', startAt)])
  const service = await scene.run('one', { operatorWebhook: null })
  await scene.clock.advance(lookMs)
  t.equal(scene.lines('dead letters found').length, 1)
  t.equal(service.warnings?.().length, 1)
  t.strictSame(scene.types(), [])
})

scenario('operator address is checked by the rules for destinations', async (t, scene) => {
  await scene.store.insert('deadLetters', [deadLetter('a', startAt)])
  await scene.run('one', { egress: createEgress({ deny: [{ address: '127.0.0.0', prefix: 8, family: 'ipv4' }] }) })
  await until(() => scene.lines('operator message given up').length === 1, 'its end')
  t.match(scene.lines('operator message given up'), [{ reason: /^not_sent: .*EGRESS/ }])
  t.strictSame(scene.types(), [])
})

t.test('start fails once, without a retry, when an address or a secret is unusable', async t => {
  const read = (environment: Record<string, string>) => readSettings(notifierSettings, environment)
  for (const url of ['ftp://hunter2.example', 'hunter2', `https://hunter2.example/${'x'.repeat(2_100)}`]) {
    t.throws(
      () => read({ OPERATOR_WEBHOOK_URL: url }),
      /^OPERATOR_WEBHOOK_URL must be an http or https address of at most 2048 characters\.$/,
    )
  }
  for (const wrong of ['hunter2', 'whsec_aHVudGVyMg==', `whsec_${Buffer.alloc(65).toString('base64')}`]) {
    t.throws(
      () => read({ OPERATOR_WEBHOOK_SECRET: wrong }),
      /^OPERATOR_WEBHOOK_SECRET must be whsec_ and the base64 of 24 to 64 bytes\.$/,
    )
  }
  t.equal(read({ OPERATOR_WEBHOOK_SECRET: secret }).OPERATOR_WEBHOOK_SECRET, secret)
})

/** Waits while real sockets proceed. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(resolve => setImmediate(resolve))
}

const deadLetter = (id: string, at: number) => ({
  id,
  rev: 1,
  subjectId: 'shop',
  partition: 1,
  at,
  reason: 'it makes no sense',
  input: '{}',
  expireAt: at + day,
})

const user = (id: string) => ({ id, rev: 1, username: id, displayName: '', admin: false, disabled: false, createdAt: 0 })

const key = (id: string, expiresAt: number): KeyDocument => ({
  id,
  rev: 1,
  userId: 'ann',
  description: `key ${id}`,
  tokenHash: id,
  prefix: `p-${id}`,
  createdAt: expiresAt - 180 * day,
  expiresAt,
  lastUsedAt: null,
  scope: null,
})
