// Pace of the messages to one destination: receivers that limit their rate, name pauses, recover. In simulated time.
import t from 'tap'
import type { Spacing } from '#shared/channels/port.ts'
import { channelOf } from '#shared/channels/registry.ts'
import { spacingOf } from '#shared/channels/settings.ts'
import { limits, minute, second } from '#shared/limits/limits.ts'
import { Lanes } from '../../services/notifier/claim/lanes.ts'
import { alert, createHouse, createReceiver, destination, until } from './house.ts'

/** Returns null if the receiver accepts a message at `at` (ms), else the pause that it requests. */
type Receiver = (at: number) => { retryAfterMs: number | null; isRate: boolean } | null

/** A receiver that accepts `count` messages in each window of `windowMs`. */
function limited(count: number, windowMs: number, says: 'the time' | 'nothing'): Receiver {
  const taken: number[] = []
  return at => {
    while (taken.length > 0 && (taken[0] as number) <= at - windowMs) taken.shift()
    if (taken.length < count) {
      taken.push(at)
      return null
    }
    const untilMs = (taken[0] as number) + windowMs - at
    return { retryAfterMs: says === 'the time' ? Math.ceil(untilMs / second) * second : null, isRate: true }
  }
}

/** Sends `messages` through one lane in steps of 10 ms; every attempt takes 10 ms. Returns the number of requests and the time taken, ms. */
function run(receiver: Receiver, messages: number) {
  let now = 0
  const lane = new Lanes(() => now)
  for (let i = 0; i < messages; i++) lane.offer('one', `m${i}`)
  let requests = 0
  let accepted = 0
  let last = 0
  for (; accepted < messages && now < 24 * 60 * minute; now += 10) {
    for (const id of lane.pick()) {
      requests++
      const refusal = receiver(now)
      lane.settle(id, refusal === null ? 'took' : { busy: true, ...refusal })
      lane.release(id)
      if (refusal === null) {
        accepted++
        last = now
      } else lane.offer('one', id)
    }
  }
  return { requests, tookMs: last, accepted }
}

t.test('receiver that takes one message a second gets 80 in about 80 s, with few requests in vain', async t => {
  for (const says of ['the time', 'nothing'] as const) {
    const { requests, tookMs } = run(limited(1, second, says), 80)
    t.ok(requests <= 100, `${says}: ${requests} requests`)
    t.ok(tookMs <= 90 * second, `${says}: ${tookMs} ms`)
  }
})

t.test('receivers with other limits are served at their rate', async t => {
  const cases: [count: number, windowMs: number, messages: number][] = [
    [20, minute, 80],
    [5, 2 * second, 100],
    [30, second, 600],
    [1, 10 * second, 40],
  ]
  for (const [count, windowMs, messages] of cases) {
    const leastMs = (messages / count - 1) * windowMs
    const { requests, tookMs } = run(limited(count, windowMs, 'the time'), messages)
    t.ok(tookMs <= 1.6 * leastMs + 10 * second, `${count} in ${windowMs} ms: ${tookMs} ms, at least ${leastMs}`)
    t.ok(requests <= 1.3 * messages + 15, `${count} in ${windowMs} ms: ${requests} requests for ${messages}`)
  }
})

t.test('receiver that names a pause gets nothing until it is over, and the pause is bounded', async t => {
  let isDown = true
  const asked: number[] = []
  const { tookMs } = run(at => {
    asked.push(at)
    if (at >= limits.notifier.retryMsMax) isDown = false
    return isDown ? { retryAfterMs: 24 * 60 * minute, isRate: false } : null
  }, 50)
  t.ok(asked.filter(at => at < limits.notifier.retryMsMax).length <= 8, 'only what was on its way')
  t.ok(tookMs < limits.notifier.retryMsMax + second, 'an outage is no rate: afterwards all goes out at once')
})

t.test('receiver that refuses everything for a minute gets its messages quickly afterwards', async t => {
  const recovered: Receiver = at => (at < minute ? { retryAfterMs: null, isRate: true } : null)
  const { requests, tookMs } = run(recovered, 100)
  t.ok(requests < 125, `${requests} requests`)
  t.ok(tookMs < 3 * minute, `${tookMs} ms`)
})

/** Returns the instants at which a lane with this spacing sends `messages` that wait since 0, ms. Every attempt takes 10 ms. */
function sentAt(spacing: readonly Spacing[], messages: number): number[] {
  let now = 0
  const lane = new Lanes(() => now)
  const sent: number[] = []
  const send = (id: string) => {
    sent.push(now)
    lane.settle(id, 'took')
    lane.release(id)
  }
  for (let i = 0; i < messages; i++)
    if (lane.take('one', `m${i}`, spacing)) send(`m${i}`)
    else lane.offer('one', `m${i}`)
  for (let next: number | null = 0; next !== null; next = lane.nextAt()) {
    now = Math.max(next, now)
    for (const id of lane.pick()) send(id)
  }
  return sent
}

