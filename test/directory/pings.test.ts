// Ping addresses and ping keys in the directory, on both stores (docs/reference/v3.md, 17.1, 17.2 and 17.5 to 17.7): minting, rotation,
// imported addresses, bounds, revocation, and concurrent pings that make one Resource.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import t, { type Test } from 'tap'
import { createDirectoryClient } from '#shared/bus/clients/clients.ts'
import { keys } from '#shared/bus/subjects.ts'
import { AppError } from '#shared/errors.ts'
import { day, limits, minute } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import { openSqliteStore } from '#shared/store/sqlite/sqlite.ts'
import { randomId } from '#shared/text/ids.ts'
import { startDirectory } from '../../services/directory/app.ts'
import { createMemoryHub } from '../support/bus/memory-bus.ts'
import { createHandClock } from '../support/hand-clock.ts'
import { createMemoryStore } from '../support/store/memory-store.ts'
import { subjectDocument } from '../support/worlds/fake-keeper.ts'

const wait = { confirm_after: 0, recover_after: 0 }
const schedule = { period_seconds: 3_600, grace_seconds: 600 }
const templateOf = (key: string, signals: string[]) => ({
  ...{ key, version: 1, name: key, signals: signals.map(signal => ({ key: signal, kind: 'schedule', schedule })) },
  rules: signals.map(signal => ({ key: signal, action: 'Look.', wait, decision: { signal, field: 'missed' } })),
})

async function start(t: Test, store: Store) {
  const clock = createHandClock()
  const hub = createMemoryHub({ clock })
  const logged: string[] = []
  const logger = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) })
  const service = await startDirectory({ bus: hub.connect(), clock, store, logger, metrics: new Registry() })
  t.teardown(() => service.stop())
  const { ask } = createDirectoryClient(hub.connect(), clock)
  const bus = hub.connect()
  const w1 = { id: 'w1', rev: 1, name: 'One', createdAt: 0, members: {} }
  await store.insert('workspaces', [w1, { ...w1, id: 'w2', name: 'Two' }])
  for (const template of [templateOf('job', ['run']), templateOf('jobs', ['day', 'night'])])
    await ask('publish-template', { workspaceId: 'w1', manifest: template })
  const subject = async (id: string, slug: string, more: object = {}) => {
    const made = { ...subjectDocument(id, 'w1', slug, slug, {} as never, clock.now()), check: null, kind: 'template' as const }
    await store.upsert('subjects', [{ ...made, checkLocations: [], template: 'job@1', ...more }])
  }
  const key = (more: object = {}) =>
    ask('create-ping-key', { id: randomId(10), workspaceId: 'w1', key: randomId(22), description: '', ...more })
  const list = (subjectId: string, signals = ['run']) => ask('list-ping-addresses', { workspaceId: 'w1', subjectId, signals })
  const revoked = async (what: 'ping' | 'ping-key', id: string) =>
    (await bus.bucket('revocations').get(keys.revocation(what, id))) !== null
  return { clock, store, ask, subject, key, list, revoked, logged }
}

function onEachStore(title: string, run: (t: Test, world: Awaited<ReturnType<typeof start>>) => Promise<void>): void {
  t.test(`${title}, on the memory store`, async t => run(t, await start(t, createMemoryStore())))
  t.test(`${title}, on sqlite`, async t => {
    const store = await openSqliteStore(join(t.testdir(), 'pings.db'))
    t.teardown(() => store.close())
    await run(t, await start(t, store))
  })
}

const refusal = (asked: Promise<unknown>): Promise<unknown> => asked.then(() => null).catch(error => error)
const minted = () => ({ id: randomUUID() as string, pushToken: randomId(32) })

onEachStore('address is made when somebody first asks for it, once for each signal (v3 17.5)', async (t, world) => {
  const { ask, subject, list, store, logged } = world
  await subject('subject001', 'nightly')
  await subject('subject002', 'both', { template: 'jobs@1' })
  t.equal(await store.count('pings', {}), 0)
  const [[first], [second]] = [await list('subject001'), await list('subject001')]
  t.strictSame(first, second)
  const twice = await Promise.all([1, 2, 3].map(() => list('subject002', ['day', 'night'])))
  t.strictSame(twice[0], twice[1], 'readers at once get the same')
  t.strictSame(twice[0], twice[2], 'readers at once get the same')
  t.strictSame(
    twice[0]?.map(({ signal }) => signal),
    ['day', 'night'],
  )
  t.equal(await store.count('pings', {}), 3)
  const target = { workspaceId: 'w1', subjectId: 'subject001', signal: 'run', keyId: null }
  t.strictSame(await ask('find-ping', { id: first?.id ?? '' }), target)
  t.strictSame(await ask('find-push', { pushToken: first?.pushToken ?? '' }), target)
  t.equal(await ask('find-ping', { id: randomUUID() }), null)
  t.equal(await ask('find-push', { pushToken: randomId(32) }), null)
  t.notMatch(logged.join('\n'), first?.id)
})

