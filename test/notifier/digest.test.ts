// Storm digests (v3 10.19): whole notifiers in simulated time. However many alerts come, a destination gets few messages, and each alert stands
// in exactly one of them.
import t, { type Test } from 'tap'
import { channels } from '#shared/channels/registry.ts'
import type { AlertDocument, AlertKind } from '#shared/contracts/incidents/alert.ts'
import type { DeliveryDocument } from '#shared/contracts/notifications/delivery.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import type { RouteTransition } from '#shared/contracts/resources/template.ts'
import { createIncidentIds } from '#shared/incidents/incident-ids.ts'
import { limits, minute, second } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import { Storm } from '../../services/notifier/gather/storm.ts'
import { Random } from '../simulation/random.ts'
import { dyingStore } from '../support/store/dying-store.ts'
import {
  alert,
  createHouse,
  createReceiver,
  destination,
  facts,
  type House,
  incidentOf,
  type Over,
  options,
  startAt,
  until,
} from './house.ts'

const { alone, windowMs, delayMs, everyMs, graceMs } = limits.notifier.digest
const workspaceId = 'w'
const { encode } = createIncidentIds(options.incidentSalt)

t.test(
  'v3 10.19 the first five messages of a minute go out alone, and a storm ends after a minute without a message',
  async t => {
    const cases: [title: string, at: number[], expected: string][] = [
      ['a burst', [0, 0, 0, 0, 0, 0, 0], 'aaaaagg'],
      ['few messages', [0, 15, 30, 45, 60, 75, 90, 105], 'aaaaaaaa'],
      ['many messages in a minute', [0, 10, 20, 30, 40, 50, 60], 'aaaaagg'],
      ['after a pause', [0, 0, 0, 0, 0, 0, 59, 118, 178], 'aaaaaggga'],
      ['after a pause without a storm', [0, 0, 0, 0, 0, 60, 60], 'aaaaaaa'],
    ]
    for (const [title, at, expected] of cases) {
      const storm = new Storm()
      t.equal(at.map(seconds => (storm.admits(seconds * second, false) ? 'a' : 'g')).join(''), expected, title)
    }
    const known = new Storm({ alone: [2, 1].map(seconds => seconds * second), isOn: false, lastAt: 2 * second })
    t.equal(
      [3, 3, 3, 3].map(seconds => (known.admits(seconds * second, false) ? 'a' : 'g')).join(''),
      'aaag',
      'what is known counts',
    )
  },
)

t.test('v3 10.19 types whose messages people read one by one have the setting', async t => {
  const usual = (type: string) =>
    channels.find(channel => channel.type === type)?.fields.find(({ key }) => key === 'digest')?.default
  t.equal(usual('slack'), false)
  for (const { type, life, generations, stepsOf } of channels) {
    if (generations.length > 0) continue
    t.equal(usual(type), life === 'alert' || stepsOf !== undefined ? undefined : true, type)
  }
})

interface Said {
  title: string
  text: string
}

interface Stage extends House {
  /** What the far end has taken, in its order. */
  said(): Said[]
  tell(...alerts: AlertDocument[]): Promise<void>
  run(id: string, over?: Over): ReturnType<House['start']>
  rows(): Promise<string[]>
}

const about = (name: string, number = 1, kind: AlertKind = 'problem', over: Partial<AlertDocument> = {}): AlertDocument =>
  alert('x', name, number, { workspaceId, kind, facts: { ...facts, subjectName: name }, ...over })

const many = (count: number, prefix = 'i') => Array.from({ length: count }, (_, i) => about(`${prefix}${i}`))

