// Observation addresses in the directory, on both stores (docs/reference/v3.md, 8.1, 8.2 and 8.4): bounds, revocation, and concurrent first
// reports that name one key.
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
import { makeAddressToken } from '#shared/tokens/address-token.ts'
import { hashToken } from '#shared/tokens/api-token.ts'
import { startDirectory } from '../../services/directory/app.ts'
import { createMemoryHub } from '../support/bus/memory-bus.ts'
import { createHandClock } from '../support/hand-clock.ts'
import { createMemoryStore } from '../support/store/memory-store.ts'
import { subjectDocument } from '../support/worlds/fake-keeper.ts'

const manifest = { key: 'host', version: 3, name: 'Host', signals: [{ key: 'probe', kind: 'event' }] }
const rule = {
  key: 'down',
  action: 'Look.',
  wait: { confirm_after: 0, recover_after: 0 },
  decision: { signal: 'probe', field: 'status', operator: 'eq', operand: 'problem' },
}

async function start(t: Test, store: Store) {
  const clock = createHandClock()
  const hub = createMemoryHub({ clock })
  const around = { bus: hub.connect(), clock, store, logger: pino({ level: 'silent' }), metrics: new Registry() }
  const service = await startDirectory(around)
  t.teardown(() => service.stop())
  const { ask } = createDirectoryClient(hub.connect(), clock)
  const bus = hub.connect()
  const w1 = { id: 'w1', rev: 1, name: 'One', createdAt: 0, members: {} }
  await store.insert('workspaces', [w1, { ...w1, id: 'w2', name: 'Two' }])
  let made = 0
  const create = async (more: object = {}) => {
    const token = makeAddressToken()
    const id = `address${made++}`
    const request = { id, workspaceId: 'w1', tokenHash: hashToken(token), template: null, secondFactor: false, description: '' }
    return { token, view: await ask('create-address', { ...request, ...more }) }
  }
  const reserve = (key: string, subjectId: string, addressId = 'address0') =>
    ask('reserve-reported', { addressId, workspaceId: 'w1', key, subjectId })
  const find = (token: string) => ask('find-address', { tokenHash: hashToken(token) })
  const revoked = async (id: string) => (await bus.bucket('revocations').get(keys.revocation('address', id))) !== null
  return { clock, store, ask, create, reserve, find, revoked }
}

function onEachStore(title: string, run: (t: Test, world: Awaited<ReturnType<typeof start>>) => Promise<void>): void {
  t.test(`${title}, on the memory store`, async t => run(t, await start(t, createMemoryStore())))
  t.test(`${title}, on sqlite`, async t => {
    const store = await openSqliteStore(join(t.testdir(), 'addresses.db'))
    t.teardown(() => store.close())
    await run(t, await start(t, store))
  })
}

const refusal = (asked: Promise<unknown>): Promise<unknown> => asked.then(() => null).catch(error => error)
const addressesIn = (store: Store) => store.count('addresses', {})

onEachStore(
  'address is created, found by its token, listed and deleted (v3 8.2)',
  async (t, { ask, create, find, store, revoked, clock }) => {
    await ask('publish-template', { workspaceId: 'w1', manifest: { ...manifest, rules: [rule] } })
    const { token, view } = await create({ template: 'host', secondFactor: true, description: ' Nightly  ' })
    const identity = { id: 'address0', workspaceId: 'w1', template: 'host', secondFactor: true }
    t.strictSame(view, { ...identity, description: 'Nightly', createdAt: clock.now() })
    t.strictSame(await find(token), identity)
    t.equal(await find(makeAddressToken()), null)
    clock.advance(1)
    const { view: second } = await create()
    t.strictSame(await ask('list-addresses', { workspaceId: 'w1' }), [view, second])
    t.strictSame(await ask('list-addresses', { workspaceId: 'w2' }), [])
    t.notMatch(JSON.stringify(await store.find('addresses', { limit: 10 })), token)

    t.match(await refusal(ask('delete-address', { workspaceId: 'w2', addressId: view.id })), { code: 'not_found' })
    t.not(await find(token), null, 'another workspace deletes nothing')
    t.strictSame(await ask('delete-address', { workspaceId: 'w1', addressId: view.id }), { id: view.id })
    t.equal(await find(token), null)
    t.ok(await revoked(view.id))
    t.match(await refusal(ask('delete-address', { workspaceId: 'w1', addressId: view.id })), { code: 'not_found' })
  },
)

