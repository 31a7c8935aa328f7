// The audit in the directory: rows are stored once, listed newest first, and deleted when their time ends. Reference: docs/reference/v3.md,
// 11.3 to 11.5.
import { join } from 'node:path'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import t, { type Test } from 'tap'
import { createDirectoryClient } from '#shared/bus/clients/clients.ts'
import type { AuditBlock } from '#shared/contracts/ask/ask-audit.ts'
import { limits, minute } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import { openSqliteStore } from '#shared/store/sqlite/sqlite.ts'
import { auditNumbers } from '#shared/text/audit-ids.ts'
import { startDirectory } from '../../services/directory/app.ts'
import type { AuditRow } from '../../services/gateway/audit/audit-row.ts'
import { createMemoryHub } from '../support/bus/memory-bus.ts'
import { createHandClock } from '../support/hand-clock.ts'
import { auditBlocks, auditRow } from '../support/store/audit-rows.ts'
import { createMemoryStore } from '../support/store/memory-store.ts'

const { lookedAt, flushRows, blockMs, expireSlice, expireSliceMs } = limits.audit

async function start(t: Test, store: Store) {
  const clock = createHandClock()
  const hub = createMemoryHub({ clock })
  const around = { bus: hub.connect(), clock, store, logger: pino({ level: 'silent' }), metrics: new Registry() }
  const service = await startDirectory(around)
  t.teardown(() => service.stop())
  const { ask } = createDirectoryClient(hub.connect(), clock)
  let number = 0
  const row = (more: Partial<AuditRow> = {}) => auditRow(clock.now(), more)
  const record = async (rows: AuditRow[], gateway = 'gate01') => {
    for (let i = 0; i < rows.length; i += flushRows) {
      await ask('record-audit', { blocks: auditBlocks(rows.slice(i, i + flushRows), { gateway, number: number + i }) })
    }
    number += rows.length
  }
  const all = { workspaceId: 'w1', personId: null, path: null, since: null, until: null, limit: 200, after: null }
  return { ask, clock, row, record, list: (more: Partial<typeof all> | object = {}) => ask('list-audit', { ...all, ...more }) }
}

/** Waits until the directory's requests to its store are done. */
async function settle(store: Store): Promise<void> {
  for (let i = 0; i < 10; i++) {
    await store.ping()
    await new Promise(setImmediate)
  }
}

function onEachStore(title: string, run: (t: Test, store: Store) => Promise<void>): void {
  t.test(`${title}, on the memory store`, t => run(t, createMemoryStore()))
  t.test(`${title}, on sqlite`, async t => {
    const store = await openSqliteStore(join(t.testdir(), 'audit.db'))
    t.teardown(() => store.close())
    await run(t, store)
  })
}

onEachStore('rows of a workspace are listed newest first, as they were recorded (v3 11.5)', async (t, store) => {
  const { clock, row, record, list } = await start(t, store)
  const at = clock.now()
  const address = { personId: null, personName: null, keyId: null, keyPrefix: null, addressId: 'a1', userAgent: null }
  await record([row({ status: 403 }), row({ at: at + 1, ...address }), row({ workspaceId: null }), row({ workspaceId: 'w10' })])
  await record([row({ at: at - 1 }), row({ status: 409 })])
  const { items, next } = await list()
  t.equal(next, null)
  t.strictSame(
    items.map(item => [item.at - at, item.status]),
    [
      [1, 201],
      [0, 409],
      [0, 403],
      [-1, 201],
    ],
    'of one instant the later row first, and none of another workspace',
  )
  t.strictSame(items[0], {
    at: at + 1,
    workspaceId: 'w1',
    person: null,
    key: null,
    address: { id: 'a1' },
    destination: null,
    method: 'POST',
    path: '/api/v3/workspaces/w1/templates',
    status: 201,
    userAgent: null,
    made: null,
  })
  t.match(items[1], {
    person: { id: 'ann', name: 'Ann' },
    key: { id: 'k1', prefix: 'wk_1234' },
    address: null,
    destination: null,
  })
  t.match((await list({ workspaceId: null })).items, [{ workspaceId: null }])
})

onEachStore('block is stored once when it is sent again (v3 11.4)', async (t, store) => {
  const { ask, clock, row, list } = await start(t, store)
  const blocks = auditBlocks([row(), row(), row({ isObservation: true })])
  await ask('record-audit', { blocks })
  await ask('record-audit', { blocks: [...blocks, ...auditBlocks([row()], { number: 3 })] })
  t.equal((await list()).items.length, 4)
  const later = auditBlocks([row({ at: clock.now() + 1 })], { number: 4 })
  await ask('record-audit', { blocks: later })
  t.equal((await list()).items.length, 5)
})

