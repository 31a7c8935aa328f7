// Kinds of checks that probers can make: by which prober a check is made if not every prober can, on the memory bus and a clock that the test
// advances. Reference: docs/reference/v3.md, 3.22.
import { Registry } from 'prom-client'
import t from 'tap'
import { createProberBus } from '#shared/bus/probers/prober-bus.ts'
import { keys, subjects } from '#shared/bus/subjects.ts'
import { type Abilities, ableProber, inabilitiesOf, inabilityOf } from '#shared/checks/abilities.ts'
import { icmp } from '#shared/checks/icmp/icmp.ts'
import { withoutPing } from '#shared/checks/icmp/judge.ts'
import { tcp } from '#shared/checks/tcp/tcp.ts'
import { website } from '#shared/checks/website/website.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Resolve } from '#shared/net/resolve.ts'
import { createLogger } from '#shared/observability/logger.ts'
import { startProber } from '../../services/prober/app.ts'
import type { CheckOutcome } from '../../services/prober/checks/checker.ts'
import { whyNoPings } from '../../services/prober/checks/icmp/ability.ts'
import { checkOf, findAbilities } from '../../services/prober/checks/registry.ts'
import { createMemoryHub } from '../support/bus/memory-bus.ts'
import { checkEntry } from '../support/checks.ts'
import { createVirtualClock } from '../support/virtual-clock.ts'
import { contextWith } from './check-context.ts'

const logger = createLogger('silent')
const locationId = 'loc1'
const nowhere: Resolve = (_name, done) => done(Object.assign(new Error('no'), { code: 'ENOTFOUND' }), [])
const sentence = withoutPing.notPermitted
const all: Abilities = { [website.key]: null, [tcp.key]: null, [icmp.key]: null }
const withoutPings: Abilities = { ...all, [icmp.key]: sentence }
const prober = (kinds: Abilities | null, version = '3.0.0') => ({ version, kinds, perSecond: 0 })

t.test('v3 3.22 nobody can make a kind that none of the live probers can; an older one makes checks of websites alone', t => {
  for (const [probers, kind, expected] of [
    [[], icmp.key, null],
    [[prober(all)], icmp.key, null],
    [[prober(withoutPings)], icmp.key, sentence],
    [[prober(withoutPings), prober(all)], icmp.key, null],
    [[prober(null, '2.0.0')], tcp.key, 'its probers are older than this check (2.0.0)'],
    [[prober(null, '2.1.0'), prober(null, '2.0.0')], tcp.key, 'its probers are older than this check (2.0.0)'],
    [[prober({ [website.key]: null })], tcp.key, 'its probers are older than this check (3.0.0)'],
    [[prober(null, '2.0.0'), prober(withoutPings)], icmp.key, sentence],
    [[prober(null, '2.0.0')], website.key, null],
  ] as const) {
    t.equal(inabilityOf(probers, kind), expected, JSON.stringify([probers, kind]))
  }
  t.strictSame(inabilitiesOf([prober(withoutPings)], [website.key, tcp.key, icmp.key]), { [icmp.key]: sentence })
  t.end()
})

t.test('presence of a prober is not trusted: what is no ability is left out', t => {
  for (const [value, expected] of [
    [null, { version: 'unknown', kinds: null, perSecond: 0 }],
    ['text', { version: 'unknown', kinds: null, perSecond: 0 }],
    [
      { version: '2.0.0', inFlight: 3, perSecond: -1 },
      { version: '2.0.0', kinds: null, perSecond: 0 },
    ],
    [
      { version: 'a\nb', kinds: all, perSecond: 1.5 },
      { version: 'unknown', kinds: all, perSecond: 1.5 },
    ],
    [
      { version: 'x'.repeat(41), kinds: { a: null, b: 'no', c: 1, d: 'x'.repeat(301), e: 'two\nlines' } },
      { version: 'unknown', kinds: { a: null, b: 'no' }, perSecond: 0 },
    ],
  ] as const) {
    t.strictSame(ableProber(value), expected)
  }
  const many = Object.fromEntries(Array.from({ length: limits.presence.kinds + 1 }, (_, i) => [`k${i}`, null]))
  t.equal(Object.keys(ableProber({ kinds: many }).kinds ?? {}).length, limits.presence.kinds)
  t.end()
})

t.test('v3 3.22 a prober can ping if one of its groups is within the range of the system', t => {
  const rights = { platform: 'linux', hasLibrary: true, groups: [1000, 27], range: '0\t2147483647\n' } as const
  for (const [given, expected] of [
    [{}, null],
    [{ range: '1\t0\n' }, withoutPing.notPermitted],
    [{ range: '27\t27\n' }, null],
    [{ range: '28 999' }, withoutPing.notPermitted],
    [{ range: null }, null],
    [{ hasLibrary: false }, withoutPing.notSupported],
    [{ platform: 'darwin' }, withoutPing.notSupported],
  ] as const) {
    // An absent member is that of this process, so null is given for a file that is missing.
    t.equal(whyNoPings({ ...rights, ...given }), expected, JSON.stringify(given))
  }
  t.ok(Object.keys(findAbilities()).includes(icmp.key))
  t.end()
})

interface Seen {
  subjectId: string
  prober: string
}

