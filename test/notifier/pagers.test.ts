// Destinations where an alert stays open until it is ended (v3 10.16): whole notifiers, and the far ends of two pagers, which keep alerts.
// Whatever happens, no alert stays open over there whose incident is over, and none is opened for an incident that is over.
import { join } from 'node:path'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import t, { type Test } from 'tap'
import { createNotifierClient } from '#shared/bus/clients/clients.ts'
import { subjects } from '#shared/bus/subjects.ts'
import { channelOf } from '#shared/channels/registry.ts'
import { shapeOf } from '#shared/channels/settings.ts'
import type { AlertDocument, AlertKind, SkipReason } from '#shared/contracts/incidents/alert.ts'
import type { IncidentDocument } from '#shared/contracts/incidents/incident.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import type { RouteTransition } from '#shared/contracts/resources/template.ts'
import { createIncidentIds } from '#shared/incidents/incident-ids.ts'
import { hour, limits, minute, second } from '#shared/limits/limits.ts'
import { chooseDestinations, type Routing } from '#shared/notifications/choose-destinations.ts'
import { openSqliteStore } from '#shared/store/sqlite/sqlite.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { startNotifier } from '../../services/notifier/app.ts'
import { atPlaceOf } from '../../services/notifier/record/openings.ts'
import { aimed } from '../channels/aimed.ts'
import { createJsm } from '../channels/jsm.ts'
import { createPagerDuty } from '../channels/pagerduty.ts'
import { Random } from '../simulation/random.ts'
import { startTestBus } from '../support/bus/nats.ts'
import {
  alert,
  createHouse,
  createReceiver,
  destination,
  type Hit,
  type House,
  incidentOf,
  options,
  startAt,
  until,
} from './house.ts'

const workspaceId = 'w'
const encode = createIncidentIds(options.incidentSalt).encode

const types = {
  pagerduty: aimed('pagerduty', 'https://events.pagerduty.com'),
  jsm: aimed('jsm', 'https://api.atlassian.com/jsm/ops/integration'),
}
type Pager = keyof typeof types
const pagers = Object.keys(types) as Pager[]

const pager = (id: Pager, server: string, over: Partial<DestinationDocument> = {}): DestinationDocument =>
  destination(id, '', {
    ...{ workspaceId, type: types[id], default: false, defaultAt: null },
    settings: { server, ...(id === 'jsm' ? { api_key: 'SECRET' } : { routing_key: 'k'.repeat(32) }) },
    ...over,
  })

interface Case {
  name: string
  kind?: AlertKind
  reminder?: true
  held?: 'maintenance'
  on?: RouteTransition[]
  off?: true
  gone?: true
  more?: Partial<Routing>
  told: boolean
  reason?: SkipReason
  nobody?: SkipReason | null
}

const problems: RouteTransition[] = ['problem']
const alive = { aliveAt: new Set(['pagerduty']), triggeredAt: new Set(['pagerduty']) }
const cases: Case[] = [
  { name: 'a problem by its route', told: true },
  { name: 'no problem without a route', on: ['recovery'], told: false, nobody: 'not_routed' },
  { name: 'never an opening', kind: 'opened', on: ['opened'], told: false, reason: 'not_opted_in', nobody: 'not_opted_in' },
  { name: 'no reminder of what is open there', reminder: true, more: alive, told: false },
  { name: 'a reminder where nothing was opened', reminder: true, told: true },
  { name: 'an end, whatever the routes say', kind: 'recovery', on: ['problem'], more: alive, told: true },
  { name: 'an end where it is switched off by now', kind: 'recovery', off: true, more: alive, told: true },
  { name: 'an end of a subject that is gone', kind: 'withdrawn', gone: true, more: alive, told: true },
  { name: 'an acknowledgement without a route', kind: 'acknowledged', on: ['problem'], more: alive, told: true },
  { name: 'an acknowledgement in maintenance', kind: 'acknowledged', held: 'maintenance', more: alive, told: true },
  { name: 'no end of what was not opened', kind: 'recovery', on: ['problem', 'recovery'], told: false },
  { name: 'no acknowledgement of what was not opened', kind: 'acknowledged', on: ['problem', 'acknowledged'], told: false },
  { name: 'a problem that maintenance holds', held: 'maintenance', told: false, reason: 'maintenance', nobody: 'maintenance' },
]

