// Destinations, transformations and delivery tables in the directory: their races and crashes on every store.
import { join } from 'node:path'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import t, { type Test } from 'tap'
import { createDirectoryClient } from '#shared/bus/clients/clients.ts'
import type { AskRequest, AskResults } from '#shared/contracts/ask/ask.ts'
import type { DeliveryLogDocument } from '#shared/contracts/notifications/delivery.ts'
import { limits } from '#shared/limits/limits.ts'
import { defaultDestination } from '#shared/notifications/choose-destinations.ts'
import { openMongodbStore } from '#shared/store/mongodb/mongodb.ts'
import { type Store, StoreError } from '#shared/store/port.ts'
import { openSqliteStore } from '#shared/store/sqlite/sqlite.ts'
import { startDirectory } from '../../services/directory/app.ts'
import { createMemoryHub } from '../support/bus/memory-bus.ts'
import { createHandClock } from '../support/hand-clock.ts'
import { createMemoryStore } from '../support/store/memory-store.ts'
import { sharedMongodb } from '../support/store/secantus.ts'
import { subjectDocument } from '../support/worlds/fake-keeper.ts'

const silent = pino({ level: 'silent' })

/** Two directories on one store share the requests, as two processes would. */
async function start(t: Test, store: Store) {
  const clock = createHandClock()
  const hub = createMemoryHub({ clock })
  for (const bus of [hub.connect(), hub.connect()]) {
    const service = await startDirectory({ bus, clock, store, logger: silent, metrics: new Registry() })
    t.teardown(() => service.stop())
  }
  const { ask } = createDirectoryClient(hub.connect(), clock)
  const add = (workspaceId: string, name: string, more: Partial<AskRequest<'create-destination'>> = {}) => {
    const fields = {
      type: 'webhook' as const,
      url: 'https://hooks.example/x',
      channel: '',
      default: false,
      transformationId: null,
    }
    return ask('create-destination', { workspaceId, name, ...fields, ...more })
  }
  const marked = async (workspaceId: string) =>
    (await ask('list-destinations', { workspaceId })).filter(one => one.default).map(({ name }) => name)
  const stored = (workspaceId: string) => store.find('destinations', { where: { workspaceId }, limit: 100 })
  return { clock, ask, add, marked, stored, store }
}

/** Races run on stores where they can occur: in memory, on a file, and over MongoDB's wire protocol. */
function onEachStore(title: string, run: (t: Test, store: Store, rounds: number) => Promise<void>): void {
  t.test(`${title}, on the memory store`, t => run(t, createMemoryStore(), 20))
  t.test(`${title}, on sqlite`, async t => {
    const store = await openSqliteStore(join(t.testdir(), 'notifications.db'))
    t.teardown(() => store.close())
    await run(t, store, 20)
  })
  t.test(`${title}, over the wire protocol of MongoDB`, async t => {
    const url = await sharedMongodb(t)
    if (url === null) return t.comment('skipped: no server of the MongoDB wire protocol')
    const store = await openMongodbStore(url)
    t.teardown(() => store.close())
    await run(t, store, 4)
  })
}

/** The store of a process that dies at its n-th write (deletes included), before or after the write has happened. */
function dyingStore(store: Store, n: number, after: boolean): Store {
  let writes = 0
  const dying = { ...store }
  for (const operation of ['insert', 'replace', 'upsert', 'delete'] as const) {
    dying[operation] = async (collection: never, given: never) => {
      const dies = ++writes === n
      if (writes > n || (dies && !after)) throw new StoreError('permanent', 'dead')
      const result = await (store[operation] as (collection: never, given: never) => Promise<never>)(collection, given)
      if (dies) throw new StoreError('permanent', 'dead')
      return result
    }
  }
  return dying
}