/** `takes`: whether the far end takes a request at this instant. */
async function stage(
  t: Test,
  {
    type = 'discord',
    over = {},
    takes = () => true,
  }: { type?: string; over?: Partial<DestinationDocument>; takes?: (at: number, body: string) => boolean } = {},
): Promise<Stage> {
  const house = createHouse()
  const said: Said[] = []
  const receiver = await createReceiver((_call, { method, path, body }) => {
    if (!takes(house.clock.now(), body)) return { status: 500 }
    said.push(body === '' ? { title: `${method} ${path}`, text: '' } : saidIn(JSON.parse(body)))
    return { status: 200 }
  })
  const services: Awaited<ReturnType<House['start']>>[] = []
  t.teardown(async () => {
    await Promise.all(services.map(service => house.stop(service)))
    await receiver.close()
  })
  const { origin } = new URL(receiver.url)
  const settings = { discord: { url: receiver.url }, ntfy: { server: origin, topic: 'alarms' } }[type]
  await house.store.insert('destinations', [
    destination('one', receiver.url, { workspaceId, type, ...(settings === undefined ? {} : { settings, url: '' }), ...over }),
  ])
  return {
    ...house,
    said: () => said,
    run: async (id, more = {}) => {
      const service = await house.start(id, more)
      services.push(service)
      return service
    },
    tell: async (...alerts) => {
      const now = house.clock.now()
      await house.store.insert(
        'alerts',
        alerts.map(one => ({ ...one, decidedAt: now })),
      )
      house.nudge(...alerts.map(({ id }) => id))
      const ids = alerts.map(({ id }) => id)
      const isDispatched = async () => (await house.store.get('alerts', ids)).every(one => one?.state === 'dispatched')
      await until(isDispatched, 'the dispatch')
    },
    rows: async () =>
      (await house.store.find('deliveryLog', { sort: [['number', 'asc']], limit: 10_000 })).map(
        ({ event, status, reason, incidentId, shownInV2 }) =>
          `${event} ${status} ${reason ?? '-'} ${incidentId === null ? 'none' : 'incident'} ${shownInV2}`,
      ),
  }
}

/** Returns title and text of a message, as Discord, ntfy and attachments have them. */
function saidIn({ embeds, attachments, title, message }: Record<string, unknown>): Said {
  const [embed] = (embeds ?? attachments ?? []) as { title: string; description?: string; text?: string }[]
  return embed === undefined
    ? { title: String(title), text: String(message) }
    : { title: embed.title, text: embed.description ?? embed.text ?? '' }
}

const titles = (house: Stage) => house.said().map(({ title }) => title)

const quiet = (store: Store) =>
  until(
    async () => (await store.find('deliveries', { limit: 10_000 })).every(({ snapshot }) => snapshot.value !== 'sending'),
    'quiet',
  )

async function pass(house: House, ms: number, step = second): Promise<void> {
  for (let left = ms; left > 0; left -= step) {
    await house.clock.advance(Math.min(left, step))
    await quiet(house.store)
  }
}

const counted = (rows: readonly string[]) => {
  const counts: Record<string, number> = {}
  for (const row of rows) counts[row] = (counts[row] ?? 0) + 1
  return counts
}

t.test('v3 10.19 eighty incidents at once are six messages, and each of them is named or counted', async t => {
  const house = await stage(t)
  await house.run('n1')
  const names = Array.from({ length: 80 }, (_, i) => `i${10 + i}`)
  await house.tell(...names.map(name => about(name)))
  await pass(house, delayMs - second)
  t.strictSame(
    titles(house),
    names.slice(0, 5).map(name => `${name} is down`),
    'the first come at once, one a second',
  )
  await pass(house, 2 * second)
  t.equal(titles(house)[5], '75 more messages: 75 down')
  const text = house.said()[5]?.text.split('\n') ?? []
  const listed = names.slice(5, 25).map(name => `${name} is down`)
  t.strictSame(text, [...listed, ' and 55 more', 'https://status.example.com/incidents'])
  await pass(house, 5 * minute, 5 * second)
  t.equal(house.said().length, 6, 'nothing more comes')
  t.strictSame(counted(await house.rows()), {
    'problem delivered - incident 0': 5,
    'problem held digest incident 0': 75,
    'digest delivered - none 0': 1,
  })
  t.equal(await house.store.count('deliveries', { open: 1 }), 0)
})