onEachStore('filters are a person, a prefix behind the workspace, and instants from and before (v3 11.5)', async (t, store) => {
  const { clock, row, record, list } = await start(t, store)
  const at = clock.now()
  const base = '/api/v3/workspaces/w1'
  await record([
    row({ at: at + 1, path: `${base}/templates` }),
    row({ at: at + 2, path: `${base}/resources/r1`, personId: 'bob', personName: 'Bob' }),
    row({ at: at + 3, path: '/session/workspaces/w1/members' }),
    row({ at: at + 4, path: '/in/…', addressId: 'a1' }),
    row({ at: at + 5, path: '/session/workspaces/w1' }),
  ])
  const rows: [filter: object, found: number[]][] = [
    [{}, [5, 4, 3, 2, 1]],
    [{ personId: 'bob' }, [2]],
    [{ personId: 'nobody' }, []],
    [{ path: '/templates' }, [1]],
    [{ path: '/resources/r' }, [2]],
    [{ path: '/m' }, [3]],
    [{ path: '/in' }, [4]],
    [{ path: '/api' }, []],
    [{ since: at + 3 }, [5, 4, 3]],
    [{ until: at + 3 }, [2, 1]],
    [{ since: at + 2, until: at + 4, personId: 'ann' }, [3]],
    [{ since: at + 9, until: at }, []],
    [{ since: -1, until: Number.MAX_SAFE_INTEGER }, [5, 4, 3, 2, 1]],
  ]
  for (const [filter, found] of rows) {
    const { items, next } = await list(filter)
    t.strictSame(
      items.map(item => item.at - at),
      found,
      JSON.stringify(filter),
    )
    t.equal(next, null)
  }
})

onEachStore('pages neither repeat nor miss a row during new records (v3 11.5)', async (t, store) => {
  const { clock, row, record, list } = await start(t, store)
  const at = clock.now()
  await record(Array.from({ length: 7 }, (_, i) => row({ at: at + i })))
  const found: number[] = []
  let after: string | null = null
  let pages = 0
  do {
    const page: Awaited<ReturnType<typeof list>> = await list({ limit: 3, after })
    found.push(...page.items.map(item => item.at - at))
    after = page.next
    pages++
    await record([row({ at: at + 100 + pages })])
  } while (after !== null)
  t.strictSame(found, [6, 5, 4, 3, 2, 1, 0])
  t.equal(pages, 3)
  await t.rejects(list({ after: '../w2/x' }), { code: 'validation', facts: { field: 'cursor' } })
})

onEachStore('one response reads a bounded number of rows, and the next continues (v3 11.5)', async (t, store) => {
  const { clock, row, record, list } = await start(t, store)
  const at = clock.now()
  const rare = row({ at, personId: 'rare' })
  await record([rare, ...Array.from({ length: lookedAt - 1 }, (_, i) => row({ at: at + 1 + i }))])
  t.match(await list({ personId: 'rare' }), { items: [{ person: { id: 'rare' } }] }, 'the last row that it looks at')
  await record([row({ at: at + 2 * lookedAt })])
  const page = await list({ personId: 'rare' })
  t.strictSame(page.items, [], 'one row further')
  t.not(page.next, null)
  t.match(await list({ personId: 'rare', after: page.next }), { items: [{ person: { id: 'rare' } }], next: null })
})

onEachStore('every workspace of the rows is listed, in any order of ids', async (t, store) => {
  const { ask, row, record } = await start(t, store)
  const workspaces = ['w1', null, 'w10', 'w1-x', '-w', '.w', 'w1.x', 'W1', 'zz']
  await record(workspaces.flatMap(workspaceId => [row({ workspaceId }), row({ workspaceId })]))
  const { items, next } = await ask('list-audited-workspaces', { after: null })
  t.equal(next, null)
  t.strictSame([...items].sort(), [...workspaces].sort())
  t.equal(new Set(items).size, items.length)
})

onEachStore('workspaces of the rows are listed in pages', async (t, store) => {
  const { ask, row, record } = await start(t, store)
  const names = Array.from({ length: limits.audit.workspacesPerPage + 1 }, (_, i) => `w${String(i).padStart(4, '0')}`)
  await record([row({ workspaceId: null }), ...names.map(workspaceId => row({ workspaceId }))])
  const first = await ask('list-audited-workspaces', { after: null })
  t.equal(first.items.length, limits.audit.workspacesPerPage)
  const second = await ask('list-audited-workspaces', { after: first.next })
  t.strictSame([...first.items, ...second.items], [null, ...names])
  t.equal(second.next, null)
})