onEachStore(
  'repeated creation returns the first address, and refuses another token of its id (v3 8.2)',
  async (t, { create, store }) => {
    const tokenHash = hashToken(makeAddressToken())
    const { view } = await create({ id: 'same', tokenHash })
    t.strictSame((await create({ id: 'same', tokenHash })).view, view)
    t.match(await refusal(create({ id: 'same' })), { code: 'validation', message: 'Address exists' })
    t.match(await refusal(create({ id: 'other', tokenHash })), { code: 'validation', message: 'Address exists' })
    t.equal(await addressesIn(store), 1)
  },
)

onEachStore('refused address is not stored (v3 8.2)', async (t, { ask, create, store }) => {
  await ask('publish-template', { workspaceId: 'w1', manifest: { ...manifest, rules: [rule] } })
  const most = limits.key.descriptionCharacters
  const cases: [title: string, more: object, refused: object][] = [
    ['an unknown Template', { template: 'hosts' }, { facts: { field: 'template' } }],
    ['a revision', { template: 'host@3' }, { facts: { field: 'template' } }],
    ['a system Template', { template: 'website-check' }, { facts: { field: 'template' } }],
    ['a Template of another workspace', { workspaceId: 'w2', template: 'host' }, { facts: { field: 'template' } }],
    ['a long description', { description: 'x'.repeat(most + 1) }, { facts: { field: 'description' } }],
    ['a hidden character', { description: 'a\u0000b' }, { facts: { field: 'description' } }],
    ['an unknown workspace', { workspaceId: 'w3' }, { code: 'not_found' }],
  ]
  for (const [title, more, refused] of cases) {
    const error = await refusal(create(more))
    t.type(error, AppError, title)
    t.match(error, refused, title)
  }
  t.equal(await addressesIn(store), 0)
  t.equal((await create({ description: 'x'.repeat(most) })).view.description.length, most)
})

onEachStore('workspace has at most 100 addresses (v3 8.2)', async (t, { ask, create, store }) => {
  for (let i = 0; i < 100; i++) await create()
  t.match(await refusal(create()), { code: 'invalid_state', message: 'Too many addresses' })
  t.equal(await addressesIn(store), 100)
  await create({ workspaceId: 'w2' })
  await ask('delete-address', { workspaceId: 'w1', addressId: 'address7' })
  t.ok(await create())
})

onEachStore(
  'addresses of a deleted workspace accept no report from its deletion on, and are removed (v3 8.2)',
  async (t, world) => {
    const { ask, create, find, store, revoked } = world
    const { token, view } = await create()
    const { token: other } = await create({ workspaceId: 'w2' })
    await ask('delete-workspace', { id: 'd1', workspaceId: 'w1', force: true })
    t.equal(await find(token), null)
    t.ok(await revoked(view.id))
    t.not(await find(other), null)
    for (let tries = 0; (await store.count('addresses', { workspaceId: 'w1' })) > 0; tries++) {
      if (tries > 1_000) throw new Error('the address is still there')
      await new Promise(setImmediate)
    }
    t.equal(await addressesIn(store), 1)
  },
)

onEachStore('concurrent first reports of one key get one Resource (v3 8.4)', async (t, { create, reserve, store }) => {
  for (let i = 0; i < 3; i++) await create()
  const asked = Array.from({ length: 60 }, (_, i) => reserve('srv-1', `subject${i}`, `address${i % 3}`))
  const given = new Set((await Promise.all(asked)).map(answer => answer?.subjectId))
  t.equal(given.size, 1)
  const [name] = await store.find('names', { limit: 10 })
  t.match(name, { id: 'w1/srv-1', subjectId: [...given][0] })
  t.equal(await store.count('names', {}), 1)
  const made = (await store.find('addresses', { limit: 10 })).reduce((sum, address) => sum + address.made.count, 0)
  t.ok(made >= 1 && made <= 3, 'each address counts it once at most')
})