t.test('v3 10.19 incident that is over in the same digest counts once, and no data is told apart', async t => {
  const house = await stage(t)
  await house.run('n1')
  await house.tell(...many(7))
  await house.tell(about('silent', 1, 'no_data'))
  await house.tell(about('i5', 2, 'recovery'))
  await pass(house, delayMs + second)
  t.equal(titles(house).at(-1), '3 more messages: 1 down, 1 no data, 1 back up')
  t.match(house.said().at(-1)?.text, /^i6 is down\nsilent — no data\ni5 is back up\n/)
  await house.tell(about('i6', 2, 'recovery'))
  await pass(house, everyMs - second)
  t.equal(titles(house).at(-1), '1 more message: 1 back up', 'the next one comes a minute later')
})

t.test(
  'v3 10.19 first messages of steps are gathered when they are due, and their ends come to those that were told',
  async t => {
    const house = await stage(t, { over: { default: false, defaultAt: null } })
    const steps = [{ destination: 'one', after_minutes: 10 }]
    await house.store.insert('destinations', [destination('chain', '', { workspaceId, type: 'chain', settings: { steps } })])
    await house.run('n1')
    const alerts = many(9)
    await house.store.insert('incidents', alerts.map(incidentOf))
    await house.tell(...alerts)
    await pass(house, 10 * minute - second, 30 * second)
    t.equal(house.said().length, 0)
    await pass(house, 30 * second)
    t.equal(house.said().length, 6)
    t.equal(titles(house)[5], '4 more messages: 4 down')
    await pass(house, 2 * minute, 30 * second)
    await house.tell(about('i8', 2, 'recovery'))
    await pass(house, 2 * second)
    t.equal(titles(house)[6], 'i8 is back up', 'who was told by a digest hears of the end')
  },
)

t.test('v3 10.19 acknowledgements are never gathered, and come after what they acknowledge', async t => {
  const house = await stage(t)
  await house.run('n1')
  const on: RouteTransition[] = ['problem', 'recovery', 'acknowledged']
  const routing = { routes: [{ destination: 'one', on }] }
  const withRoute = (one: AlertDocument) => ({ ...one, facts: { ...one.facts, routing } })
  await house.tell(...many(6))
  await house.tell(withRoute(about('i0', 2, 'acknowledged')), withRoute(about('i5', 2, 'acknowledged')))
  await pass(house, 8 * second)
  t.equal(titles(house).filter(title => title.startsWith('i0 — taken')).length, 1, 'at once')
  t.equal(titles(house).filter(title => title.startsWith('i5 — taken')).length, 0)
  await pass(house, 5 * second)
  t.match(titles(house).slice(-2), ['1 more message: 1 down', /^i5 — taken/])
})

t.test('v3 10.19 recovery changes the message of its problem where it can, so it is gathered only with it', async t => {
  const house = await stage(t, { type: 'ntfy' })
  await house.run('n1')
  await house.tell(...many(7))
  await house.tell(about('i0', 2, 'recovery'), about('i6', 2, 'recovery'))
  await pass(house, second)
  t.equal(titles(house).at(-1), 'i0 is back up')
  await pass(house, delayMs)
  t.equal(titles(house).at(-1), '2 more messages: 1 down, 1 back up')
})

t.test('v3 10.16 message about an incident that is withdrawn is taken away where it can be, and nowhere else', async t => {
  const house = await stage(t, { type: 'ntfy' })
  await house.run('n1')
  await house.tell(about('a'))
  await pass(house, second)
  await house.store.delete('alerts', [about('a').id])
  await house.tell(about('a', 2, 'withdrawn'))
  await pass(house, second)
  t.strictSame(titles(house), ['a is down', `PUT /alarms/${encode(about('a').incidentId)}/clear`])
  const other = await stage(t)
  await other.run('n1')
  await other.tell(about('a'))
  await other.tell(about('a', 2, 'withdrawn'))
  await pass(other, minute, 5 * second)
  t.strictSame(titles(other), ['a is down'])
})