onEachStore('default mark', async (t, store, rounds) => {
  const { add, ask, marked, stored, clock } = await start(t, store)
  await t.test('last of concurrent moves of the default mark wins, and no second destination keeps the mark', async t => {
    for (let round = 0; round < rounds; round++) {
      const workspaceId = `move${round}`
      const made = [await add(workspaceId, 'a'), await add(workspaceId, 'b'), await add(workspaceId, 'c')]
      const { name, url } = { name: 'd', url: 'https://hooks.example/d' }
      await Promise.all([
        ...made.map(({ id }) => ask('make-default-destination', { workspaceId, id })),
        add(workspaceId, name, { url, default: true }),
        ask('update-destination', { ...made[1]!, default: true }),
      ])
      const names = await marked(workspaceId)
      t.equal(names.length, 1)
      const documents = await stored(workspaceId)
      t.strictSame(
        documents.filter(document => document.default).map(document => document.name),
        names,
      )
    }
  })
  await t.test('change of a destination does not restore a default mark that the destination lost', async t => {
    const a = await add('back', 'a')
    const b = await add('back', 'b', { default: true })
    // Stored state of a process that died right after the first write of the move: both destinations have the mark.
    const [old] = await store.get('destinations', [a.id])
    await store.replace('destinations', [{ ...old!, rev: old!.rev + 1, default: true, defaultAt: 1 }])
    t.strictSame(await marked('back'), ['b'])
    clock.advance(1_000)
    await ask('update-destination', { ...a, name: 'A', default: false })
    t.strictSame(await marked('back'), ['b'])
    t.match(await ask('get-destination', { workspaceId: 'back', number: a.number }), { default: false })
    t.strictSame(await ask('delete-destination', { workspaceId: 'back', id: b.id }), { wasDefault: true })
    t.strictSame(await marked('back'), [], 'nor does the deletion of the one that has it')
  })
  await t.test('deletion during a move of the mark leaves one default or none, and never restores an older default', async t => {
    for (let round = 0; round < rounds; round++) {
      const workspaceId = `race${round}`
      const a = await add(workspaceId, 'a')
      const b = await add(workspaceId, 'b', { default: true })
      const c = await add(workspaceId, 'c')
      await Promise.allSettled([
        ask('delete-destination', { workspaceId, id: b.id }),
        ask('update-destination', { ...a, name: 'A', default: false }),
        ask('make-default-destination', { workspaceId, id: c.id }),
        ask('make-default-destination', { workspaceId, id: b.id }),
      ])
      t.equal(defaultDestination(await stored(workspaceId))?.name ?? 'none', 'c')
    }
  })
  await t.test('repeated deletion succeeds', async t => {
    const { id } = await add('twice', 'a')
    t.strictSame(
      await ask('delete-destination', { workspaceId: 'other', id }),
      { wasDefault: null },
      'of another workspace: nothing',
    )
    t.strictSame(await ask('delete-destination', { workspaceId: 'twice', id }), { wasDefault: true })
    t.strictSame(await ask('delete-destination', { workspaceId: 'twice', id }), { wasDefault: null })
  })
})