t.test(
  'v3 10.18 messages to one destination keep the spacing of its channel, and the first of them wait for nothing',
  async t => {
    const cases: [type: string, settings: Record<string, string>, messages: number, expected: number[]][] = [
      ['discord', {}, 4, [0, 1, 2, 3]],
      ['teams', {}, 5, [0, 0, 1, 1, 2]],
      ['telegram', { chat_id: '77' }, 3, [0, 1, 2]],
      ['telegram', { chat_id: '-77' }, 22, [...Array.from({ length: 20 }, (_, i) => i), 60, 61]],
      ['ntfy', {}, 33, [...Array.from({ length: 30 }, () => 0), 5, 10, 15]],
      ['webhook', {}, 500, Array.from({ length: 500 }, () => 0)],
    ]
    for (const [type, settings, messages, expected] of cases) {
      const spacing = spacingOf(channelOf(type), destination('one', '', { type, settings }))
      t.strictSame(
        sentAt(spacing, messages).map(at => at / second),
        expected,
        `${type} ${JSON.stringify(settings)}`,
      )
    }
  },
)

t.test('v3 10.18 delivery that is not sent uses no place', async t => {
  const lane = new Lanes(() => 0)
  const spacing = [{ messages: 1, inMs: second }]
  t.ok(lane.take('one', 'withdrawn', spacing))
  t.notOk(lane.take('one', 'next', spacing))
  lane.release('withdrawn')
  t.ok(lane.take('one', 'next', spacing))
  lane.settle('next', 'took')
  lane.release('next')
  t.notOk(lane.take('one', 'last', spacing), 'its place is taken after it was sent')
})

t.test('v3 10.18 deliveries that were picked before the spacing was known wait', async t => {
  const lane = new Lanes(() => 0)
  for (let i = 0; i < 4; i++) lane.offer('one', `m${i}`)
  t.strictSame(lane.pick(), ['m0', 'm1', 'm2', 'm3'])
  t.strictSame(lane.space('one', [{ messages: 1, inMs: second }]), ['m1', 'm2', 'm3'])
  for (const id of ['m1', 'm2', 'm3']) lane.release(id)
  t.equal(lane.nextAt(), null, 'nothing waits')
  lane.offer('one', 'm1')
  t.strictSame([lane.pick(), lane.nextAt()], [[], second])
})

for (const [title, restartAt, requests] of [
  ['and delays no other destination', null, 100],
  ['and goes on after a restart', 40 * second, 125],
] as const)
  t.test(`burst of incidents reaches a receiver at its rate ${title}`, async t => {
    const house = createHouse()
    let lastAt = Number.NEGATIVE_INFINITY
    let refused = 0
    const arrivals = new Map<unknown, number>()
    const slow = await createReceiver((_, { headers }) => {
      const at = house.clock.now()
      if (at - lastAt < second) {
        refused++
        return { status: 429, headers: { 'retry-after': '1' } }
      }
      lastAt = at
      arrivals.set(headers['idempotency-key'], at)
      return { status: 200 }
    })
    const quick = await createReceiver(() => ({ status: 200 }))
    const alerts = Array.from({ length: 90 }, (_, i) => alert(i < 80 ? 'slow' : 'quick', `i${i}`, 1))
    await house.store.insert('alerts', alerts)
    await house.store.insert('destinations', [destination('slow', slow.url), destination('quick', quick.url)])
    const services = [await house.start('n1')]
    t.teardown(async () => {
      await house.stop(services.at(-1) as (typeof services)[number])
      await Promise.all([slow.close(), quick.close()])
    })
    house.nudge(...alerts.map(({ id }) => id))
    await quick.called(10)
    t.ok(arrivals.size <= 2, 'the other destination does not wait')
    const startedAt = house.clock.now()
    const calm = async () => {
      const before = slow.hits.length
      for (let i = 0; i < 3; i++) await house.clock.settle()
      return slow.hits.length === before
    }
    // Small steps, so that an attempt ends at about the instant at which it began.
    const step = 20
    for (let i = 0; i < (120 * second) / step && arrivals.size < 80; i++) {
      await house.clock.advance(step)
      await until(calm, 'attempts have ended')
      if (i * step !== restartAt) continue
      await house.stop(services[0] as (typeof services)[number])
      services.push(await house.start('n2', { deadNotifiers: ['n1'] }))
    }
    t.equal(arrivals.size, 80, 'every message has arrived')
    t.ok(slow.hits.length <= requests, `${slow.hits.length} requests, of which ${refused} were refused`)
    t.ok(house.clock.now() - startedAt < 100 * second, `${(house.clock.now() - startedAt) / second} s`)
  })
