// Checked signals of Resources in the keeper, on memory bus and store with a clock that the test moves. Reference: docs/reference/v3.md,
// 3.21 and 4.15.
import t from 'tap'
import type { CheckList } from '#shared/contracts/observations/check.ts'
import { readManifest } from '#shared/manifest/read-manifest.ts'
import { createSeals, newSealingKey, type Seals } from '#shared/secrecy/seals.ts'
import { checkObservationId } from '#shared/text/ids.ts'
import { entryAt, putPaged } from '../../support/check-entries.ts'
import { minute } from '../world.ts'
import { create, observe, publish, read, ruleOf, setStage, type World } from './resource-world.ts'
import { shop } from './shop.ts'

const places = ['aaaa', 'bbbb']

async function setShop(answers: object = {}, document: object = shop) {
  const world = await setStage(document)
  const sent = { host: 'shop.example', places, ...answers }
  const { id, reply } = await create(world, { template: 'shop@1', answers: sent })
  t.match(reply, { ok: true })
  return { world, id }
}

const listAt = async (world: World, id: string, location = 'aaaa') =>
  (await entryAt(world.client, location, id)) as CheckList | null

/** Reports results of the signal from these locations, all at once. */
async function results(world: World, id: string, signal: string, oks: Readonly<Record<string, boolean>>, over: object = {}) {
  for (const [location, ok] of Object.entries(oks)) await world.report(id, ok, { signal, ...over }, location)
}

t.test('entry of each location lists all checks with their sources, defaults and answers (v3 3.21)', async t => {
  const { world, id } = await setShop()
  t.match(await listAt(world, id), {
    schema: 2,
    rev: 1,
    checks: [
      {
        signal: 'page',
        source: 'aaaa',
        kind: 'tcp',
        intervalMs: minute,
        options: { host: 'shop.example', port: 443, tls: false },
      },
      { signal: 'name', source: 'aaaa6', kind: 'dns', intervalMs: 5 * minute, options: { name: 'shop.example', record: 'A' } },
    ],
  })
  t.match((await listAt(world, id, 'bbbb'))?.checks, [{ source: 'bbbb' }, { source: 'bbbb6' }])
  t.match((await read(world, id)).signals, [
    { key: 'page@aaaa', kind: 'check', isPlatform: true },
    { key: 'page@bbbb' },
    { key: 'name@aaaa' },
    { key: 'name@bbbb' },
    { id: 's1', key: 'till', kind: 'event', isPlatform: false },
  ])
})

t.test('results of each signal judge its rules alone, and are stored under their own sources (v3 4.15)', async t => {
  const { world, id } = await setShop()
  await results(world, id, 'page', { aaaa: true, bbbb: false })
  t.match(await ruleOf(world, id, 'down'), { status: 'problem', explanation: 'page problem at 1 of 2 locations' })
  t.match(await ruleOf(world, id, 'unnamed'), { status: null })
  const slotAt = world.clock.now()
  await results(world, id, 'name', { aaaa: true, bbbb: true }, { slotAt })
  t.match(await ruleOf(world, id, 'unnamed'), { status: 'ok', explanation: 'name ok at 2 of 2 locations, name known' })
  t.equal((await world.store.get('observations', [checkObservationId(id, 'aaaa6', slotAt)]))[0]?.ok, 1)
  t.match((await read(world, id)).checks, [
    {
      signal: 'page',
      type: 'tcp',
      agreement: 'any',
      locations: [
        { id: 'aaaa', state: 'ok', value: 3 },
        { id: 'bbbb', state: 'problem' },
      ],
    },
    { signal: 'name', type: 'dns', agreement: 'all', everySeconds: 300 },
  ])
  await results(world, id, 'page', { bbbb: true })
  t.match(await world.incidents(id), [{ ruleKey: 'down', open: 0, closedReason: 'recovered' }])
})

t.test('results without a signal, of an unknown one or from another location change nothing', async t => {
  const { world, id } = await setShop()
  await world.report(id, false)
  await results(world, id, 'till', { aaaa: false })
  await results(world, id, 'page', { cccc: false })
  t.match(await ruleOf(world, id, 'down'), { status: null })
  t.strictSame(await world.store.find('observations', { limit: 10 }), [])
})