onEachStore('row leaves after 400 days, and the row of an Observation after 30 (v3 11.4)', async (t, store) => {
  const { clock, row, record, list } = await start(t, store)
  const { auditMs, auditObservationsMs } = limits.retention
  const day = 24 * 60 * minute
  t.strictSame([auditMs / day, auditObservationsMs / day], [400, 30])
  await record([row(), row({ status: 202, isObservation: true }), row({ status: 422, isObservation: true })])
  const left = async () => (await list()).items.map(({ status }) => status)
  const later = async (ms: number) => {
    clock.advance(ms)
    await settle(store)
  }
  await later(auditObservationsMs - minute)
  t.strictSame(await left(), [422, 202, 201])
  await later(2 * minute)
  t.strictSame(await left(), [201])
  await later(auditMs - auditObservationsMs - 2 * minute)
  t.strictSame(await left(), [201])
  await later(2 * minute)
  t.strictSame(await left(), [])
})

onEachStore('block leaves with its newest row (v3 11.4)', async (t, store) => {
  const { clock, row, record, list } = await start(t, store)
  const at = clock.now()
  await record([row(), row({ at: at + blockMs })])
  const later = async (ms: number) => {
    clock.advance(ms)
    await settle(store)
    return (await list()).items.length
  }
  t.equal(await later(limits.retention.auditMs), 2)
  t.equal(await later(limits.directory.expireMs), 0)
})

onEachStore('expired blocks beyond one slice are removed slice by slice (v3 11.4)', async (t, store) => {
  const { clock, row, record } = await start(t, store)
  const count = 2 * expireSlice + 1
  await record(Array.from({ length: count }, (_, i) => row({ isObservation: true, workspaceId: `w${i}` })))
  clock.advance(limits.retention.auditObservationsMs)
  await settle(store)
  clock.advance(limits.directory.expireMs)
  await settle(store)
  t.equal(await store.count('server_api_audit', {}), count - expireSlice)
  for (let slices = 1; slices < 3; slices++) {
    clock.advance(expireSliceMs)
    await settle(store)
  }
  t.equal(await store.count('server_api_audit', {}), 0)
})

/** A reproducible pseudo-random sequence of numbers from 0 to below 1. */
function numbersFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

onEachStore('pages neither repeat nor miss a row when they end within overlapping blocks (v3 11.5)', async (t, store) => {
  const { clock, row, ask, list } = await start(t, store)
  const next = numbersFrom(7)
  const begun = clock.now()
  const made: { at: number; number: number; gateway: string; mark: string; person: string }[] = []
  for (const gateway of ['gate01', 'gate02', 'gate03']) {
    let at = begun
    for (let number = 0; number < 240; ) {
      const rows = Array.from({ length: 1 + Math.floor(next() * 40) }, (_, i) => {
        at += next() < 0.4 ? 0 : Math.floor(next() * 130)
        const person = next() < 0.1 ? 'bob' : 'ann'
        const mark = `/${gateway}/${number + i}`
        made.push({ at, number: number + i, gateway, mark, person })
        return row({ at, isObservation: next() < 0.5, personId: person, path: `/api/v3/workspaces/w1${mark}` })
      })
      await ask('record-audit', { blocks: auditBlocks(rows, { gateway, number }) })
      number += rows.length
    }
  }
  made.sort((a, b) => b.at - a.at || b.number - a.number || (a.gateway < b.gateway ? 1 : -1))
  const read = async (filter: { limit: number; personId?: string; path?: string; since?: number; until?: number }) => {
    const found: string[] = []
    let after: string | null = null
    do {
      const page: Awaited<ReturnType<typeof list>> = await list({ ...filter, after })
      t.ok(page.items.length <= filter.limit)
      found.push(...page.items.map(({ path }) => path.slice('/api/v3/workspaces/w1'.length)))
      after = page.next
    } while (after !== null)
    return found
  }
  const marks = (rows: typeof made) => rows.map(({ mark }) => mark)
  for (const limit of [1, 7, 50, 200]) t.strictSame(await read({ limit }), marks(made), `pages of ${limit}`)
  t.strictSame(await read({ limit: 3, personId: 'bob' }), marks(made.filter(({ person }) => person === 'bob')))
  t.strictSame(await read({ limit: 11, path: '/gate02/' }), marks(made.filter(({ gateway }) => gateway === 'gate02')))
  for (let i = 0; i < 20; i++) {
    const [since, until] = [made[Math.floor(next() * made.length)]?.at ?? 0, made[Math.floor(next() * made.length)]?.at ?? 0]
    const expected = marks(made.filter(({ at }) => at >= since && at < until))
    t.strictSame(await read({ limit: 200, since, until }), expected, `from ${since - begun} to ${until - begun}`)
  }
})