t.test('v3 10.19 slack gathers only if it is asked to, and a webhook never', async t => {
  const asked = await stage(t, { type: 'slack', over: { settings: { digest: true } } })
  await asked.run('n1')
  await asked.tell(...many(9))
  await pass(asked, delayMs + 2 * second)
  t.equal(titles(asked).at(-1), '4 more messages: 4 down')
  t.strictSame(
    counted(await asked.rows()),
    { 'problem delivered - incident 1': 5, 'problem held digest incident 0': 4, 'digest delivered - none 0': 1 },
    'generation 2 sees neither digests nor what they tell',
  )
  for (const type of ['slack', 'webhook']) {
    const house = await stage(t, { type })
    await house.run('n1')
    await house.tell(...many(1_000))
    await until(() => house.said().length === 1_000, `${type} gets all`)
    t.equal(house.clock.now(), (await house.store.find('alerts', { limit: 1 }))[0]?.decidedAt, 'at once')
  }
})

t.test('v3 10.19 messages for a destination that is switched off in the meantime are held', async t => {
  const house = await stage(t)
  await house.run('n1')
  await house.tell(...many(8))
  await pass(house, 6 * second)
  const [one] = await house.store.get('destinations', ['one'])
  if (one == null) throw new Error('no destination')
  await house.store.replace('destinations', [{ ...one, rev: 2, enabled: false }])
  await pass(house, minute, 5 * second)
  t.equal(house.said().length, 5)
  t.strictSame(counted((await house.rows()).slice(5)), {
    'digest held destination_disabled none 0': 1,
    'problem held destination_disabled incident 0': 3,
  })
})

t.test('v3 10.19 what comes while a digest is tried again does not overtake it', async t => {
  let isDown = false
  const house = await stage(t, { takes: () => !isDown })
  await house.run('n1')
  await house.tell(...many(7))
  await pass(house, 6 * second)
  isDown = true
  await pass(house, 2 * minute, 5 * second)
  await house.tell(about('i6', 2, 'recovery'))
  isDown = false
  await pass(house, 5 * minute, 5 * second)
  t.strictSame(titles(house).slice(5), ['2 more messages: 2 down', '1 more message: 1 back up'])
})

t.test('v3 10.19 digest tells nothing before an earlier message about the same incident', async t => {
  const house = await stage(t, { takes: (at, body) => !body.includes('"i0 is down') || at >= startAt + 30 * second })
  await house.run('n1')
  await house.tell(...many(7))
  await pass(house, second)
  await house.tell(about('i0', 2, 'recovery'))
  await pass(house, 3 * minute)
  const digests = titles(house).filter(title => title.includes('more message'))
  t.strictSame(digests, ['2 more messages: 2 down', '1 more message: 1 back up'])
  t.ok(titles(house).indexOf('i0 is down') < titles(house).indexOf(digests[1] ?? ''), 'after the problem')
})

/** Returns the ids of the messages by which each alert was told: its delivery, or the digest that has it. */
async function tellers(store: Store): Promise<Map<string, string[]>> {
  const told = new Map<string, string[]>()
  const all: DeliveryDocument[] = await store.find('deliveries', { limit: 10_000 })
  for (const { id, alertId, members, snapshot } of all) {
    if (snapshot.value !== 'delivered') continue
    for (const told_ of members ?? [alertId]) told.set(told_, [...(told.get(told_) ?? []), id])
  }
  return told
}