async function setStage() {
  const clock = createVirtualClock(1_700_000_000_000)
  const hub = createMemoryHub({ clock })
  const keeper = hub.connect()
  const seen: Seen[] = []
  const start = async (proberId: string, kinds: Abilities) => {
    const bus = hub.connect()
    const publish = bus.observations.publish
    bus.observations.publish = (subject, body) => {
      seen.push({ subjectId: subject.split('.').at(-1) ?? '', prober: proberId })
      return publish(subject, body)
    }
    return await startProber(
      { bus, clock, logger, metrics: new Registry() },
      { locationId, proberId, version: '3.0.0', serviceUrl: 'http://us', resolve: nowhere, kinds },
    )
  }
  const assign = async (ids: readonly string[], entry: object) => {
    for (const id of ids) await keeper.bucket('checks').put(keys.check(locationId, id), { rev: 1, intervalMs: 10_000, ...entry })
  }
  const byOf = (ids: readonly string[]) =>
    [...new Set(seen.filter(({ subjectId }) => ids.includes(subjectId)).map(one => one.prober))].toSorted()
  return { clock, hub, keeper, seen, start, assign, byOf }
}

const websites = Array.from({ length: 20 }, (_, i) => `website${String(i).padStart(3, '0')}`)
const machines = Array.from({ length: 20 }, (_, i) => `machine${String(i).padStart(3, '0')}`)
const pinged = icmp.entry({ host: 'gone.example', count: 1, max_lost: 0, max_ms: 60_000, ip_family: 'any', timeout_seconds: 3 })

t.test('v3 3.22 a check goes to a live prober that can make it, and others are shared by all', async t => {
  const { clock, start, assign, byOf, seen } = await setStage()
  await assign(websites, checkEntry({ url: 'http://gone.example/', intervalMs: 10_000 }))
  await assign(machines, pinged)
  const able = await start('able', all)
  const unable = await start('unable', withoutPings)
  await clock.advance(30_000)
  t.ok(machines.every(id => byOf([id])[0] === 'able'))
  t.strictSame(byOf(machines), ['able'])
  t.strictSame(byOf(websites), ['able', 'unable'])
  await able.stop()
  seen.length = 0
  await clock.advance(30_000)
  t.strictSame(byOf(websites), ['unable'])
  t.strictSame(byOf(machines), [], 'nobody makes them')
  await unable.stop()
})

t.test('v3 3.22 a prober that is older than kinds counts for websites alone', async t => {
  const { clock, keeper, start, assign, byOf } = await setStage()
  await assign(websites, checkEntry({ url: 'http://gone.example/', intervalMs: 10_000 }))
  await assign(machines, pinged)
  const beat = () => keeper.bucket('presence').put(keys.proberPresence(locationId, 'older'), { version: '2.0.0' })
  await beat()
  const able = await start('able', all)
  for (let passed = 0; passed < 30_000; passed += 2_000) {
    await beat()
    await clock.advance(2_000)
  }
  t.ok(machines.every(id => byOf([id])[0] === 'able'))
  const made = new Set(websites.filter(id => byOf([id]).length > 0))
  t.ok(made.size > 0 && made.size < websites.length, 'the older one has its share')
  await able.stop()
})

t.test('v3 3.22 a prober that becomes able takes its share of the checks', async t => {
  const { clock, start, assign, byOf, seen } = await setStage()
  await assign(machines, pinged)
  const one = await start('one', all)
  const two = await start('two', withoutPings)
  await clock.advance(20_000)
  t.strictSame(byOf(machines), ['one'])
  await two.stop()
  const again = await start('two', all)
  await clock.advance(limits.presence.goneMs)
  seen.length = 0
  await clock.advance(20_000)
  t.strictSame(byOf(machines), ['one', 'two'])
  await Promise.all([one.stop(), again.stop()])
})

t.test('prober on another machine goes on with a directory that is older than kinds of checks', async t => {
  const { clock } = await setStage()
  const asked: object[] = []
  const line = {
    ...{ clock, logger, connected: () => true, onConnection: () => () => undefined, close: async () => undefined },
    ask: async (subject: string, text: string) => {
      if (!subject.endsWith('.beat')) return { ok: true, result: { members: [], changedAt: null } }
      const { state } = JSON.parse(text) as { state: object }
      asked.push(state)
      const error = { code: 'malformed', message: 'Invalid request', details: 'unknown member' }
      return 'kinds' in state ? { ok: false, error } : { ok: true, result: { members: [], changedAt: null } }
    },
  }
  const bus = createProberBus(line, locationId)
  const state = { version: '3.0.0', inFlight: 0, buffered: 0, shed: 0 }
  await bus.bucket('presence').put(keys.proberPresence(locationId, 'one'), { ...state, kinds: all })
  t.strictSame(asked, [{ ...state, kinds: all }, state])
  const served = await bus.subscribe(subjects.tryCheck(locationId, tcp.key), () => undefined)
  await served.close()
})

t.test('v3 3.22 a check with an option that the prober does not know cannot be made, rather than pass without it', async t => {
  const { clock } = await setStage()
  const outcome = async (options: object) => {
    const entry = { rev: 1, intervalMs: 10_000, ...pinged, options: { ...(pinged['options'] as object), ...options } }
    return await new Promise<CheckOutcome>(done => checkOf(entry, contextWith({ clock }), done).start())
  }
  const error = 'this prober is older than the option ttl of this check'
  t.match(await outcome({ ttl: 3 }), { ok: false, cannot: true, error, value: null, statusCode: null })
  t.match(await outcome({}), { ok: false, error: 'host name "gone.example" not found' })
})