onEachStore('archived and deleted Resources, and those of deleted workspaces, have no address (v3 17.4)', async (t, world) => {
  const { ask, subject, list, store, key, clock } = world
  const found: Record<string, { id: string; pushToken: string }> = {}
  const pingKey = await key()
  for (const [id, slug, gone] of [
    ['subject001', 'archived', { archivedAt: 1 }],
    ['subject002', 'deleted', { deletedAt: 1 }],
  ] as const) {
    await subject(id, slug)
    const [address] = await list(id)
    found[slug] = address as NonNullable<typeof address>
    await subject(id, slug, gone)
    t.equal(await ask('find-ping', { id: address?.id ?? '' }), null, slug)
    t.equal(await ask('find-push', { pushToken: address?.pushToken ?? '' }), null, slug)
  }
  t.equal(await ask('find-pinged', { key: pingKey.key, slug: 'archived' }), null)
  t.match(await ask('find-pinged', { key: pingKey.key, slug: 'deleted' }), { missing: { workspaceId: 'w1' } })
  await subject('subject003', 'nightly')
  const [address] = await list('subject003')
  const [w1] = await store.get('workspaces', ['w1'])
  await store.upsert('workspaces', [{ ...(w1 as NonNullable<typeof w1>), rev: 2, deletedAt: clock.now() }])
  t.equal(await ask('find-ping', { id: address?.id ?? '' }), null)
  t.equal(await ask('find-pinged', { key: pingKey.key, slug: 'nightly' }), null)
})

onEachStore('rotation makes another address once, and gateways forget the old one (v3 17.5)', async (t, world) => {
  const { ask, subject, list, store, revoked } = world
  await subject('subject001', 'nightly')
  const [old] = await list('subject001')
  const place = { workspaceId: 'w1', subjectId: 'subject001', signal: 'run' }
  const wanted = minted()
  t.strictSame(await ask('rotate-ping-address', { ...place, ...wanted }), { signal: 'run', ...wanted })
  t.strictSame(await ask('rotate-ping-address', { ...place, ...wanted }), { signal: 'run', ...wanted }, 'a retry changes nothing')
  t.ok(await revoked('ping', 'subject001'))
  t.equal(await ask('find-ping', { id: old?.id ?? '' }), null)
  t.equal(await ask('find-push', { pushToken: old?.pushToken ?? '' }), null)
  t.strictSame(await list('subject001'), [{ signal: 'run', ...wanted }])
  await Promise.all([1, 2, 3].map(() => ask('rotate-ping-address', { ...place, ...minted() })))
  t.equal(await store.count('pings', {}), 1)
  t.equal(await ask('find-ping', { id: wanted.id }), null)
})

onEachStore('address that a Resource brings along is free again if the Resource is not made (v3 17.5)', async (t, world) => {
  const { ask, subject, store, clock } = world
  const place = (subjectId: string) => ({ workspaceId: 'w1', subjectId, signal: 'run' })
  const sent = minted()
  const reserve = (subjectId: string, more: object = {}) => ask('reserve-ping-address', { ...place(subjectId), ...sent, ...more })
  await reserve('subject001')
  await reserve('subject001')
  t.equal(await store.count('pings', {}), 1, 'a retry stores nothing')
  const taken = { code: 'taken', facts: { field: 'ping_id' } }
  t.match(await refusal(reserve('subject002')), taken)
  t.match(await refusal(reserve('subject002', { id: randomUUID() })), { code: 'taken', facts: { field: 'push_token' } })
  t.equal(await ask('find-ping', { id: sent.id }), null, 'while there is no Resource')
  await ask('release-ping-address', { subjectId: 'subject002', id: sent.id })
  t.equal(await store.count('pings', {}), 1, 'only that of the Resource itself')
  await ask('release-ping-address', { subjectId: 'subject001', id: sent.id })
  await reserve('subject002')
  clock.advance(minute + 1)
  await reserve('subject003')
  await subject('subject003', 'nightly')
  clock.advance(minute + 1)
  t.match(await refusal(reserve('subject004')), taken, 'a Resource keeps its address')
  await subject('subject003', 'nightly', { deletedAt: clock.now() })
  await reserve('subject004')
  await subject('subject004', 'nightly')
  t.match(await ask('find-ping', { id: sent.id }), { subjectId: 'subject004' })
  const secrets = await refusal(reserve('subject005'))
  t.ok(secrets instanceof AppError && !secrets.details.includes(sent.id), 'no error shows the address')
})