onEachStore('names and revisions', async (t, store, rounds) => {
  const { add, ask } = await start(t, store)
  await t.test('one of two concurrent renames to the same name wins', async t => {
    for (let round = 0; round < rounds; round++) {
      const workspaceId = `name${round}`
      const made = [await add(workspaceId, 'a'), await add(workspaceId, 'b')]
      const results = await Promise.allSettled(made.map(one => ask('update-destination', { ...one, name: 'Same' })))
      t.strictSame(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
      t.match(
        results.find(({ status }) => status === 'rejected'),
        { reason: { code: 'taken', message: 'Destination name taken' } },
      )
    }
  })
  await t.test('concurrent changes of different fields are both kept', async t => {
    const made = await add('both', 'a')
    const other = await add('both', 'b')
    await Promise.all([
      ask('switch-destination', { workspaceId: 'both', id: other.id, enabled: false }),
      ask('update-destination', { ...other, name: 'B', url: 'https://new.example' }),
      ask('update-destination', { ...made, name: 'A' }),
    ])
    t.match(await ask('list-destinations', { workspaceId: 'both' }), [
      { name: 'A' },
      { name: 'B', url: 'https://new.example', enabled: false },
    ])
  })
  await t.test('repeated creation of a transformation returns the first result', async t => {
    const request = { id: 'same', workspaceId: 'w', name: 'T', template: 'x' }
    const first = await ask('create-transformation', request)
    t.strictSame(await ask('create-transformation', request), first)
    const raced = await Promise.allSettled(
      [1, 2].map(() => ask('create-transformation', { workspaceId: 'w', name: 'R', template: 'x' })),
    )
    t.strictSame(raced.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    await t.rejects(ask('update-transformation', { workspaceId: 'w', id: 'same', name: 'r', template: 'x' }), {
      code: 'taken',
      message: 'Transformation name taken',
    })
    await t.rejects(ask('update-transformation', { workspaceId: 'other', id: 'same', name: 'r', template: 'x' }), {
      code: 'not_found',
      message: 'Transformation not found',
    })
  })
})

onEachStore('references to deleted things', async (t, store, rounds) => {
  const { add, ask, clock } = await start(t, store)
  const check = { locations: [] } as never
  await t.test('table names no destination that was deleted while the table was written', async t => {
    for (let round = 0; round < rounds; round++) {
      const workspaceId = `table${round}`
      const subjectId = `Subject${String(round).padStart(3, '0')}`
      await store.upsert('subjects', [subjectDocument(subjectId, workspaceId, 'shop', 'Shop', check, clock.now())])
      const kept = await add(workspaceId, 'kept')
      const gone = await add(workspaceId, 'gone')
      const rows = [gone, kept].map(({ number }) => ({ number, alertKinds: ['problem' as const] }))
      await ask('put-delivery-table', { workspaceId, subjectId, selections: rows })
      await Promise.allSettled([
        ask('put-delivery-table', { workspaceId, subjectId, selections: rows.slice(0, 1) }),
        ask('delete-destination', { workspaceId, id: gone.id }),
        ask('put-delivery-table', { workspaceId, subjectId, selections: rows }),
      ])
      const { selections } = await ask('get-delivery-table', { workspaceId, subjectId })
      t.notOk(selections.some(({ number }) => number === gone.number))
    }
  })
  await t.test('deletion of a destination removes delivery tables of deleted subjects', async t => {
    const made = await add('sweep', 'a')
    const selections = [{ number: made.number, alertKinds: ['problem' as const] }]
    for (const subjectId of ['SweepAlive', 'SweepDead0', 'SweepNever']) {
      const alive = subjectDocument(subjectId, 'sweep', subjectId.toLowerCase(), 'Shop', check, clock.now())
      if (subjectId !== 'SweepNever')
        await store.upsert('subjects', [{ ...alive, deletedAt: subjectId === 'SweepDead0' ? 1 : null }])
      await ask('put-delivery-table', { workspaceId: 'sweep', subjectId, selections })
    }
    await ask('delete-destination', { workspaceId: 'sweep', id: made.id })
    const left = await store.find('deliveryTables', { where: { workspaceId: 'sweep' }, limit: 10 })
    t.match(left, [{ id: 'SweepAlive', selections: [] }])
    t.equal(left.length, 1)
  })
  await t.test('no destination uses a transformation that is deleted while another request sets it on a destination', async t => {
    for (let round = 0; round < rounds; round++) {
      const workspaceId = `trans${round}`
      const { id, number } = await ask('create-transformation', { workspaceId, name: 'T', template: 'x' })
      const made = await add(workspaceId, 'a')
      await Promise.allSettled([
        ask('update-destination', { ...made, transformationId: number }),
        ask('delete-transformation', { workspaceId, id }),
      ])
      t.match(await ask('get-destination', { workspaceId, number: made.number }), { transformationId: null })
      t.match(await ask('list-destinations', { workspaceId }), [{ transformationId: null }])
    }
  })
})

for (const after of [false, true]) {
  t.test(
    `deletion cut off ${after ? 'after' : 'before'} any of its writes makes no other destination default, and a repeat finishes it`,
    async t => {
      let crashes = 0
      for (let n = 1; n < 10; n++) {
        const whole = createMemoryStore()
        const { add, ask, marked, clock } = await start(t, whole)
        const a = await add('w', 'a')
        const b = await add('w', 'b', { default: true })
        // An older default mark was never cleared, and a table names both destinations.
        const [old] = await whole.get('destinations', [a.id])
        await whole.replace('destinations', [{ ...old!, rev: old!.rev + 1, default: true, defaultAt: 1 }])
        await whole.upsert('subjects', [
          subjectDocument('Subject001', 'w', 'shop', 'Shop', { locations: [] } as never, clock.now()),
        ])
        const rows = [a, b].map(({ number }) => ({ number, alertKinds: ['problem' as const] }))
        await ask('put-delivery-table', { workspaceId: 'w', subjectId: 'Subject001', selections: rows })

        const dying = await start(t, dyingStore(whole, n, after))
        const died = await dying.ask('delete-destination', { workspaceId: 'w', id: b.id }).then(
          () => false,
          () => true,
        )
        if (!died) break
        crashes++
        const present = (await ask('list-destinations', { workspaceId: 'w' })).map(({ name }) => name)
        t.strictSame(await marked('w'), present.includes('b') ? ['b'] : [], `write ${n}`)
        await ask('delete-destination', { workspaceId: 'w', id: b.id })
        t.strictSame(await marked('w'), [])
        const { selections } = await ask('get-delivery-table', { workspaceId: 'w', subjectId: 'Subject001' })
        t.strictSame(selections, [{ number: a.number, name: 'a', alertKinds: ['problem'] }])
      }
      t.ok(crashes >= 3, `${crashes} writes were tried`)
    },
  )
}

t.test('destination cannot become default during its deletion, and the present default stays', async t => {
  const whole = createMemoryStore()
  const { add, marked } = await start(t, whole)
  await add('w', 'a')
  const b = await add('w', 'b')
  const gate = Promise.withResolvers<void>()
  const wrote = Promise.withResolvers<void>()
  const mover = await start(t, {
    ...whole,
    replace: async (collection, documents) => {
      const results = await whole.replace(collection, documents)
      wrote.resolve()
      await gate.promise
      return results
    },
  })
  let moved: Promise<unknown> = Promise.resolve()
  const deleter = await start(t, {
    ...whole,
    delete: async (collection, ids) => {
      if (collection === 'destinations') {
        moved = mover.ask('make-default-destination', { workspaceId: 'w', id: b.id })
        await Promise.race([wrote.promise, moved.catch(() => {})])
      }
      return whole.delete(collection, ids)
    },
  })
  t.strictSame(await deleter.ask('delete-destination', { workspaceId: 'w', id: b.id }), { wasDefault: false })
  gate.resolve()
  await t.rejects(moved, { code: 'invalid_state', message: 'Destination is disabled' })
  t.strictSame(await marked('w'), ['a'])
})

t.test('deleted destination stays deleted when the store fails during the update of the delivery tables', async t => {
  const whole = createMemoryStore()
  const { add, ask } = await start(t, whole)
  const made = await add('w', 'a')
  const failing: Store = {
    ...whole,
    find: (collection, query) =>
      collection === 'deliveryTables' ? Promise.reject(new StoreError('unavailable', 'away')) : whole.find(collection, query),
  }
  const { ask: askFailing } = await start(t, failing)
  t.strictSame(await askFailing('delete-destination', { workspaceId: 'w', id: made.id }), { wasDefault: true })
  t.strictSame(await ask('list-destinations', { workspaceId: 'w' }), [])
})

t.test('table keeps the row of a destination that is created while another destination is being deleted', async t => {
  const whole = createMemoryStore()
  const { add, ask, clock } = await start(t, whole)
  await whole.upsert('subjects', [subjectDocument('Shop000000', 'w', 'shop', 'Shop', { locations: [] } as never, clock.now())])
  const gone = await add('w', 'gone')
  let made: number | null = null
  const sweeper = await start(t, {
    ...whole,
    find: async (collection, query) => {
      if (collection === 'deliveryTables' && made === null) {
        made = (await add('w', 'new')).number
        const selections = [{ number: made, alertKinds: ['problem' as const] }]
        await ask('put-delivery-table', { workspaceId: 'w', subjectId: 'Shop000000', selections })
      }
      return whole.find(collection, query)
    },
  })
  await sweeper.ask('delete-destination', { workspaceId: 'w', id: gone.id })
  const { selections } = await ask('get-delivery-table', { workspaceId: 'w', subjectId: 'Shop000000' })
  t.match(selections, [{ number: made, alertKinds: ['problem'] }])
})

/** A row of the log about an incident, as a notifier writes it. */
const logRow = (n: number, over: Partial<DeliveryLogDocument> = {}): DeliveryLogDocument => ({
  id: `delivery.${n}`,
  rev: 1,
  number: n,
  workspaceId: 'w',
  destinationId: 'd',
  destinationNumber: 1,
  destinationName: 'Pager',
  destinationType: 'webhook',
  alertKind: 'problem',
  event: 'problem',
  status: 'delivered',
  reason: null,
  shownInV2: 1,
  payload: '{}',
  error: '',
  incidentId: 'a.1',
  at: n,
  expireAt: 4e12,
  ...over,
})

onEachStore('deliveries of an incident and of a destination (v3 10.3)', async (t, store) => {
  const { ask } = await start(t, store)
  const nobody = { destinationId: null, destinationNumber: null, destinationName: null, destinationType: null }
  const held = { status: 'held', shownInV2: 0, payload: '' } as const
  await store.insert('deliveryLog', [
    logRow(1, { at: 50, event: 'opened', alertKind: 'opened', shownInV2: 0 }),
    logRow(2, { at: 20, status: 'failed', reason: 'http_503', error: 'http_503: no' }),
    logRow(3, { at: 30, ...held, reason: 'maintenance' }),
    logRow(4, { at: 30, ...held, ...nobody, reason: 'not_routed' }),
    logRow(5, { at: 60, incidentId: 'b.1' }),
    logRow(6, { at: 70, incidentId: null, event: 'test' }),
    logRow(7, { at: 80, workspaceId: 'other' }),
    logRow(8, { at: 90, destinationId: 'e', incidentId: 'b.1', event: 'reminder' }),
    logRow(9, { at: 95, alertKind: 'acknowledged', event: 'acknowledged', shownInV2: 0 }),
  ])
  type Entries = AskResults['list-incident-deliveries']
  const readAll = async (page: (after: string | null) => Promise<Entries>) => {
    const found: Entries['items'] = []
    let after: string | null = null
    do {
      const { items, next } = await page(after)
      found.push(...items)
      after = next
    } while (after !== null)
    return found
  }
  await t.test('incident has its entries newest first for any page size', async t => {
    for (const limit of [1, 2, 200]) {
      const entries = await readAll(after =>
        ask('list-incident-deliveries', { workspaceId: 'w', incidentId: 'a.1', limit, after }),
      )
      t.strictSame(
        entries.map(({ at, event, status, reason, destinationName }) => [at, event, status, reason, destinationName]),
        [
          [95, 'acknowledged', 'delivered', null, 'Pager'],
          [50, 'opened', 'delivered', null, 'Pager'],
          [30, 'problem', 'held', 'not_routed', null],
          [30, 'problem', 'held', 'maintenance', 'Pager'],
          [20, 'problem', 'failed', 'http_503', 'Pager'],
        ],
      )
    }
    t.strictSame((await ask('list-incident-deliveries', { workspaceId: 'w', incidentId: 'b.1', limit: 1, after: null })).items, [
      {
        at: 90,
        destinationName: 'Pager',
        destinationType: 'webhook',
        event: 'reminder',
        status: 'delivered',
        reason: null,
        incidentId: 'b.1',
      },
    ])
    for (const limit of [0, 201]) {
      await t.rejects(ask('list-incident-deliveries', { workspaceId: 'w', incidentId: 'a.1', limit, after: null }), {
        code: 'malformed',
      })
    }
  })
  await t.test(
    'log of a destination lists only entries of this destination, and only test messages of this workspace',
    async t => {
      const asked = { workspaceId: 'w', destinationId: 'd', limit: 2 }
      const entries = await readAll(after => ask('list-destination-deliveries', { ...asked, after }))
      t.strictSame(
        entries.map(({ at, incidentId }) => [at, incidentId]),
        [
          [95, 'a.1'],
          [70, null],
          [60, 'b.1'],
          [50, 'a.1'],
          [30, 'a.1'],
          [20, 'a.1'],
        ],
      )
    },
  )
  await t.test('log of generation 2 has only attempts of the alert kinds of generation 2', async t => {
    const numbers = async (destinationNumber: number | null, failedOnly = false) =>
      (await ask('list-deliveries', { workspaceId: 'w', destinationNumber, failedOnly, limit: 100, after: null })).items.map(
        ({ number }) => number,
      )
    t.strictSame(await numbers(null), [8, 6, 5, 2])
    t.strictSame(await numbers(1), [8, 6, 5, 2])
    t.strictSame(await numbers(null, true), [2])
  })
})

t.test('log of large bodies is returned complete, and each row is read about once', async t => {
  const whole = createMemoryStore()
  const row = (n: number, payload: string): DeliveryLogDocument => ({
    id: `delivery.${n}`,
    rev: 1,
    number: n,
    workspaceId: payload === '' ? 'small' : 'large',
    destinationId: 'd',
    destinationNumber: 1,
    destinationName: 'd',
    destinationType: 'webhook',
    alertKind: 'problem',
    status: 'failed',
    payload,
    error: '',
    event: 'problem',
    reason: 'unreachable',
    shownInV2: 1,
    incidentId: null,
    at: n,
    expireAt: n,
  })
  // Each quotation mark becomes two characters when the body is written as a string inside JSON.
  const large = '"'.repeat(limits.template.bytes)
  await whole.insert(
    'deliveryLog',
    Array.from({ length: 400 }, (_, i) => row(i + 1, i < 200 ? large : '')),
  )
  let read = 0
  let calls = 0
  const counting: Store = {
    ...whole,
    find: async (collection, query) => {
      const found = await whole.find(collection, query)
      calls++
      read += found.length
      return found
    },
  }
  const { ask } = await start(t, counting)
  const all = async (workspaceId: string) => {
    const numbers: number[] = []
    for (let after: string | null = null; ; ) {
      const wanted = { workspaceId, destinationNumber: null, failedOnly: false, limit: limits.deliveries.listed, after }
      const page: AskResults['list-deliveries'] = await ask('list-deliveries', wanted)
      numbers.push(...page.items.map(item => item.number))
      if (page.next === null) return numbers
      after = page.next
    }
  }
  t.strictSame(
    await all('large'),
    Array.from({ length: 200 }, (_, i) => 200 - i),
  )
  t.ok(read <= 1.5 * 200, `${read} rows read for 200`)
  calls = 0
  t.strictSame(
    await all('small'),
    Array.from({ length: 200 }, (_, i) => 400 - i),
  )
  t.ok(calls <= 4, `${calls} questions to the store for 200 small rows`)
})