t.test('result that changes no comparison commits nothing; a value that crosses an operand does', async t => {
  const { world, id } = await setShop()
  const phases = (totalMs: number) => ({ phases: { dnsMs: 0, connectMs: 1, tlsMs: null, firstByteMs: 2, totalMs } })
  await results(world, id, 'page', { aaaa: true, bbbb: true }, phases(400))
  await results(world, id, 'name', { aaaa: true, bbbb: true })
  await observe(world, id, { signal: 'till' })
  const { rev } = (await world.subject(id)) ?? { rev: 0 }
  await world.clock.advance(minute)
  await results(world, id, 'page', { aaaa: true, bbbb: true }, phases(499))
  t.equal((await world.subject(id))?.rev, rev)
  t.match(await ruleOf(world, id, 'slow'), { status: 'ok', explanation: 'page 499 at 2 of 2 locations, till ok' })
  await world.clock.advance(minute)
  await results(world, id, 'page', { aaaa: true }, phases(501))
  t.match(await ruleOf(world, id, 'slow'), { status: 'problem', explanation: 'page 501 at 1 of 2 locations, till ok' })
  t.ok(((await world.subject(id))?.rev ?? 0) > rev)
})

t.test('silent locations make a comparison unknown, which holds, and are not known (v3 4.15)', async t => {
  const { world, id } = await setShop()
  t.match(await ruleOf(world, id, 'unnamed'), { explanation: null }, 'young at first')
  await results(world, id, 'page', { aaaa: false, bbbb: false })
  await results(world, id, 'name', { aaaa: true, bbbb: true })
  await world.clock.advance(4 * minute)
  t.match(await ruleOf(world, id, 'down'), { status: 'no_data', openIncident: `${id}.1` })
  await world.clock.advance(13 * minute)
  t.match(await ruleOf(world, id, 'unnamed'), { status: 'problem' })
  t.match(await world.incidents(id), [
    { ruleKey: 'down', open: 1 },
    { ruleKey: 'unnamed', open: 1 },
  ])
})

t.test('signal that never reports is not known after its grace', async t => {
  const { world, id } = await setShop()
  await world.clock.advance(minute / 2)
  t.match(await ruleOf(world, id, 'unnamed'), { status: null, openIncident: null })
  await world.clock.advance(minute)
  t.match(await ruleOf(world, id, 'unnamed'), { status: 'problem', openIncident: `${id}.1` })
})

t.test('location where no check could be made is left out, and the words say so (v3 4.15)', async t => {
  const { world, id } = await setShop()
  const cannot = { ok: false, cannot: true as const, error: 'no name server', statusCode: null }
  await results(world, id, 'page', { aaaa: false }, cannot)
  await results(world, id, 'page', { bbbb: false })
  t.match(await ruleOf(world, id, 'down'), { status: 'problem', explanation: 'page problem (1 location cannot: no name server)' })
  await results(world, id, 'name', { aaaa: false, bbbb: false }, cannot)
  t.match(await ruleOf(world, id, 'unnamed'), { status: null })
})

t.test('PATCH writes changed entries, keeps readings of the same target, and makes a new target young (v3 4.15)', async t => {
  const { world, id } = await setShop()
  await results(world, id, 'page', { aaaa: false, bbbb: true })
  const change = (answers: object) => world.command(id, { kind: 'update-resource', name: null, labels: null, answers } as never)
  t.match(await change({ slow_ms: 100 }), { ok: true })
  t.equal((await listAt(world, id))?.rev, 1, 'nothing that checks read')
  t.match(await change({ every: 30 }), { ok: true })
  t.match((await listAt(world, id))?.checks, [{ signal: 'page', intervalMs: minute / 2 }, { signal: 'name' }])
  t.match(await ruleOf(world, id, 'down'), { status: 'problem' })
  t.match(await change({ port: 8443 }), { ok: true })
  t.match(await ruleOf(world, id, 'down'), { status: null, openIncident: `${id}.1` }, 'the Incident goes on')
  t.match(await change({ places: ['bbbb', 'cccc'] }), { ok: true })
  t.equal(await listAt(world, id), null)
  t.match((await listAt(world, id, 'cccc'))?.checks, [{ source: 'cccc' }, { source: 'cccc6' }])
  t.match(await change({ every: 9 }), { ok: false, error: { facts: { field: 'every' } } })
  t.match(await change({ port: 0 }), { ok: false, error: { facts: { field: 'port' } } })
})