t.test('v3 10.19 each alert stands in exactly one message, and messages are few, whatever stops and dies', async t => {
  for (let seed = 1; seed <= 12; seed++) {
    const random = new Random(seed, 'digest')
    const house = await stage(t)
    const count = random.integer(20, 120)
    const spanMs = random.integer(1, 4) * minute
    let processes = 1
    let living = [await house.run('n1')]
    const ids: string[] = []
    const names = new Map<string, number>()
    for (let at = 0, told = 0; told < count; ) {
      const some = Array.from({ length: Math.min(count - told, random.integer(1, 20)) }, () => {
        const open = [...names].filter(([, number]) => number === 1)
        const [again] = random.chance(0.3) && open.length > 0 ? random.pick(open) : []
        const name = again ?? `i${names.size}`
        names.set(name, again === undefined ? 1 : 2)
        return about(name, again === undefined ? 1 : 2, again === undefined ? 'problem' : 'recovery')
      })
      ids.push(...some.map(({ id }) => id))
      told += some.length
      await house.tell(...some)
      const step = Math.min(random.integer(0, 30) * second, Math.max(0, spanMs - at))
      at += step
      await pass(house, step)
      if (random.chance(0.25)) {
        const [old] = living
        const id = `n${++processes}`
        const isReplaced = random.chance(0.5)
        if (isReplaced && old !== undefined) await house.stop(old)
        living = [...(isReplaced ? living.slice(1) : living), await house.run(id)]
      }
    }
    await pass(house, 4 * minute, 2 * second)
    const told = await tellers(house.store)
    t.strictSame(
      ids.filter(id => told.get(id)?.length !== 1),
      [],
      `seed ${seed}: each alert in one message`,
    )
    const minutes = Math.ceil((house.clock.now() - (house.clock.now() - spanMs - 4 * minute)) / minute)
    const most = (alone + 2) * minutes + alone * processes
    t.ok(house.said().length <= most, `seed ${seed}: ${house.said().length} messages of ${count}, at most ${most}`)
    t.equal(await house.store.count('deliveries', { open: 1 }), 0, `seed ${seed}: nothing waits`)
  }
})

t.test('v3 10.19 another notifier sends what a dead one has gathered, once', async t => {
  for (let write = 1; write <= 40; write++)
    for (const after of [false, true]) {
      const house = await stage(t)
      const dead = await house.run('n1', { store: dyingStore(house.store, write, after) })
      const alerts = many(9)
      await house.store.insert('alerts', alerts)
      house.nudge(...alerts.map(({ id }) => id))
      // What a dead notifier has claimed stays claimed.
      for (let passed = 0; passed < delayMs + 5 * second; passed += second / 4) await house.clock.advance(second / 4)
      await house.stop(dead)
      await house.run('n2', { deadNotifiers: ['n1'] })
      await pass(house, 4 * minute, 5 * second)
      const told = await tellers(house.store)
      const wrong = alerts.filter(({ id }) => told.get(id)?.length !== 1).map(({ id }) => `${id} ${told.get(id)}`)
      t.strictSame(wrong, [], `dead ${after ? 'after' : 'before'} write ${write}`)
      const digests = titles(house).filter(title => title.includes('more message'))
      t.ok(digests.length <= 3, `${digests.length} digests`)
      t.equal(await house.store.count('deliveries', { open: 1 }), 0, 'nothing waits')
    }
})

t.test('v3 10.19 message that came too late for its digest is in the next one', async t => {
  const house = await stage(t)
  await house.run('n1')
  await house.tell(...many(7))
  await pass(house, delayMs + second)
  const [told] = (await house.store.find('deliveries', { limit: 100 })).filter(({ gathered }) => gathered !== undefined)
  if (told === undefined) throw new Error('nothing gathered')
  const late = about('late')
  await house.store.insert('alerts', [{ ...late, state: 'dispatched' }])
  const due = told.gathered ?? 0
  await house.store.insert('deliveries', [
    {
      ...told,
      ...{ id: `${late.id}.one`, rev: 1, alertId: late.id, incidentId: late.incidentId, open: 1, dueAt: due + graceMs },
      snapshot: {
        ...told.snapshot,
        value: 'queued',
        context: { ...told.snapshot.context, deadlineAt: due + graceMs, lastError: null },
      },
    },
  ])
  await pass(house, windowMs + graceMs + everyMs, 5 * second)
  t.equal(titles(house).at(-1), '1 more message: 1 down')
  t.match(house.said().at(-1)?.text, /^late is down/)
})