onEachStore(
  'reservation is renewed by each first report, and lapses a minute after the last (v3 8.4)',
  async (t, { create, reserve, clock }) => {
    await create()
    t.strictSame(await reserve('srv-1', 'one'), { subjectId: 'one' })
    clock.advance(50_000)
    t.strictSame(await reserve('srv-1', 'two'), { subjectId: 'one' })
    clock.advance(50_000)
    t.strictSame(await reserve('srv-1', 'three'), { subjectId: 'one' })
    clock.advance(minute + 1)
    t.strictSame(await reserve('srv-1', 'four'), { subjectId: 'four' })
  },
)

onEachStore('existing Resource keeps its key, and a deleted one frees it (v3 8.4)', async (t, world) => {
  const { create, reserve, store, clock } = world
  await create()
  const subject = subjectDocument('there', 'w1', 'srv-1', 'Server', { locations: [] } as never, 0)
  await store.insert('subjects', [subject])
  await store.insert('names', [{ id: 'w1/srv-1', rev: 1, workspaceId: 'w1', subjectId: 'there', reservedAt: 0 }])
  t.strictSame(await reserve('srv-1', 'new'), { subjectId: 'there' })
  await store.replace('subjects', [{ ...subject, rev: 2, deletedAt: clock.now() }])
  t.strictSame(await reserve('srv-1', 'new'), { subjectId: 'new' })
})

onEachStore('address creates at most 1,000 Resources a day (v3 8.4)', async (t, world) => {
  const { create, reserve, store, clock } = world
  clock.advance(day - (clock.now() % day))
  await create()
  await create()
  for (let from = 0; from < 1_000; from += 100) {
    const asked = Array.from({ length: 100 }, (_, i) => reserve(`srv-${from + i}`, `subject${from + i}`))
    for (const answer of await Promise.all(asked)) t.not(answer, null)
  }
  t.equal(await reserve('one-more', 'more'), null)
  t.equal(await store.count('names', {}), 1_000, 'a refused report reserves nothing')
  t.strictSame(await reserve('srv-7', 'again'), { subjectId: 'subject7' }, 'what is reserved already is no new Resource')
  t.strictSame(await reserve('one-more', 'more', 'address1'), { subjectId: 'more' }, 'another address has its own count')
  clock.advance(day - 1)
  t.equal(await reserve('late', 'late'), null)
  clock.advance(1)
  t.strictSame(await reserve('late', 'late'), { subjectId: 'late' }, 'the next day of UTC')
})

t.test('workspace has at most 100,000 unarchived Resources (v3 8.4)', async t => {
  const memory = createMemoryStore()
  let counts = 0
  const present = { count: 99_999 }
  const store: Store = {
    ...memory,
    count: async (collection, where) => {
      if (collection !== 'subjects') return memory.count(collection, where)
      counts++
      t.strictSame(where, { workspaceId: where['workspaceId'], archivedAt: null, deletedAt: null })
      return present.count
    },
  }
  const { create, reserve, ask, clock } = await start(t, store)
  await create()
  t.strictSame(await reserve('last', 'last'), { subjectId: 'last' })
  present.count = 100_000
  const full = { code: 'validation', facts: { field: 'key' } }
  t.match(await refusal(reserve('more', 'more')), full)
  t.match(await refusal(ask('require-resource-room', { workspaceId: 'w1' })), full)
  t.equal(await memory.count('names', {}), 1, 'a refused report reserves nothing')
  t.equal(counts, 2, 'a full workspace is not counted again within a second')
  clock.advance(1_000)
  present.count = 99_999
  t.equal(await ask('require-resource-room', { workspaceId: 'w1' }), null)

  counts = 0
  present.count = 0
  for (let i = 0; i <= 10_000; i++) await ask('require-resource-room', { workspaceId: 'w2' })
  t.equal(counts, 1, 'a workspace with room is counted after a tenth of it')
  await ask('require-resource-room', { workspaceId: 'w2' })
  t.equal(counts, 2)
})