t.test('v3 10.16 an alert that stays open ends where it was opened', async t => {
  for (const { name, kind = 'problem', reminder, held = null, on = problems, off, gone, more, told, reason, nobody } of cases) {
    const all = [pager('pagerduty', '', { enabled: off !== true }), destination('hook', '', { workspaceId, default: false })]
    const asked = {
      ...{ workspaceId, kind, held, reminder: reminder === true },
      facts: { confirmedAt: startAt, routing: { routes: [{ destination: 'pagerduty', on }] } },
    }
    const nothing: Routing = {
      destinations: all,
      selections: [],
      subjectGone: gone === true,
      isOvertaken: false,
      openedAt: new Set(),
    }
    const decision = chooseDestinations(asked, { ...nothing, ...more })
    t.strictSame(
      decision.chosen.map(one => one.destination.id),
      told ? ['pagerduty'] : [],
      name,
    )
    const spoken = decision.leftOut.filter(one => one.reason !== 'not_routed').map(one => one.reason)
    t.strictSame(spoken, reason === undefined ? [] : [reason], name)
    t.equal(decision.nobody, nobody ?? null, name)
  }
})

/** How a far end treats a request: takes it, takes it and fails, or fails. */
type Mood = 'takes' | 'takes and fails' | 'fails' | 'is busy'

interface Stage extends House {
  ends: { pagerduty: ReturnType<typeof createPagerDuty>; jsm: ReturnType<typeof createJsm> }
  hits: Hit[]
  mood(is: () => Mood): void
  /** Opens an incident of this name, or tells the next message about it. */
  tell(name: string, kind: AlertKind, over?: Partial<AlertDocument>): Promise<void>
  change(name: string, over: Partial<IncidentDocument>): Promise<void>
  run(id: string): ReturnType<House['start']>
  reasons(): Promise<string[]>
}

const routed: RouteTransition[] = ['problem', 'no_data', 'recovery']

const aboutOf = (name: string, number: number, over: Partial<AlertDocument> = {}) =>
  alert('x', name, number, { workspaceId, ...over })
const keyOf = (name: string) => encode(aboutOf(name, 1).incidentId)

async function stage(t: Test): Promise<Stage> {
  const house = createHouse()
  const ends = { pagerduty: createPagerDuty(), jsm: createJsm() }
  let mood = (): Mood => 'takes'
  const receiver = await createReceiver((_call, { path, headers, body }) => {
    const now = mood()
    if (now === 'fails') return { status: 503 }
    if (now === 'is busy') return { status: 429 }
    const end = path.startsWith('/v2/enqueue') ? ends.pagerduty : ends.jsm
    const answer = end.answer({ path, headers, body: JSON.parse(body) })
    return now === 'takes' ? answer : { status: 502 }
  })
  const { origin } = new URL(receiver.url)
  const services: Awaited<ReturnType<House['start']>>[] = []
  t.teardown(async () => {
    await Promise.all(services.map(service => house.stop(service)))
    await receiver.close()
  })
  const { store } = house
  await store.insert(
    'destinations',
    pagers.map(id => pager(id, origin, { default: id === 'pagerduty', defaultAt: startAt })),
  )
  const numbers = new Map<string, number>()
  const routing = { routes: pagers.map(id => ({ destination: id, on: routed })) }
  const run = async (id: string) => {
    const service = await house.start(id)
    services.push(service)
    return service
  }
  await run('n1')
  return {
    ...house,
    ends,
    run,
    hits: receiver.hits,
    mood: is => {
      mood = is
    },
    tell: async (name, kind, over) => {
      const number = (numbers.get(name) ?? 0) + 1
      numbers.set(name, number)
      const base = aboutOf(name, number, { kind, decidedAt: house.clock.now(), ...over })
      const told = { ...base, facts: { ...base.facts, routing } }
      if (number === 1) await store.insert('incidents', [incidentOf(told)])
      await store.insert('alerts', [told])
      house.nudge(told.id)
      await until(async () => (await store.get('alerts', [told.id]))[0]?.state === 'dispatched', 'the dispatch')
    },
    change: async (name, over) => {
      const [present] = await store.get('incidents', [aboutOf(name, 1).incidentId])
      if (present == null) throw new Error('no incident')
      await store.replace('incidents', [{ ...present, ...over, rev: present.rev + 1 }])
    },
    reasons: async () =>
      (await store.find('deliveryLog', { limit: 1_000 }))
        .filter(({ status }) => status === 'held')
        .map(({ destinationId, event, reason }) => `${destinationId} ${event} ${reason}`)
        .sort(),
  }
}

const open = ({ ends }: Stage) => pagers.map(id => ends[id].open().length)
const quiet = ({ store }: House) =>
  until(
    async () => (await store.find('deliveries', { limit: 1_000 })).every(({ snapshot }) => snapshot.value !== 'sending'),
    'quiet',
  )

