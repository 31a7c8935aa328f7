// Templates with checks and their Resources over HTTP, up to the results of checks. Each title cites its rule of docs/reference/v3.md.
import t from 'tap'
import { createDirectoryClient } from '#shared/bus/clients/clients.ts'
import type { Template } from '#shared/contracts/resources/template.ts'
import type { Reading, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { day, hour, minute } from '#shared/limits/limits.ts'
import { addReport, type Bucket, emptyBucket } from '#shared/roll-up/bucket.ts'
import { packBuckets } from '#shared/roll-up/packed.ts'
import { rollUpId } from '#shared/roll-up/roll-up-ids.ts'
import { newSealingKey } from '#shared/secrecy/seals.ts'
import { noReports } from '../../../services/keeper/loading/stored-reports.ts'
import { step } from '../../../services/keeper/step/step.ts'
import { nothingHeld } from '../../../services/keeper/step/types.ts'
import { shop } from '../../keeper/resources/shop.ts'
import { type ApiWorld, type CallOptions, startApiWorld } from '../../support/worlds/api-world.ts'

let world: ApiWorld
let owner: string
let viewer: string
let berlin: string
let paris: string
t.before(async () => {
  world = await startApiWorld({ secretsKey: newSealingKey() })
  owner = (await world.addPerson('olga', { w1: 'owner' })).token
  viewer = (await world.addPerson('vera', { w1: 'viewer' })).token
  const { ask } = createDirectoryClient(world.hub.connect(), world.clock)
  berlin = (await ask('ensure-location', { name: 'berlin' })).id
  paris = (await ask('ensure-location', { name: 'paris' })).id
  t.match(await call('POST', '/workspaces/w1/templates', { body: shop }), { status: 201 })
})
t.teardown(() => world.stop())

const call = (method: string, path: string, options: CallOptions = {}) =>
  world.call(method, `/api/v3${path}`, { token: owner, ...options })
const resources = '/workspaces/w1/resources'
const secret = 'hello-from-us'
const meta = () => ({ host: 'shop.example', places: [berlin, paris], hello: secret })

async function create(key: string, answers: object = {}) {
  const { status, json } = await call('POST', resources, {
    body: { template: 'shop', key, name: 'Shop', meta: { ...meta(), ...answers } },
  })
  t.equal(status, 201, JSON.stringify(json))
  return json.result
}

/** Steps a result as a keeper does, and stores what the step says. */
async function report(id: string, signal: string, locationId: string, ok: boolean) {
  const [subject = null] = await world.store.get('subjects', [id])
  const [document] = await world.store.get('templates', ['w1/shop@1'])
  const at = world.clock.now()
  const phases = { dnsMs: 0, connectMs: 1, tlsMs: null, firstByteMs: 2, totalMs: 12 }
  const error = ok ? null : 'connection refused'
  const result = { rev: 1, signal, slotAt: at, ageMs: 0, ok, error, statusCode: null, phases, value: ok ? 12 : null }
  const stepped = step(
    subject,
    { kind: 'result', subjectId: id, at, stampedAt: at, locationId, result },
    {
      ...{ now: at, held: nothingHeld, confirmAfterMs: 0, closeAfterMs: 0, stored: noReports },
      templateOf: () => document?.template as Template,
    },
  )
  if (stepped.observation !== null) await world.store.insert('observations', [stepped.observation])
  await world.clock.advance(1)
  if (stepped.subject !== null)
    await world.store.replace('subjects', [{ ...stepped.subject, rev: stepped.subject.rev + 1, outbox: [] }])
}

t.test('Template is published with checks and read back as published (v3 3.21)', async t => {
  const { json } = await call('GET', '/workspaces/w1/templates/shop')
  t.match(json.result.signals[0], {
    key: 'page',
    kind: 'check',
    every_seconds: null,
    every: { meta: 'every' },
    agreement: { meta: 'needed' },
  })
  t.match(json.result.fields.at(-1), { key: 'hello', type: 'secret', default: null })
  const odd = { ...shop, version: 2, signals: [{ ...shop.signals[0], check: { type: 'tcp', host: 'a.example', gate: 1 } }] }
  t.match(await call('POST', '/workspaces/w1/templates', { body: odd }), {
    status: 400,
    json: { error: { details: { field: 'signals.0.check.gate' } } },
  })
})

t.test('Resource shows each check with the newest result of each Location by name (v3 6.11)', async t => {
  const { id, checks, signals } = await create('one')
  t.match(checks, [
    {
      ...{ signal: 'page', type: 'tcp', every_seconds: 60, agreement: 'any' },
      locations: [
        { id: berlin, name: 'berlin', state: null, value: null, at: null, reason: null, cannot: 'no prober runs there' },
        { name: 'paris' },
      ],
    },
    { signal: 'name', type: 'dns', every_seconds: 300, agreement: 'all' },
  ])
  t.match(signals[0], { id: `page@${berlin}`, key: `page@${berlin}`, kind: 'check', states: ['ok', 'problem'] })
  await report(id, 'page', berlin, true)
  await report(id, 'page', paris, false)
  await report(id, 'name', paris, true)
  const { json } = await call('GET', `${resources}/one`)
  t.match(json.result.checks[0].locations, [
    { state: 'ok', value: 12 },
    { state: 'problem', reason: 'connection refused' },
  ])
  t.match(json.result.rules[0], { key: 'down', status: 'problem', explanation: 'page problem at 1 of 2 locations' })
  t.notOk('checks' in (await call('GET', `${resources}?template=shop`)).json.result[0], 'items of lists stay as they are')
})

t.test('Observation log has the results of a pair, or of all pairs of a signal (v3 7.8)', async t => {
  const log = async (query: string) => (await call('GET', `${resources}/one/observations${query}`)).json.result
  t.equal((await log('')).length, 3)
  t.match(await log('?signal=page'), [
    { signal: `page@${paris}`, location: paris, state: 'problem', value: null, source: 'worker', reason: 'connection refused' },
    { signal: `page@${berlin}`, location: berlin, state: 'ok', value: 12 },
  ])
  t.match(await log(`?signal=name@${paris}`), [{ signal: `name@${paris}`, state: 'ok' }])
  t.strictSame(await log(`?signal=name@${berlin}`), [])
})

t.test('values of a pair are charted (v3 13)', async t => {
  const { json } = await call('GET', `${resources}/one/values?signal=page@${berlin}&figures=mean`)
  t.match(json.result, { signal: `page@${berlin}` })
  t.ok(json.result.figures.mean.includes(12))
})

t.test('figures say what the checks found to end first, from the newest value of each Location (v3 13.1)', async t => {
  const meta = { target: 'shop.example', locations: [berlin, paris] }
  const body = { template: 'certificate-check', key: 'cert', name: 'Certificate', meta }
  const { id } = (await call('POST', resources, { body })).json.result
  const ends = async () => (await call('GET', `/workspaces/w1/figures?resources=${id}`)).json.result[0].ends
  t.equal(await ends(), null, 'nothing was read')
  const start = Math.floor(world.clock.now() / hour) * hour
  const rolled = async (location: string, at: number, ...days: number[]) => {
    const buckets = Array.from({ length: 12 }, () => emptyBucket())
    for (const [i, value] of days.entries()) addReport(buckets[i] as Bucket, true, value)
    const data = packBuckets(buckets.map(bucket => (bucket.count === 0 ? null : bucket)))
    await world.store.upsert('rollUps', [{ id: rollUpId(id, { kind: 'location', id: location }, 'hour', at), data }])
  }
  await rolled(paris, start - 2 * hour, 3)
  await rolled(paris, start - hour, 90, 60.5)
  await rolled(berlin, start - hour, 61)
  const at = start - hour + 5 * minute + 60.5 * day
  t.strictSame(await ends(), { what: 'certificate', at: new Date(at).toISOString() }, 'it was renewed two hours ago')
  const [subject] = await world.store.get('subjects', [id])
  const reading = { ...(subject as SubjectDocument).readings[berlin], at: start, totalMs: 1 } as Reading
  const readings = { ...(subject as SubjectDocument).readings, [berlin]: reading }
  await world.store.upsert('subjects', [{ ...(subject as SubjectDocument), readings }])
  t.match(await ends(), { at: new Date(start + day).toISOString() }, 'a newer reading that is not rolled up')
  t.equal((await call('GET', `/workspaces/w1/figures?resources=${(await create('unending')).id}`)).json.result[0].ends, null)
})

t.test('a secret is sealed before the keeper gets it, and nobody reads it (v3 3.21)', async t => {
  const { id, meta: shown } = await create('two')
  t.match(shown, { hello: '[redacted]' })
  t.match((await call('GET', `${resources}/two`, { token: viewer })).json.result.meta, { hello: '[redacted]' })
  const stored = JSON.stringify(await world.store.get('subjects', [id]))
  t.match(stored, /sealed:/)
  t.notMatch(stored + JSON.stringify(world.keeper.commands), new RegExp(secret))
  const change = (sent: object) => call('PATCH', `${resources}/two`, { body: { meta: sent } })
  t.match(await change({ slow_ms: 100 }), { status: 200, json: { result: { meta: { hello: '[redacted]' } } } })
  t.match(await change({ host: 'evil.example' }), { status: 422, json: { error: { details: { field: 'hello' } } } })
  t.match(await change({ host: 'evil.example', hello: 'other' }), { status: 200 })
  t.match(await call('GET', `${resources}?template=shop&meta.hello=x`), { status: 422 })
})

t.test('every fault of an answer names its field, and stores nothing (v3 3.21)', async t => {
  for (const [answers, field] of [
    [{ places: ['nowhere'] }, 'places'],
    [{ port: 0 }, 'port'],
    [{ every: 5 }, 'every'],
    [{ hello: '[redacted]' }, 'hello'],
    [{ hello: 'x'.repeat(2_000) }, 'hello'],
  ] as const) {
    const body = { template: 'shop', key: 'odd', name: 'Shop', meta: { ...meta(), ...answers } }
    t.match(await call('POST', resources, { body }), { status: 422, json: { error: { details: { field } } } }, field)
  }
  t.match(await call('PATCH', `${resources}/one`, { body: { meta: { places: ['nowhere'] } } }), { status: 422 })
  t.match(await call('GET', `${resources}/odd`), { status: 404 })
})

t.test('an address makes a Resource with checks only if it is bound to its Template (v3 8.4)', async t => {
  const address = async (template?: string) =>
    (await call('POST', '/workspaces/w1/addresses', { body: template === undefined ? {} : { template } })).json.result
      .token as string
  const body = { resource: 'three', template_id: 'shop', meta: meta(), signal: 'till', state: 'ok' }
  const first = (token: string, sent: object = body) => world.call('POST', `/in/${token}`, { body: sent })
  t.match(await first(await address()), { status: 422, json: { error: { details: { field: 'template_id' } } } })
  const bound = await address('shop')
  t.match(await first(bound), { status: 202 })
  t.match((await call('GET', `${resources}/three`)).json.result, { meta: { hello: '[redacted]' }, checks: [{}, {}] })
  t.match(await first(bound, { resource: 'three', signal: `page@${berlin}`, state: 'ok' }), { status: 422 })
})
