// Rosters, the lists of subjects in the memory of a directory: read from each store, updated by messages, corrected after a lost message.
import { join } from 'node:path'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import t, { type Test } from 'tap'
import { subjects } from '#shared/bus/subjects.ts'
import type { RosterRow } from '#shared/contracts/subjects/roster.ts'
import type { RuleState, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { limits } from '#shared/limits/limits.ts'
import { createLogger } from '#shared/observability/logger.ts'
import { openStore } from '#shared/store/open-store.ts'
import type { Store } from '#shared/store/port.ts'
import { openSqliteStore } from '#shared/store/sqlite/sqlite.ts'
import { rosterRow } from '#shared/subjects/roster-row.ts'
import { watchedLine } from '#shared/subjects/watched-line.ts'
import { createRosters } from '../../services/directory/roster/rosters.ts'
import { createSortedRows } from '../../services/directory/roster/sorted-rows.ts'
import { websiteMeta } from '../keeper/world.ts'
import { createMemoryHub } from '../support/bus/memory-bus.ts'
import { createHandClock } from '../support/hand-clock.ts'
import { createMemoryStore } from '../support/store/memory-store.ts'
import { sharedMongodb } from '../support/store/secantus.ts'
import { subjectDocument } from '../support/worlds/fake-keeper.ts'

const workspaceId = 'workspace0'
const everything = { workspaceId, status: 'all', kind: 'all', text: '', from: 0, count: 200 } as const
const idOf = (number: number) => `Sub${String(number).padStart(7, '0')}`
const subject = (number: number, more: Partial<SubjectDocument> = {}): SubjectDocument => ({
  ...subjectDocument(idOf(number), workspaceId, `key-${number}`, `Name ${number}`, { ...websiteMeta, locations: [] }, 1),
  ...more,
})
const rowOf = (document: SubjectDocument) => rosterRow(document, () => null)
const settled = () => new Promise<void>(resolve => setImmediate(resolve))

function start(t: Test, store: Store) {
  const clock = createHandClock()
  const hub = createMemoryHub({ clock })
  const open = () => {
    const bus = hub.connect()
    const registry = new Registry()
    const rosters = createRosters({ store, bus, clock, logger: pino({ level: 'silent' }) }, registry)
    t.teardown(() => rosters.stop())
    const names = async () => (await rosters.page(everything)).rows.map(({ name }) => name)
    const kept = async () =>
      Number((await registry.getSingleMetricAsString('watchkeeper_directory_roster_rows')).split(' ').at(-1))
    return { bus, rosters, names, kept }
  }
  const keeper = hub.connect()
  const say = async (document: SubjectDocument) => {
    const row = rowOf(document)
    const news = row === null ? { kind: 'gone', id: document.id, rev: document.rev } : { kind: 'row', row }
    keeper.publish(subjects.state(document.workspaceId, document.id), news)
    await settled()
  }
  return { clock, hub, open, say }
}

const story = async (t: Test, store: Store) => {
  const { clock, open, say } = start(t, store)
  const [one, other] = [open(), open()]
  await store.insert(
    'subjects',
    [1, 2, 3].map(number => subject(number)),
  )
  await store.insert('subjects', [
    subject(4, { archivedAt: 5 }),
    subject(5, { deletedAt: 5 }),
    subject(6, { workspaceId: 'workspace1' }),
  ])
  t.strictSame(await one.names(), ['Name 1', 'Name 2', 'Name 3'])
  t.strictSame(await other.names(), ['Name 1', 'Name 2', 'Name 3'], 'each directory has its own')
  const renamed = subject(2, { rev: 2, name: 'Aaa' })
  await store.upsert('subjects', [renamed])
  await say(renamed)
  const made = subject(7)
  await store.insert('subjects', [made])
  await say(made)
  const archived = subject(1, { rev: 2, archivedAt: 9 })
  await store.upsert('subjects', [archived])
  await say(archived)
  for (const { names } of [one, other]) t.strictSame(await names(), ['Aaa', 'Name 3', 'Name 7'])
  await say(subject(2, { rev: 1 }))
  t.strictSame(await one.names(), ['Aaa', 'Name 3', 'Name 7'], 'older news changes nothing')
  await store.upsert('subjects', [subject(3, { rev: 2, deletedAt: 9 }), subject(7, { rev: 2, name: 'Zzz' }), subject(8)])
  clock.advance(limits.roster.compareMs - 1)
  t.strictSame(await one.names(), ['Aaa', 'Name 3', 'Name 7'], 'lost news')
  clock.advance(1)
  await one.names()
  for (let i = 0; i < 200 && (await one.names()).at(-1) !== 'Zzz'; i++) await store.ping()
  t.strictSame(await one.names(), ['Aaa', 'Name 8', 'Zzz'], 'found by the comparison of a minute later')
}

t.test('roster has the stored subjects, is updated by messages, and finds changes whose messages were lost', async t => {
  t.test('roster on the memory store has the stored subjects and follows messages', t => story(t, createMemoryStore()))
  t.test('roster on sqlite has the stored subjects and follows messages', async t => {
    const store = await openSqliteStore(join(t.testdir(), 'roster.db'))
    t.teardown(() => store.close())
    await story(t, store)
  })
  t.test('roster on mongodb has the stored subjects and follows messages', async t => {
    const mongodbUrl = await sharedMongodb(t)
    if (mongodbUrl === null) return t.comment('skipped: no server of the MongoDB wire protocol')
    const store = await openStore({ mongodbUrl, dataFolder: '', logger: createLogger('silent') })
    t.teardown(() => store.close())
    await story(t, store)
  })
})

t.test('roster is compared with the store before its next page when the bus was disconnected', async t => {
  const store = createMemoryStore()
  const { hub, open } = start(t, store)
  const { bus, names } = open()
  await store.insert('subjects', [subject(1)])
  t.strictSame(await names(), ['Name 1'])
  hub.cut(bus)
  await store.upsert('subjects', [subject(1, { rev: 2, name: 'Changed' })])
  hub.restore(bus)
  t.strictSame(await names(), ['Changed'])
})

t.test('second page that is asked for during the first read waits for it, and is refused if it fails', async t => {
  const store = createMemoryStore()
  await store.insert('subjects', [subject(1), subject(2)])
  let reads = 0
  let gate = Promise.withResolvers<void>()
  const find: Store['find'] = async (collection, query) => {
    reads++
    await gate.promise
    return store.find(collection, query)
  }
  const { open } = start(t, { ...store, find })
  const { names } = open()
  const refused = [names(), names()].map(page => t.rejects(page, /away/, 'not as an empty list'))
  await settled()
  refused.push(t.rejects(names(), /away/, 'nor later'))
  gate.reject(new Error('away'))
  await Promise.all(refused)
  gate = Promise.withResolvers()
  reads = 0
  const pages = [names(), names()]
  await settled()
  pages.push(names())
  await settled()
  gate.resolve()
  for (const page of pages) t.strictSame(await page, ['Name 1', 'Name 2'])
  t.equal(reads, 1, 'all of them join one read')
})

t.test('page is refused while the store does not respond, and returned afterwards', async t => {
  const store = createMemoryStore()
  let fails = true
  const find: Store['find'] = (collection, query) => (fails ? Promise.reject(new Error('away')) : store.find(collection, query))
  const { open } = start(t, { ...store, find })
  const { names } = open()
  await store.insert('subjects', [subject(1)])
  await t.rejects(names(), /away/)
  fails = false
  t.strictSame(await names(), ['Name 1'])
})

t.test('message about a deletion is applied when it arrives during the read of the store', async t => {
  const store = createMemoryStore()
  let meanwhile: () => Promise<void> = async () => undefined
  const get: Store['get'] = async (collection, ids) => {
    const found = await store.get(collection, ids)
    await meanwhile()
    return found
  }
  const { open, say } = start(t, { ...store, get })
  await store.insert('subjects', [subject(1), subject(2)])
  meanwhile = () => say(subject(1, { rev: 2, deletedAt: 3 }))
  t.strictSame(await open().names(), ['Name 2'])
})

t.test('list has all other subjects when a stored subject is damaged', async t => {
  const store = createMemoryStore()
  await store.insert('subjects', [subject(1, { rules: null as never }), subject(2)])
  t.strictSame(await start(t, store).open().names(), ['Name 2'])
})

t.test('roster is removed from memory five minutes after its last page', async t => {
  const store = createMemoryStore()
  const { clock, open } = start(t, store)
  const { names, kept } = open()
  await store.insert('subjects', [subject(1)])
  await names()
  clock.advance(limits.roster.keptMs - limits.roster.lookMs)
  await names()
  t.equal(await kept(), 1)
  clock.advance(limits.roster.keptMs + limits.roster.lookMs)
  t.equal(await kept(), 0)
  t.strictSame(await names(), ['Name 1'], 'and is made anew')
})

t.test('least recently read roster is removed from memory above the bound', async t => {
  const store = createMemoryStore()
  const { open } = start(t, store)
  const { rosters, kept } = open()
  const workspaces = Array.from({ length: limits.roster.rosters + 1 }, (_, i) => `ws${i}`)
  await store.insert(
    'subjects',
    workspaces.map((workspace, i) => subject(i, { workspaceId: workspace })),
  )
  for (const workspace of workspaces.slice(0, -1)) await rosters.page({ ...everything, workspaceId: workspace })
  t.equal(await kept(), limits.roster.rosters)
  await rosters.page({ ...everything, workspaceId: workspaces.at(-1)! })
  t.equal(await kept(), limits.roster.rosters)
})

t.test('incrementally sorted rows equal newly sorted rows after random changes', async t => {
  const rows = createSortedRows()
  const present = new Map<string, RosterRow>()
  let state = 42
  const by = (most: number) => {
    state = (state * 16_807) % 2_147_483_647
    return state % most
  }
  const statuses = ['down', 'no_data', 'pending', 'recovering', 'partly_known', 'unknown', 'up'] as const
  for (let i = 1; i <= 3_000; i++) {
    const id = idOf(by(120))
    if (by(4) === 0) {
      rows.remove(id)
      present.delete(id)
    } else {
      const base = rowOf(subject(by(120), { id, rev: i }))!
      const row = { ...base, status: statuses[by(7)]!, maintenanceUntil: by(9) === 0 ? 5 : null }
      rows.put(row)
      present.set(id, row)
    }
    if (i % 10 > 0) continue
    const expected = [...present.values()].sort(
      (a, b) =>
        statuses.indexOf(a.status) - statuses.indexOf(b.status) ||
        (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : a.name === b.name ? (a.id < b.id ? -1 : 1) : 1),
    )
    const page = rows.page({ ...everything })
    t.strictSame(
      page.rows.map(({ id }) => id),
      expected.map(({ id }) => id),
    )
    t.equal(page.counts.down, expected.filter(({ status }) => status === 'down').length)
    t.equal(page.counts.maintenance, expected.filter(({ maintenanceUntil }) => maintenanceUntil !== null).length)
  }
})

t.test('row of a website says what it watches, without credentials and with its first locations by name', async t => {
  const names = new Map([
    ['aaaa', 'frankfurt'],
    ['bbbb', 'oslo'],
  ])
  const lineOf = (locations: string[], url = 'https://shop.example/') => {
    const row = rowOf(subjectDocument(idOf(1), workspaceId, 'shop', 'Shop', { ...websiteMeta, url, locations }, 1))
    return watchedLine(row!.check!, id => names.get(id) ?? null)
  }
  t.equal(
    lineOf(['aaaa'], 'https://ann:pw@shop.example/health?token=abc'),
    'GET https://shop.example/health?token=redacted every 1m from frankfurt',
  )
  t.match(lineOf(['aaaa', 'bbbb', 'gone', 'cccc']), / from frankfurt, oslo and 2 more$/)
  t.match(lineOf(['gone']), / from 1 location$/, 'an id is no word for people')
  t.match(lineOf([]), / from no location$/)
  t.ok(lineOf(['aaaa'], `https://shop.example/${'x'.repeat(2_000)}`).length < 300)
  t.equal(rowOf(subject(2, { kind: 'custom', check: null }))?.check, null)
})

t.test('a rule that cannot decide does not hide another that is ok, and each row that is not up says why', async t => {
  const rule = { key: 'a', policy: { language: 'decision' } } as unknown as RuleState
  const silence = 'silent since 2026-01-05T12:02:00.000Z'
  const inputs = [{ input: 'beat', value: 'unknown' as const, at: 1, reason: silence }]
  const said = (verdict: 'ok' | 'problem' | 'no_data' | 'not_judged', more = {}): RuleState => ({
    ...{ ...rule, incident: null },
    verdict: { verdict, since: 7, explanation: 'x', evidence: { inputs, omitted: 0, truncated: false }, ...more },
  })
  const context = {
    incidentId: 'i',
    troubleSince: 1,
    effectiveAt: 1,
    wellSince: null,
    acknowledgedAt: null,
    acknowledgedBy: null,
  }
  const opened = (value: string, verdict: 'ok' | 'problem' | 'no_data'): RuleState => ({
    ...said(verdict),
    incident: { value, context, words: { rule: { key: 'a' } } } as never,
  })
  const shown = (...rules: RuleState[]) => {
    const row = rowOf(subject(2, { rules }))
    return [row?.status, row?.why?.reason ?? row?.incident?.explanation ?? null, row?.why?.input ?? null]
  }
  t.strictSame(shown(opened('noData', 'no_data')), ['no_data', 'x', null])
  t.strictSame(shown(opened('noData', 'no_data'), said('ok')), ['partly_known', 'x', null])
  t.strictSame(shown(opened('noData', 'no_data'), opened('recovering', 'ok')), ['no_data', 'x', null])
  for (const [value, verdict] of [
    ['pending', 'problem'],
    ['recovering', 'ok'],
  ] as const) {
    t.strictSame(shown(opened('noData', 'no_data'), opened(value, verdict), said('ok')), [value, 'x', null], value)
  }
  t.strictSame(shown(opened('problem', 'problem'), said('ok'), said('not_judged', { isHeard: true })), ['down', 'x', null])
  t.strictSame(shown(said('not_judged', { isHeard: true })), ['no_data', silence, 'beat'])
  t.strictSame(shown(said('not_judged', { isHeard: true }), said('ok')), ['partly_known', silence, 'beat'])
  t.strictSame(shown(said('not_judged'), said('ok')), ['up', null, null], 'a rule that waits for its first report')
  t.strictSame(shown(said('not_judged')), ['unknown', 'waiting for its first report', null])
  t.strictSame(shown(), ['unknown', 'no rule judges it yet', null])
})