async function pass(house: House, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 15 * second) {
    await house.clock.advance(Math.min(left, 15 * second))
    await quiet(house)
  }
}

/** Advances the clock until the condition holds, because far ends take only so many messages in a second. */
const come = (house: House, is: () => boolean | Promise<boolean>, what: string) =>
  until(async () => {
    await house.clock.advance(second / 4)
    return is()
  }, what)

t.test('v3 10.16 an incident is opened, acknowledged and ended over there, by its own key', async t => {
  const house = await stage(t)
  await house.tell('a', 'no_data')
  await come(house, () => open(house).join() === '1,1', 'the triggers')
  t.match(house.ends.pagerduty.openAt(keyOf('a')), { state: 'triggered', severity: 'warning', summary: 'Shop — no data' })
  t.match(house.ends.jsm.openAt(keyOf('a')), { state: 'open', priority: 'P3' })
  await house.tell('a', 'problem')
  await come(house, () => house.ends.pagerduty.openAt(keyOf('a'))?.severity === 'critical', 'the problem')
  await house.tell('a', 'problem', { reminder: true })
  await pass(house, minute)
  t.equal(house.hits.length, 4, 'a reminder is not sent to what is open')
  await house.change('a', { acknowledgedAt: house.clock.now() })
  await house.tell('a', 'acknowledged')
  await come(house, () => pagers.every(id => house.ends[id].openAt(keyOf('a'))?.state === 'acknowledged'), 'the acknowledgement')
  await house.change('a', { open: 0 })
  await house.tell('a', 'recovery')
  await come(house, () => open(house).join() === '0,0', 'the end')
  t.strictSame(await house.reasons(), [])
})

t.test('v3 10.16 an end reaches a destination that is off, of a subject that is deleted', async t => {
  const house = await stage(t)
  await house.tell('a', 'problem')
  await come(house, () => open(house).join() === '1,1', 'the triggers')
  for (const document of await house.store.get('destinations', pagers))
    if (document !== null) await house.store.replace('destinations', [{ ...document, enabled: false, rev: 2 }])
  await house.store.delete('incidents', [aboutOf('a', 1).incidentId])
  await house.store.delete('alerts', [aboutOf('a', 1).id])
  await house.tell('a', 'withdrawn')
  await come(house, () => open(house).join() === '0,0', 'the end')
})

t.test('v3 10.16 a trigger that waits is withdrawn by the end, and by an acknowledgement', async t => {
  for (const [kind, change, word] of [
    ['recovery', { open: 0 }, 'ended_first'],
    ['withdrawn', { open: 0 }, 'ended_first'],
    ['acknowledged', { acknowledgedAt: startAt }, 'acknowledged_first'],
  ] as const) {
    const house = await stage(t)
    house.mood(() => 'is busy')
    await house.tell('a', 'problem')
    await come(house, () => house.hits.length >= 2, 'the attempts')
    await quiet(house)
    await house.change('a', change)
    await house.tell('a', kind)
    house.mood(() => 'takes')
    await pass(house, 10 * minute)
    t.strictSame(open(house), [0, 0], `${kind}: nobody is paged`)
    t.equal(house.hits.length, 2, `${kind}: nothing more is sent`)
    t.strictSame(await house.reasons(), [`jsm problem ${word}`, `pagerduty problem ${word}`])
  }
})

t.test('v3 10.16 what may have arrived is ended', async t => {
  const house = await stage(t)
  house.mood(() => 'takes and fails')
  await house.tell('a', 'problem')
  await come(house, () => open(house).join() === '1,1', 'the triggers')
  await quiet(house)
  await house.change('a', { open: 0 })
  house.mood(() => 'takes')
  await house.tell('a', 'recovery')
  await come(house, () => open(house).join() === '0,0', 'the ends')
  t.strictSame(await house.reasons(), ['jsm problem ended_first', 'pagerduty problem ended_first'])
})

t.test('v3 10.16 a trigger that was never told before its end is not sent, even if nobody told of the end', async t => {
  const house = await stage(t)
  house.mood(() => 'fails')
  await house.tell('a', 'problem')
  await come(house, () => house.hits.length >= 2, 'the attempts')
  await quiet(house)
  // A keeper that died may tell of the end much later.
  await house.change('a', { open: 0 })
  house.mood(() => 'takes')
  await pass(house, 10 * minute)
  t.strictSame(open(house), [0, 0])
})

/** Returns the secret of a request: the key of PagerDuty, or the header of the other. */
const secretIn = ({ body, headers }: Hit): string =>
  String(JSON.parse(body).routing_key ?? String(headers['authorization']).replace('GenieKey ', ''))

