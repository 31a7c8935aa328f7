// The audit in the directory: rows are stored once, listed newest first, and leave in time. Rules: docs/reference/v3.md, 11.3 to 11.5.
import { join } from 'node:path'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import t, { type Test } from 'tap'
import { createDirectoryClient } from '#shared/bus/ask-directory.ts'
import type { AuditRow } from '#shared/contracts/ask-audit.ts'
import { limits, minute } from '#shared/limits.ts'
import type { Store } from '#shared/store/port.ts'
import { openSqliteStore } from '#shared/store/sqlite.ts'
import { startDirectory } from '../../services/directory/app.ts'
import { createHandClock } from '../support/hand-clock.ts'
import { createMemoryHub } from '../support/memory-bus.ts'
import { createMemoryStore } from '../support/memory-store.ts'

const { lookedAt, perRead } = limits.audit

async function start(t: Test, store: Store) {
  const clock = createHandClock()
  const hub = createMemoryHub({ clock })
  const around = { bus: hub.connect(), clock, store, logger: pino({ level: 'silent' }), metrics: new Registry() }
  const service = await startDirectory(around)
  t.teardown(() => service.stop())
  const { ask } = createDirectoryClient(hub.connect(), clock)
  let number = 0
  const row = (more: Partial<AuditRow> = {}): AuditRow => ({
    at: clock.now(),
    order: String(++number).padStart(9, '0'),
    workspaceId: 'w1',
    personId: 'ann',
    personName: 'Ann',
    keyId: 'k1',
    keyPrefix: 'wk_1234',
    addressId: null,
    method: 'POST',
    path: '/api/v3/workspaces/w1/templates',
    status: 201,
    userAgent: 'curl/8',
    isObservation: false,
    ...more,
  })
  const record = async (rows: AuditRow[]) => {
    for (let i = 0; i < rows.length; i += 500) await ask('record-audit', { rows: rows.slice(i, i + 500) })
  }
  const all = { workspaceId: 'w1', personId: null, path: null, since: null, until: null, limit: 200, after: null }
  return { ask, clock, row, record, list: (more: Partial<typeof all> | object = {}) => ask('list-audit', { ...all, ...more }) }
}

/** Until what the directory has begun with its store is done. */
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

onEachStore('v3 11.5: rows of a workspace are listed newest first, as they were recorded', async (t, store) => {
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
    method: 'POST',
    path: '/api/v3/workspaces/w1/templates',
    status: 201,
    userAgent: null,
  })
  t.match(items[1], { person: { id: 'ann', name: 'Ann' }, key: { id: 'k1', prefix: 'wk_1234' }, address: null })
  t.match((await list({ workspaceId: null })).items, [{ workspaceId: null }])
})

onEachStore('v3 11.4: rows that are sent again are stored once', async (t, store) => {
  const { row, record, list } = await start(t, store)
  const rows = [row(), row()]
  await record(rows)
  await record([...rows, row()])
  t.equal((await list()).items.length, 3)
})

onEachStore('v3 11.5: filters are a person, a prefix behind the workspace, and instants from and before', async (t, store) => {
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

onEachStore('v3 11.5: pages neither repeat nor miss a row, whatever is recorded meanwhile', async (t, store) => {
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

onEachStore('v3 11.5: one answer looks at a bounded number of rows, and the next one goes on', async (t, store) => {
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
  t.ok(lookedAt % perRead === 0)
})

onEachStore('every workspace that rows name is listed, however its id sorts', async (t, store) => {
  const { ask, row, record } = await start(t, store)
  const workspaces = ['w1', null, 'w10', 'w1-x', '-w', '.w', 'w1.x', 'W1', 'zz']
  await record(workspaces.flatMap(workspaceId => [row({ workspaceId }), row({ workspaceId })]))
  const { items, next } = await ask('list-audited-workspaces', { after: null })
  t.equal(next, null)
  t.strictSame([...items].sort(), [...workspaces].sort())
  t.equal(new Set(items).size, items.length)
})

onEachStore('workspaces that rows name are listed in pages', async (t, store) => {
  const { ask, row, record } = await start(t, store)
  const names = Array.from({ length: limits.audit.workspacesPerPage + 1 }, (_, i) => `w${String(i).padStart(4, '0')}`)
  await record([row({ workspaceId: null }), ...names.map(workspaceId => row({ workspaceId }))])
  const first = await ask('list-audited-workspaces', { after: null })
  t.equal(first.items.length, limits.audit.workspacesPerPage)
  const second = await ask('list-audited-workspaces', { after: first.next })
  t.strictSame([...first.items, ...second.items], [null, ...names])
  t.equal(second.next, null)
})

onEachStore('v3 11.4: a row leaves after 400 days, that of an Observation after 30', async (t, store) => {
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

onEachStore('v3 11.4: more expired rows than one slice are removed one slice after the other', async (t, store) => {
  const { clock, row, record } = await start(t, store)
  const count = 2 * limits.directory.expireSlice + 1
  await record(Array.from({ length: count }, () => row({ isObservation: true })))
  clock.advance(limits.retention.auditObservationsMs)
  await settle(store)
  clock.advance(limits.directory.expireMs)
  await settle(store)
  t.equal(await store.count('server_api_audit', {}), count - limits.directory.expireSlice)
  for (let slices = 1; slices < 3; slices++) {
    clock.advance(limits.audit.expireSliceMs)
    await settle(store)
  }
  t.equal(await store.count('server_api_audit', {}), 0)
})

t.test('v3 11.4: a batch has at most 500 rows', async t => {
  const { ask, row } = await start(t, createMemoryStore())
  await t.rejects(ask('record-audit', { rows: Array.from({ length: 501 }, () => row()) }), { code: 'malformed' })
  await t.rejects(ask('record-audit', { rows: [row({ path: 'x'.repeat(501) })] }), { code: 'malformed' })
  await ask('record-audit', { rows: [row({ path: 'x'.repeat(500), userAgent: 'x'.repeat(200) })] })
})