onEachStore('late row of a slow gateway comes with the next page (v3 11.5)', async (t, store) => {
  const { clock, row, record, list } = await start(t, store)
  const at = clock.now()
  await record([row({ at }), row({ at: at + 400 }), row({ at: at + 500 })])
  const first = await list({ limit: 2 })
  await record([row({ at: at + 100, status: 409 }), row({ at: at + 900 })], 'gate02')
  const second = await list({ limit: 2, after: first.next })
  t.strictSame(
    second.items.map(item => [item.at - at, item.status]),
    [
      [100, 409],
      [0, 201],
    ],
  )
})

onEachStore('page reads few of many blocks (v3 11.5)', async (t, store) => {
  const { clock, row, record, list } = await start(t, store)
  const at = clock.now()
  for (let i = 0; i < 20; i++) await record(Array.from({ length: flushRows }, () => row({ at: at + i * blockMs })))
  let blocks = 0
  const find = store.find.bind(store)
  store.find = async (...asked) => {
    const found = await find(...asked)
    blocks += found.length
    return found
  }
  const { next } = await list({ limit: 50 })
  t.ok(blocks <= 2, `${blocks} blocks for the first page`)
  blocks = 0
  await list({ limit: 50, after: next })
  t.ok(blocks <= 2, `${blocks} blocks for the next page`)
  blocks = 0
  t.strictSame((await list({ personId: 'nobody' })).items, [])
  t.ok(blocks <= lookedAt / flushRows + 4, `${blocks} blocks for ${lookedAt} rows`)
})

onEachStore('row says what its request made, and a block of an older version is read without it', async (t, store) => {
  const { row, record, list } = await start(t, store)
  const made = { kind: 'resource', id: 'r1', name: 'Shop' } as const
  await record([row(), row({ made }), row({ status: 403 })])
  t.strictSame(
    (await list()).items.map(item => item.made),
    [null, made, null],
  )
  const [block] = await store.find('server_api_audit', { limit: 1 })
  if (block === undefined) throw new Error('no block')
  await store.upsert('server_api_audit', [{ ...block, data: JSON.stringify(JSON.parse(block.data).slice(0, 5)) }])
  t.strictSame(
    (await list()).items.map(item => item.made),
    [null, null, null],
  )
})

t.test('damaged block is reported as an error, not read as an empty block', async t => {
  const store = createMemoryStore()
  const { clock, row, record, list } = await start(t, store)
  await record([row()])
  const [block] = await store.find('server_api_audit', { limit: 1 })
  t.ok(block)
  if (block === undefined) return
  await store.upsert('server_api_audit', [{ ...block, data: block.data.slice(1) }])
  await t.rejects(list(), { code: 'internal' })
  t.ok(clock.now() > 0)
})

t.test('block has at most 500 rows of one second, and bounded columns (v3 11.4)', async t => {
  const { ask, row, list } = await start(t, createMemoryStore())
  const blockOf = (rows: number, more: object = {}) => ({
    ...(auditBlocks(
      Array.from({ length: rows }, () => row({ path: 'x'.repeat(500), userAgent: 'x'.repeat(200) })),
    )[0] as AuditBlock),
    ...more,
  })
  const refused: [code: string, block: AuditBlock][] = [
    ['malformed', blockOf(501)],
    ['malformed', blockOf(1, { paths: ['x'.repeat(501)] })],
    ['malformed', blockOf(1, { afterMs: [blockMs + 1] })],
    ['malformed', blockOf(1, { numbers: [auditNumbers] })],
    ['malformed', blockOf(1, { gateway: 'gate1' })],
    ['validation', blockOf(2, { paths: ['x'] })],
    ['validation', blockOf(1, { kindOf: [1] })],
    ['validation', blockOf(1, { made: [{ row: 1, kind: 'resource', id: 'r1', name: '' }] })],
    ['malformed', blockOf(1, { made: [{ row: 0, kind: 'resource', id: 'r1', name: 'x'.repeat(201) }] })],
  ]
  for (const [code, block] of refused) await t.rejects(ask('record-audit', { blocks: [block] }), { code })
  t.strictSame((await list()).items, [])
  await ask('record-audit', { blocks: [blockOf(500, { numbers: Array.from({ length: 500 }, (_, i) => auditNumbers - 1 - i) })] })
  t.equal((await list({ limit: 200 })).items.length, 200)
})