t.test('a stored secret stays while its check goes to the same place, and is shown to nobody (v3 3.21)', async t => {
  const sealed = `sealed:${'k'.repeat(8)}:abc`
  const { world, id } = await setShop({ hello: sealed })
  t.match((await read(world, id)).answers, { hello: '[redacted]' })
  t.match((await listAt(world, id))?.checks, [{ options: { send: sealed } }, {}])
  const change = (answers: object) => world.command(id, { kind: 'update-resource', name: null, labels: null, answers } as never)
  t.match(await change({ hello: '[redacted]', slow_ms: 5 }), { ok: true })
  t.match(await change({ host: 'evil.example' }), { ok: false, error: { facts: { field: 'hello' } } })
  t.match((await listAt(world, id))?.checks, [{ options: { host: 'shop.example' } }, {}])
  t.match(await change({ host: 'other.example', hello: `${sealed}d` }), { ok: true })
  t.match(await change({ hello: '' }), { ok: true })
  t.match((await read(world, id)).answers, { hello: undefined })
})

t.test('rebind keeps the source of a signal, gives a new one to another type, and none twice (v3 3.21)', async t => {
  const { world, id } = await setShop()
  await results(world, id, 'page', { aaaa: false, bbbb: true })
  const [page, name, till] = shop.signals
  const revision = (version: number, signals: object[], rules: object[] = [shop.rules[0] as object]) =>
    publish(world, readManifest({ ...shop, version, signals, rules }, { systemKeys: new Set(), destinations: [] }))
  await revision(2, [{ ...name, key: 'zone' }, page as object, till as object])
  const bind = (version: number) =>
    world.command(id, { kind: 'rebind-resource', workspaceId: 'w', template: `shop@${version}`, answers: {} } as never)
  t.match(await bind(2), { ok: true })
  t.match((await listAt(world, id))?.checks, [
    { signal: 'zone', source: 'aaaa7' },
    { signal: 'page', source: 'aaaa' },
  ])
  t.match(await ruleOf(world, id, 'down'), { status: 'problem' }, 'readings stay')
  const ping = { type: 'icmp', host: { meta: 'host' } }
  await revision(3, [{ ...page, check: ping }])
  t.match(await bind(3), { ok: true })
  t.match((await listAt(world, id))?.checks, [{ signal: 'page', kind: 'icmp', source: 'aaaa8' }])
  t.match(await ruleOf(world, id, 'down'), { status: null }, 'another type begins anew')
  await revision(4, [page as object])
  t.match(await bind(4), { ok: true })
  t.match((await listAt(world, id))?.checks, [{ signal: 'page', source: 'aaaa' }])
})

t.test('senders may report on a pair until the next check, and not on the signal itself (v3 7.4)', async t => {
  const { world, id } = await setShop()
  t.match(await observe(world, id, { signal: 'page@aaaa', state: 'problem' }), [{ ok: true, signal: 'page@aaaa' }])
  t.match(await ruleOf(world, id, 'down'), { status: 'problem' })
  await world.clock.advance(1)
  await results(world, id, 'page', { aaaa: true, bbbb: true })
  t.match(await ruleOf(world, id, 'down'), { status: 'ok' })
  t.match(await observe(world, id, { signal: 'page' }, { signal: 'page@cccc' }, { signal: 'page', signalKind: 'event' }), [
    { ok: false, error: { facts: { field: 'signal' } } },
    { ok: false, error: { facts: { field: 'signal' } } },
    { ok: false, error: { facts: { field: 'signal' } } },
  ])
})

t.test('archive and deletion remove the entries; an archived Resource still shows its readings', async t => {
  const { world, id } = await setShop()
  await results(world, id, 'page', { aaaa: false, bbbb: true })
  t.match(await world.command(id, { kind: 'archive-resource' } as never), { ok: true })
  t.equal(await listAt(world, id), null)
  t.match((await read(world, id)).checks, [{ locations: [{ state: 'problem' }, { state: 'ok' }] }, {}])
  const other = await setShop()
  await other.world.command(other.id, { kind: 'delete-subject' } as never)
  t.equal(await listAt(other.world, other.id), null)
})

t.test('keeper that takes over writes lost lists again, and goes on with the readings', async t => {
  const { world, id } = await setShop()
  await results(world, id, 'page', { aaaa: false, bbbb: true })
  await world.clock.advance(minute)
  await results(world, id, 'page', { bbbb: true })
  const before = await listAt(world, id)
  await putPaged(world.client, 'aaaa', id, null)
  await world.startOne({ exclusive: true })
  await world.clock.advance(2 * minute)
  t.strictSame(await listAt(world, id), before)
  t.match(await ruleOf(world, id, 'down'), { status: 'problem' })
})

