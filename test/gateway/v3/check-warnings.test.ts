// Warnings about checks in a header, the bounds of the installation for checks, and Locations that cannot make a kind, over HTTP. Each title
// cites its rule of docs/reference/v3.md.
import t from 'tap'
import { headerOfWarnings, type Warning, warningsBytes, warningsHeader, warningsIn } from '#shared/api-v3/warnings.ts'
import { createDirectoryClient } from '#shared/bus/clients/clients.ts'
import { keys } from '#shared/bus/subjects.ts'
import type { LocationView } from '#shared/contracts/ask/ask-people.ts'
import { limits } from '#shared/limits/limits.ts'
import { warningsOf } from '../../../services/gateway/v3/resources/check-warnings.ts'
import { shop } from '../../keeper/resources/shop.ts'
import { type Answer, startApiWorld } from '../../support/worlds/api-world.ts'

const older = 'its probers are older than this check (2.0.0)'
const all = { website: null, http: null, tcp: null, dns: null }

async function start(options: Parameters<typeof startApiWorld>[0] = {}) {
  const world = await startApiWorld(options)
  t.teardown(() => world.stop())
  const token = (await world.addPerson('olga', { w1: 'owner' })).token
  const { ask } = createDirectoryClient(world.hub.connect(), world.clock)
  const call = (method: string, path: string, body?: object) =>
    world.call(method, `/api/v3${path}`, { token, ...(body && { body }) })
  const place = async (name: string) => (await ask('ensure-location', { name })).id
  const beat = async (location: string, state: object, id = 'p1') => {
    await world.hub.connect().bucket('presence').put(keys.proberPresence(location, id), state)
    await world.clock.advance(limits.http.locationNamesMs)
  }
  const create = (key: string, template: string, meta: object) =>
    call('POST', '/workspaces/w1/resources', { template, key, name: key, meta })
  t.equal((await call('POST', '/workspaces/w1/templates', shop)).status, 201)
  return { world, call, place, beat, create }
}

const warningsOfAnswer = ({ headers }: Answer): Warning[] => warningsIn(headers.get(warningsHeader))

t.test('creation and PATCH warn of Locations without a prober, and of those that cannot make the check (v3 6.12)', async t => {
  const { place, beat, create, call } = await start()
  const [berlin, paris, rome] = [await place('berlin'), await place('paris'), await place('römisch')]
  await beat(berlin, { version: '3.0.0', kinds: all, perSecond: 1 })
  await beat(paris, { version: '2.0.0' })
  const plain = await create('one', 'tcp-check', { host: 'a.example', port: 1, locations: [berlin] })
  t.match(plain, { status: 201 })
  t.equal(plain.headers.get(warningsHeader), null)
  const made = await create('two', 'tcp-check', { host: 'a.example', port: 1, locations: [berlin, paris, rome] })
  t.equal(made.status, 201)
  t.strictSame(warningsOfAnswer(made), [
    { field: 'locations', text: `paris cannot make this check: ${older}` },
    { field: 'locations', text: 'No prober runs at römisch' },
  ])
  t.match(made.headers.get(warningsHeader), /^[ -~]*$/, 'ASCII')
  const own = await create('three', 'shop', { host: 'a.example', places: [paris] })
  t.strictSame(warningsOfAnswer(own), [{ field: 'places', text: `paris cannot make this check: ${older}` }])
  const patched = await call('PATCH', '/workspaces/w1/resources/one', { meta: { locations: [rome] } })
  t.strictSame([patched.status, warningsOfAnswer(patched)], [200, [{ field: 'locations', text: 'No prober runs at römisch' }]])
  const renamed = await call('PATCH', '/workspaces/w1/resources/one', { name: 'First' })
  t.strictSame([renamed.status, warningsOfAnswer(renamed)], [200, []])
  const website = await create('four', 'website-check', { url: 'http://a.example/', locations: [paris], interval_value: 1 })
  t.strictSame([website.status, warningsOfAnswer(website)], [201, []], 'every prober checks websites')
})