const present: Record<Pager, [key: string, old: string, fresh: string]> = {
  pagerduty: ['routing_key', 'k'.repeat(32), 'n'.repeat(32)],
  jsm: ['api_key', 'SECRET', 'FRESH-SECRET'],
}

/** Replaces the secrets, as the directory does. `former`: earlier values of each, the newest first. */
async function replaceSecrets({ store }: House, former: (old: string) => { value: string; until: number }[]): Promise<void> {
  for (const id of pagers) {
    const [key, old, fresh] = present[id]
    const [document] = await store.get('destinations', [id])
    if (document == null) throw new Error('no destination')
    const kept = former(old).map(one => ({ key, ...one }))
    const settings = { ...document.settings, [key]: fresh }
    await store.replace('destinations', [{ ...document, rev: document.rev + 1, settings, former: kept }])
  }
}

t.test('v3 10.20 an alert is ended with the secret that opened it, and further ones have the present secret', async t => {
  const later = startAt + hour
  const known = (old: string) => ['other', old].map(value => ({ value, until: later }))
  const cases: [title: string, former: (old: string) => { value: string; until: number }[], isOld: boolean][] = [
    ['a known one', known, true],
    ['a known one, at once', known, true],
    ['one whose time is over', old => [{ value: old, until: startAt }], false],
    ['an unknown one', () => [{ value: 'other', until: later }], false],
  ]
  for (const [title, former, isOld] of cases) {
    const house = await stage(t)
    await house.tell('a', 'problem')
    await come(house, () => open(house).join() === '1,1', 'the triggers')
    await quiet(house)
    await replaceSecrets(house, former)
    const before = house.hits.length
    await house.tell('b', 'problem')
    await come(house, () => open(house).join() === '2,2', 'the other triggers')
    // A lane without room claims the end later.
    if (title.endsWith('at once')) await pass(house, 2 * second)
    await house.change('a', { open: 0 })
    await house.tell('a', 'recovery')
    await come(house, () => open(house).join() === '1,1', 'the ends')
    await quiet(house)
    const [triggers, ends] = [house.hits.slice(before, before + 2), house.hits.slice(before + 2)]
    const secrets = (which: 1 | 2) => pagers.map(id => present[id][which]).sort()
    t.strictSame(triggers.map(secretIn).sort(), secrets(2), `${title}: what is opened later`)
    t.strictSame(ends.map(secretIn).sort(), secrets(isOld ? 1 : 2), `${title}: the end`)
    const kept = JSON.stringify([
      await house.store.find('deliveries', { limit: 100 }),
      await house.store.find('deliveryLog', { limit: 100 }),
      house.log,
    ])
    t.notMatch(kept, /k{32}|n{32}|SECRET/, 'no secret is stored elsewhere or logged')
  }
})

t.test('v3 10.20 an alert is ended at the service where it was opened', async t => {
  const house = await stage(t)
  await house.tell('a', 'problem')
  await come(house, () => open(house).join() === '1,1', 'the triggers')
  await quiet(house)
  const places = { pagerduty: { region: 'us' }, jsm: { base: 'jsm' } }
  for (const document of await house.store.find('deliveries', { limit: 10 }))
    t.strictSame(document.openedWith?.place, places[document.destinationId as Pager])
  const opened = { place: { region: 'eu' }, secrets: {} }
  const at = atPlaceOf(pager('pagerduty', '', { type: 'pagerduty' }), opened)
  const channel = channelOf('pagerduty')
  const about = { alert: aboutOf('a', 2, { kind: 'recovery' }), incident: 'i', locationName: (id: string) => id }
  const request = channel.render(about, 'recovery', shapeOf(channel, at), { subject: '' })
  t.strictSame(request?.url, ['https://events.eu.pagerduty.com/v2/enqueue'])
})

t.test('v3 10.16 a test opens something of its own and ends it at once', async t => {
  const house = await stage(t)
  const { sendTest } = createNotifierClient(house.connect(), house.clock)
  for (const id of pagers) {
    t.strictSame(await sendTest({ destinationId: id }), { delivered: true, accepted: true }, id)
    const { pagerduty, jsm } = house.ends
    const kept = id === 'pagerduty' ? pagerduty.incidents : jsm.alerts
    const [[key, opened] = ['', []]] = [...kept]
    t.match(key, /^test-/)
    t.match(opened, [{ state: id === 'pagerduty' ? 'resolved' : 'closed' }])
  }
})