t.test('at most 64 pairs, and every fault of an answer names its field (v3 3.21)', async t => {
  const world = await setStage(shop)
  const many = Array.from({ length: 33 }, (_, i) => `a${String(i).padStart(3, '0')}`)
  for (const [answers, field] of [
    [{ places: many }, 'places'],
    [{ host: 'no host' }, 'host'],
    [{ port: 70_000 }, 'port'],
    [{ every: 86_401 }, 'every'],
    [{ hello: '[redacted]' }, 'hello'],
    [{ places: [] }, 'places'],
  ] as const) {
    const { id, reply } = await create(world, { template: 'shop@1', answers: { host: 'shop.example', places, ...answers } })
    t.match(reply, { ok: false, error: { code: 'validation', facts: { field } } }, JSON.stringify(answers))
    t.equal(await world.subject(id), null)
  }
})

const withNoData = { ...shop, rules: shop.rules.map(rule => ({ ...rule, unknown: 'no_data' })) }

t.test('unknown result of a rule with no data opens, confirms and closes an Incident (v3 4.16)', async t => {
  const { world, id } = await setShop({}, { ...withNoData, rules: withNoData.rules.slice(0, 1) })
  t.match(await ruleOf(world, id, 'down'), { status: null }, 'young')
  await results(world, id, 'page', { aaaa: true, bbbb: true })
  await world.clock.advance(4 * minute)
  t.match(await ruleOf(world, id, 'down'), { status: 'no_data', standing: 'no_data', openIncident: `${id}.1` })
  const [alert] = await world.alerts(id)
  t.match(alert, { kind: 'no_data', facts: { ruleKey: 'down' } })
  await results(world, id, 'page', { aaaa: true, bbbb: false })
  t.match(await ruleOf(world, id, 'down'), { status: 'problem', openIncident: `${id}.1` })
  await results(world, id, 'page', { bbbb: true })
  t.match(await world.incidents(id), [{ ruleKey: 'down', open: 0, closedReason: 'recovered' }])
})

t.test('rule with no data that cannot be checked anywhere says so and opens nothing (v3 4.16)', async t => {
  const { world, id } = await setShop({}, withNoData)
  await results(world, id, 'name', { aaaa: false, bbbb: false }, { cannot: true, error: 'no name server' })
  await world.clock.advance(10 * minute)
  const explanation = 'name cannot be checked (no name server), name cannot be checked (no name server)'
  t.match(await ruleOf(world, id, 'unnamed'), { status: 'no_data', explanation, openIncident: null })
})

t.test('Incident ends when nobody can check the new target, because it could never end otherwise (v3 4.15)', async t => {
  const { world, id } = await setShop()
  const failed = { aaaa: false, bbbb: false }
  const cannot = { cannot: true as const, error: 'no name server' }
  await results(world, id, 'page', failed)
  await results(world, id, 'name', failed)
  const open = async () => (await world.incidents(id)).filter(one => one.open === 1).map(one => one.ruleKey)
  t.strictSame((await open()).toSorted(), ['down', 'unnamed'])
  await world.clock.advance(1)
  await results(world, id, 'name', failed, cannot)
  t.strictSame((await open()).toSorted(), ['down', 'unnamed'], 'the old target was checked')
  const answers = { host: 'other.example' }
  await world.command(id, { kind: 'update-resource', name: null, labels: null, answers } as never)
  await world.clock.advance(1)
  await results(world, id, 'name', { aaaa: false }, { ...cannot, rev: 100 })
  t.strictSame((await open()).toSorted(), ['down', 'unnamed'])
  await results(world, id, 'name', { bbbb: false }, { ...cannot, rev: 100 })
  t.strictSame(await open(), ['down'])
  t.match(
    (await world.incidents(id)).find(one => one.ruleKey === 'unnamed'),
    { closedReason: 'rule_removed' },
  )
})

t.test(
  'secret that is sealed anew reaches the check entries; results stay, and a secret that was set meanwhile stays',
  async t => {
    const [old, next] = [newSealingKey(), newSealingKey()].map(key => createSeals(key) as Seals) as [Seals, Seals]
    const from = old.seal('knock')
    const { world, id } = await setShop({ hello: from })
    await results(world, id, 'page', { aaaa: true, bbbb: false })
    const to = next.seal('knock')
    const reseal = () => world.command(id, { kind: 'reseal-secrets', secrets: [{ from, to }] } as never)
    t.match(await reseal(), { ok: true, result: { resealed: 1 } })
    for (const location of places) t.match((await listAt(world, id, location))?.checks[0], { options: { send: to } })
    t.match(await ruleOf(world, id, 'down'), { status: 'problem', explanation: 'page problem at 1 of 2 locations' })
    const { rev } = (await world.subject(id)) ?? { rev: 0 }
    t.match(await reseal(), { ok: true, result: { resealed: 0 } })
    t.equal((await world.subject(id))?.rev, rev, 'nothing is written')
  },
)