t.test('Locations that are nearly full are warned of, unless a change adds no checks (v3 6.12)', t => {
  const check = { signal: null, kind: 'tcp', everySeconds: 10, locations: ['aaaa'] }
  const location = (perSecond: number): LocationView => ({
    ...{ id: 'aaaa', name: 'fra', displayName: 'Frankfurt', activeWorkers: 1, lastSeenAt: 0, unable: {} },
    load: { perSecond, most: 2_000 },
  })
  t.strictSame(warningsOf([check], [], [location(1_599.9)]), [])
  const text = 'Frankfurt makes 1600.1 checks a second then, of 2000 that its probers can make'
  t.strictSame(warningsOf([check], [], [location(1_600)]), [{ signal: null, text }])
  t.strictSame(warningsOf([check], [check], [location(1_900)]), [], 'nothing is added')
  t.strictSame(warningsOf([check], [{ ...check, everySeconds: 5 }], [location(1_900)]), [])
  t.strictSame(warningsOf([check], [{ ...check, locations: ['bbbb'] }], [location(1_900)]).length, 1)
  t.strictSame(warningsOf([check], [], [{ ...location(0), activeWorkers: 0, load: { perSecond: 0, most: 0 } }]).length, 1)
  t.end()
})

t.test('header of warnings is ASCII of at most 2 KiB, and a reader takes nothing else (v3 6.12)', t => {
  const warning = { field: 'locations', text: 'No prober runs at \u{1f600} "x"\u007f' }
  t.strictSame(warningsIn(headerOfWarnings([warning])), [warning])
  t.equal(headerOfWarnings([]), '')
  const many = Array.from({ length: 64 }, (_, i) => ({ ...warning, text: `${'x'.repeat(80)}${i}` }))
  const value = headerOfWarnings(many)
  t.ok(value.length <= warningsBytes && value.length > warningsBytes - 150)
  t.strictSame(warningsIn(value), many.slice(0, warningsIn(value).length))
  for (const other of [null, '', 'text', '{}', '[1, {"field": 1}]', `[${' '.repeat(3_000)}]`]) t.strictSame(warningsIn(other), [])
  t.end()
})

t.test('kinds that probers of a Location cannot make are listed with the reason (v3 3.22)', async t => {
  const { place, beat, call, create } = await start()
  const [berlin, paris] = [await place('berlin'), await place('paris')]
  await beat(berlin, { version: '3.0.0', kinds: { ...all, icmp: 'no pings here' } })
  await beat(paris, { version: '2.0.0' })
  const kinds = (await call('GET', '/checks')).json.result as { type: string; unable: object[] }[]
  const unableOf = (type: string) => kinds.find(kind => kind.type === type)?.unable
  t.strictSame(unableOf('tcp'), [{ location: { id: paris, name: 'paris' }, cannot: older }])
  t.strictSame(unableOf('icmp')?.[0], { location: { id: berlin, name: 'berlin' }, cannot: 'no pings here' })
  await create('one', 'shop', { host: 'a.example', places: [berlin, paris, await place('rome')] })
  const { checks } = (await call('GET', '/workspaces/w1/resources/one')).json.result
  t.match(checks[0].locations, [{ cannot: null }, { cannot: older }, { cannot: 'no prober runs there' }])
})

t.test('try at a Location where no prober can make it says why (v3 6.10)', async t => {
  const { place, beat, call } = await start()
  const [berlin, paris] = [await place('berlin'), await place('paris')]
  await beat(berlin, { version: '2.0.0' })
  const meta = { host: 'a.example', port: 1, locations: [berlin, paris] }
  const { json } = await call('POST', '/workspaces/w1/checks/try', { template: 'tcp-check', meta })
  t.match(json.result, [
    { location: { name: 'berlin' }, outcome: 'no_answer', error: older },
    { location: { name: 'paris' }, outcome: 'no_answer', error: 'no prober runs there' },
  ])
})

const refused = ({ status, json }: Answer) => [status, json.error?.details.field, json.error?.message]