onEachStore('ping key is made, listed and deleted, at most 5 in a workspace (v3 17.6)', async (t, world) => {
  const { ask, key, store, revoked, clock, subject, logged } = world
  const first = await key({ id: 'key1', key: 'imported-key-of-elsewhere', description: ' Jobs ' })
  t.strictSame(first, {
    ...{ id: 'key1', workspaceId: 'w1', key: 'imported-key-of-elsewhere', description: 'Jobs', createdAt: clock.now() },
  })
  t.strictSame(
    await key({ id: 'key1', key: 'imported-key-of-elsewhere', description: 'Jobs' }),
    first,
    'a retry returns the same',
  )
  t.match(await refusal(key({ key: first.key })), { code: 'taken', facts: { field: 'key' } })
  t.match(await refusal(key({ workspaceId: 'w2', key: first.key })), { code: 'taken' }, 'unique in the installation')
  t.match(await refusal(key({ workspaceId: 'none' })), { code: 'not_found' })
  t.match(await refusal(key({ description: 'a\nb' })), { code: 'validation', facts: { field: 'description' } })
  for (let i = 1; i < limits.pings.keysPerWorkspace; i++) {
    clock.advance(1)
    await key()
  }
  t.match(await refusal(key()), { code: 'invalid_state' })
  t.match(await key({ workspaceId: 'w2' }), { workspaceId: 'w2' })
  const listed = await ask('list-ping-keys', { workspaceId: 'w1' })
  t.equal(listed.length, 5)
  t.strictSame(listed[0], first)
  await subject('subject001', 'nightly')
  await subject('subject002', 'both', { template: 'jobs@1' })
  const find = (slug: string) => ask('find-pinged', { key: first.key, slug })
  t.strictSame(await find('nightly'), { target: { workspaceId: 'w1', subjectId: 'subject001', signal: 'run', keyId: 'key1' } })
  t.strictSame(await find('both'), { ambiguous: true })
  t.strictSame(await find('none'), { missing: { workspaceId: 'w1', keyId: 'key1' } })
  t.equal(await ask('find-pinged', { key: randomId(22), slug: 'nightly' }), null)
  t.match(await refusal(ask('delete-ping-key', { workspaceId: 'w2', keyId: 'key1' })), { code: 'not_found' })
  t.strictSame(await ask('delete-ping-key', { workspaceId: 'w1', keyId: 'key1' }), { id: 'key1' })
  t.ok(await revoked('ping-key', 'key1'))
  t.equal(await find('nightly'), null)
  t.equal(await store.count('pingKeys', { workspaceId: 'w1' }), 4)
  t.notMatch(logged.join('\n'), first.key)
})

onEachStore('key of a Resource is reserved once for all pings that make it (v3 17.7)', async (t, world) => {
  const { ask, key, store, clock } = world
  const { id: keyId } = await key()
  const reserve = (slug: string, subjectId: string) => ask('reserve-pinged', { keyId, workspaceId: 'w1', key: slug, subjectId })
  const both = await Promise.all(['subject001', 'subject002', 'subject003'].map(id => reserve('nightly', id)))
  t.equal(new Set(both.map(one => one?.subjectId)).size, 1)
  const made = async () => (await store.get('pingKeys', [keyId]))[0]?.made
  t.match(await made(), { count: 1 })
  const [stored] = await store.get('pingKeys', [keyId])
  const today = Math.floor(clock.now() / day)
  await store.upsert('pingKeys', [{ ...(stored as NonNullable<typeof stored>), made: { day: today, count: 1_000 } }])
  t.equal(await reserve('another', 'subject004'), null)
  t.match(await reserve('nightly', 'subject005'), { subjectId: both[0]?.subjectId }, 'one that is reserved is found')
  clock.advance(day)
  t.match(await reserve('another', 'subject004'), { subjectId: 'subject004' })
  await ask('delete-ping-key', { workspaceId: 'w1', keyId })
  t.match(await refusal(reserve('third', 'subject006')), { code: 'not_found' })
})
