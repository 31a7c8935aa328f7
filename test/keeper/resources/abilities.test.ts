// Checks that no live prober of a location can make, in the keeper, on memory bus and store with a clock that the test moves. Reference:
// docs/reference/v3.md, 3.22 and 4.15.
import t from 'tap'
import { repeat } from '#shared/async/repeat.ts'
import { keys } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits/limits.ts'
import { readManifest } from '#shared/manifest/read-manifest.ts'
import { createWorld, minute } from '../world.ts'
import { create, observe, publish, read, ruleOf, setStage, type World } from './resource-world.ts'
import { shop } from './shop.ts'

const able = { tcp: null, dns: null }
const unable = { tcp: null, dns: 'no name servers here' }
const older = 'its probers are older than this check (2.0.0)'

/** The rule `unnamed` has no data where its result is unknown. */
const noData = { ...shop, rules: shop.rules.map(rule => (rule.key === 'unnamed' ? { ...rule, unknown: 'no_data' } : rule)) }

/** A prober that lives until it is stopped. `kinds` null: it is older than kinds of checks. */
async function prober(world: World, kinds: object | null, location = 'aaaa', id = 'p1') {
  const presence = world.client.bucket('presence')
  const key = keys.proberPresence(location, id)
  const state = { version: kinds === null ? '2.0.0' : '3.0.0', ...(kinds && { kinds }) }
  const beat = () => void presence.put(key, state)
  const beating = repeat({ clock: world.clock, everyMs: limits.presence.beatMs }, beat)
  beat()
  await world.clock.advance(1)
  const end = async () => {
    await beating.stop()
    await world.clock.advance(1)
  }
  return {
    stop: async () => {
      await end()
      await presence.delete(key)
      await world.clock.advance(1)
    },
    /** It sends nothing about its end. */
    die: async () => {
      await end()
      await world.clock.advance(limits.presence.goneMs + 2 * limits.presence.beatMs)
    },
  }
}

async function makeShop(world: World, places: readonly string[] = ['aaaa']) {
  const { id, reply } = await create(world, { template: 'shop@1', answers: { host: 'shop.example', places } })
  t.match(reply, { ok: true })
  await observe(world, id, { signal: 'till' })
  return id
}

const results = (world: World, id: string, signal: string, ok: boolean, location = 'aaaa') =>
  world.report(id, ok, { signal }, location)

const cannotOf = async (world: World, id: string, signal: string) =>
  (await read(world, id)).checks?.find(check => check.signal === signal)?.locations.map(({ cannot }) => cannot)

t.test('v3 3.22 location whose probers cannot make a check is left out at once, and the others decide', async t => {
  const world = await setStage(shop)
  const probers = [await prober(world, unable), await prober(world, able, 'bbbb')]
  const id = await makeShop(world, ['aaaa', 'bbbb'])
  await results(world, id, 'name', false, 'bbbb')
  t.match(await ruleOf(world, id, 'unnamed'), {
    status: 'problem',
    explanation: 'name problem (1 location cannot: no name servers here), name known (1 location cannot: no name servers here)',
  })
  t.strictSame(await cannotOf(world, id, 'name'), ['no name servers here', null])
  t.strictSame(await cannotOf(world, id, 'page'), [null, null])
  for (const one of probers) await one.stop()
})

t.test('v3 3.22 check that nobody can make opens nothing, and its rule with no data says why', async t => {
  const world = await setStage(noData)
  const one = await prober(world, null)
  const id = await makeShop(world)
  await world.clock.advance(10 * minute)
  t.match(await ruleOf(world, id, 'unnamed'), {
    status: 'no_data',
    explanation: `name cannot be checked (${older}), name cannot be checked (${older})`,
  })
  t.match(await ruleOf(world, id, 'down'), { status: null })
  t.strictSame(await world.incidents(id), [])
  await one.stop()
})

t.test('v3 3.22 location is young again when a prober can make the check, and is judged by its result', async t => {
  const world = await setStage(shop)
  const first = await prober(world, unable)
  const id = await makeShop(world)
  await world.clock.advance(5 * minute)
  t.match(await ruleOf(world, id, 'unnamed'), { openIncident: null })
  const second = await prober(world, able, 'aaaa', 'p2')
  await world.clock.advance(minute / 2)
  t.strictSame(await cannotOf(world, id, 'name'), [null])
  t.match(await ruleOf(world, id, 'unnamed'), { openIncident: null }, 'young')
  await world.clock.advance(minute)
  t.match(await ruleOf(world, id, 'unnamed'), { status: 'problem', openIncident: `${id}.1` }, 'not known: no result came')
  await results(world, id, 'name', true)
  t.match(await ruleOf(world, id, 'unnamed'), { status: 'ok' })
  for (const one of [first, second]) await one.stop()
})