t.test('interval below the least one of the installation is refused when it is sent (v3 6.13)', async t => {
  const options = { checkBounds: { intervalMin: 120, perMinute: 0 } }
  const { world, place, create, call } = await start(options)
  const berlin = await place('berlin')
  const meta = { host: 'a.example', port: 1, locations: [berlin] }
  const sentence = (field: string) => `Field '${field}' must be at least 120 seconds: this installation checks no more often`
  const before = await world.dump()
  t.strictSame(
    refused(await create('one', 'tcp-check', meta)),
    [422, 'interval_seconds', sentence('interval_seconds')],
    'default',
  )
  const short = { ...meta, interval_seconds: 119 }
  t.strictSame(refused(await create('one', 'tcp-check', short)), [422, 'interval_seconds', sentence('interval_seconds')])
  const website = { url: 'http://a.example/', locations: [berlin], interval_value: 1 }
  t.strictSame(refused(await create('one', 'website-check', website)), [422, 'interval_value', sentence('interval_value')])
  const own = { host: 'a.example', places: [berlin], every: 60 }
  t.strictSame(refused(await create('one', 'shop', own)), [422, 'every', sentence('every')])
  t.equal(await world.dump(), before, 'nothing is stored')
  t.equal((await create('one', 'tcp-check', { ...meta, interval_seconds: 120 })).status, 201)
  t.equal((await create('two', 'shop', { ...own, every: 120 })).status, 201)
  const change = (key: string, answers: object) => call('PATCH', `/workspaces/w1/resources/${key}`, { meta: answers })
  t.strictSame(refused(await change('one', { interval_seconds: 60 }))[1], 'interval_seconds')
  t.strictSame(refused(await change('one', { interval_seconds: null }))[1], 'interval_seconds', 'the default')
  t.strictSame(refused(await change('two', { every: 90 }))[1], 'every')
  t.equal((await change('one', { port: 2 })).status, 200)
  t.equal((await change('two', { host: 'b.example' })).status, 200)
})

t.test('what is stored goes on below a least interval that was raised (v3 6.13)', async t => {
  const bounds = { intervalMin: 10, perMinute: 0 }
  const { place, create, call } = await start({ checkBounds: bounds })
  const berlin = await place('berlin')
  await create('one', 'tcp-check', { host: 'a.example', port: 1, locations: [berlin], interval_seconds: 10 })
  bounds.intervalMin = 3_600
  t.equal((await call('PATCH', '/workspaces/w1/resources/one', { meta: { port: 2 } })).status, 200)
})

t.test('checks beyond the bound of a workspace are refused, and a change that adds none is not (v3 6.13)', async t => {
  const bounds = { intervalMin: 10, perMinute: 20 }
  const { place, create, call, world } = await start({ checkBounds: bounds })
  const [berlin, paris] = [await place('berlin'), await place('paris')]
  const meta = { host: 'a.example', port: 1, locations: [berlin], interval_seconds: 10 }
  const change = (key: string, answers: object) => call('PATCH', `/workspaces/w1/resources/${key}`, { meta: answers })
  t.equal((await create('one', 'tcp-check', meta)).status, 201, '6 a minute')
  t.equal((await create('two', 'tcp-check', { ...meta, locations: [berlin, paris] })).status, 201, '18')
  await world.clock.advance(1_000)
  const [status, field, message] = refused(await create('three', 'tcp-check', meta))
  t.strictSame([status, field], [422, 'interval_seconds'])
  t.match(message, /^The workspace would ask for 24 checks a minute, and this installation allows 20: check less often/)
  t.strictSame(refused(await change('one', { locations: [berlin, paris] }))[1], 'interval_seconds')
  t.strictSame(refused(await create('three', 'shop', { host: 'a.example', places: [berlin], every: 10 }))[1], 'every')
  t.equal((await create('three', 'tcp-check', { ...meta, interval_seconds: 60 })).status, 201, '19')
  bounds.perMinute = 1
  t.equal((await change('two', { port: 2 })).status, 200)
  t.equal((await change('two', { interval_seconds: 20 })).status, 200, 'fewer than before')
  t.equal((await change('three', { locations: [paris] })).status, 200, 'as many as before')
  t.strictSame(
    refused(await create('four', 'website-check', { url: 'http://a.example/', locations: [berlin], interval_value: 1 }))[1],
    'interval_value',
  )
})