t.test(
  'v3 10.16 whatever happens, nothing stays open whose incident is over, and nothing is opened for one that is over',
  async t => {
    const moods: Mood[] = ['takes', 'takes', 'takes and fails', 'fails', 'is busy']
    for (let seed = 1; seed <= 20; seed++) {
      const random = new Random(seed, 'pagers')
      const house = await stage(t)
      const over = new Set<string>()
      const late: string[] = []
      house.mood(() => random.pick(moods))
      const names = ['a', 'b', 'c', 'd', 'e']
      const begun: string[] = []
      const taken = new Set<string>()
      let seen = 0
      const checkTriggers = () => {
        for (const { body } of house.hits.slice(seen)) {
          const { event_action: action, dedup_key: key, alias } = JSON.parse(body)
          if (action === 'trigger' || alias !== undefined) if (over.has(key ?? alias)) late.push(key ?? alias)
        }
        seen = house.hits.length
      }
      const end = async (name: string) => {
        over.add(keyOf(name))
        await house.change(name, { open: 0 })
        await house.tell(name, random.chance(0.5) ? 'recovery' : 'withdrawn')
      }
      for (let at = 0; at < 40; at++) {
        await pass(house, 15 * second)
        checkTriggers()
        const next = names[begun.length]
        const some = begun.filter(name => !over.has(keyOf(name)))
        if (next !== undefined && random.chance(0.3)) {
          begun.push(next)
          await house.tell(next, random.chance(0.5) ? 'problem' : 'no_data')
        } else if (some.length > 0) {
          const name = random.pick(some)
          if (random.chance(0.3)) await end(name)
          else if (random.chance(0.2) && !taken.has(name)) {
            taken.add(name)
            await house.change(name, { acknowledgedAt: house.clock.now() })
            await house.tell(name, 'acknowledged')
          } else if (random.chance(0.4)) await house.tell(name, 'problem', { reminder: random.chance(0.5) })
        }
        if (random.chance(0.1)) {
          const [document] = await house.store.get('destinations', [random.pick(pagers)])
          if (document != null)
            await house.store.replace('destinations', [{ ...document, enabled: !document.enabled, rev: document.rev + 1 }])
        }
        if (random.chance(0.05)) await house.run(`n${seed}-${at}`)
      }
      for (const name of begun) if (!over.has(keyOf(name))) await end(name)
      house.mood(() => 'takes')
      await pass(house, hour)
      checkTriggers()
      t.strictSame([open(house), late], [[0, 0], []], `seed ${seed}`)
      t.equal(await house.store.count('deliveries', { open: 1 }), 0, `seed ${seed}: every delivery ends`)
    }
    t.ok(limits.notifier.openingMs > limits.notifier.deliveryMs, 'what was opened is known as long as it may be open')
  },
)

t.test('v3 10.16 an alert ends on a real bus and a real store, by another notifier than the one that opened it', async t => {
  const bus = await startTestBus()
  const teller = await bus.connect('teller')
  const store = await openSqliteStore(join(t.testdir(), 'store.db'))
  const end = createPagerDuty()
  const receiver = await createReceiver((_call, { path, body }) => end.answer({ path, body: JSON.parse(body) }))
  const clock = createSystemClock()
  t.teardown(async () => {
    await receiver.close()
    await bus.stop()
    await store.close()
  })
  const now = clock.now()
  const about = (number: number, kind: AlertKind) => {
    const made = aboutOf('a', number, { kind, decidedAt: now, expireAt: now + hour })
    return { ...made, facts: { ...made.facts, confirmedAt: now, troubleSince: now } }
  }
  await store.insert('destinations', [pager('pagerduty', new URL(receiver.url).origin, { default: true, defaultAt: now })])
  await store.insert('incidents', [incidentOf(about(1, 'problem'))])
  const start = async (notifierId: string) => {
    const context = { store, clock, logger: pino({ level: 'silent' }), metrics: new Registry() }
    return startNotifier({ ...context, bus: await bus.connect(notifierId) }, { ...options, notifierId })
  }
  const tell = async (told: AlertDocument) => {
    await store.insert('alerts', [told])
    teller.publish(subjects.alertNudge, { alertIds: [told.id] })
  }
  const first = await start('n1')
  await tell(about(1, 'problem'))
  await until(async () => (await store.count('deliveries', { open: 0 })) === 1, 'the trigger')
  t.strictSame(end.open(), [keyOf('a')])
  await first.stop()
  await store.delete('incidents', [about(1, 'problem').incidentId])
  const second = await start('n2')
  await tell(about(2, 'withdrawn'))
  await until(() => end.open().length === 0, 'the end')
  await second.stop()
})