t.test('v3 3.22 location whose unable prober stops or dies is silent after its grace', async t => {
  for (const how of ['stop', 'die'] as const) {
    const world = await setStage(shop)
    const one = await prober(world, unable)
    const id = await makeShop(world)
    await world.clock.advance(5 * minute)
    t.match(await ruleOf(world, id, 'unnamed'), { openIncident: null })
    await one[how]()
    t.strictSame(await cannotOf(world, id, 'name'), [null], how)
    await world.clock.advance(2 * minute)
    t.match(await ruleOf(world, id, 'unnamed'), { status: 'problem', openIncident: `${id}.1` }, how)
  }
})

t.test('v3 4.15 location that had a result goes on with it, and falls silent', async t => {
  const world = await setStage(shop)
  const first = await prober(world, able)
  const id = await makeShop(world)
  await results(world, id, 'name', true)
  await first.stop()
  const second = await prober(world, unable)
  await world.clock.advance(minute)
  t.match(await ruleOf(world, id, 'unnamed'), { status: 'ok', explanation: 'name ok, name known' })
  await world.clock.advance(16 * minute)
  t.match(await ruleOf(world, id, 'unnamed'), { status: 'problem' }, 'not known')
  await second.stop()
})

t.test('v3 3.22 next keeper finds what probers can do since, also of Resources that it has not read', async t => {
  const world = createWorld()
  await publish(world, readManifest(shop, { systemKeys: new Set(), destinations: [] }))
  const keeper = await world.startOne({ exclusive: true })
  const first = await prober(world, unable)
  const id = await makeShop(world)
  t.equal((await world.subject(id))?.readings['aaaa6']?.isUnmade, true)
  await keeper.service.stop()
  await first.stop()
  await world.startOne({ exclusive: true })
  await world.clock.advance(minute / 2)
  const reading = (await world.subject(id))?.readings['aaaa6']
  t.strictSame([reading?.cannot, reading?.isUnmade], [undefined, undefined])
})

t.test('v3 3.22 sentence of a result stays, whatever probers can do, until another result', async t => {
  const world = await setStage(shop)
  const one = await prober(world, unable)
  const id = await makeShop(world)
  await world.report(id, false, { signal: 'name', cannot: true, error: 'the prober knows no name server', statusCode: null })
  t.strictSame(await cannotOf(world, id, 'name'), ['the prober knows no name server'])
  await one.stop()
  t.strictSame(await cannotOf(world, id, 'name'), ['the prober knows no name server'])
})

t.test('v3 3.22 check of a system Template is left out as well; website monitors go on with every prober', async t => {
  const world = await setStage(shop)
  const one = await prober(world, null)
  const website = await world.create({ locations: ['aaaa'] })
  const icmp = { host: 'gateway.example', count: 3, max_lost: 2, max_ms: 60_000, ip_family: 'any', timeout_seconds: 3 }
  const watch = {
    locations: ['aaaa'],
    interval_seconds: 60,
    failure_mode: 'at_least_one',
    confirm_after: null,
    recover_after: null,
  }
  const machine = await world.create({ kind: 'icmp', ...icmp, ...watch } as never)
  await world.clock.advance(2 * minute)
  t.match((await world.subject(machine))?.readings['aaaa'], { at: null, cannot: older, isUnmade: true })
  t.strictSame(await world.incidents(machine), [])
  t.match(await ruleOf(world, website, 'availability'), { status: 'no_data' })
  await one.stop()
})

t.test('v3 3.22 Resource whose Template is missing is read as before', async t => {
  const world = await setStage(shop)
  const id = await makeShop(world)
  await world.store.delete('templates', ['w/shop@1'])
  const template = readManifest({ ...shop, version: 2 }, { systemKeys: new Set(), destinations: [] })
  await publish(world, template)
  const one = await prober(world, unable)
  t.match(await read(world, id), { id })
  await one.stop()
})
