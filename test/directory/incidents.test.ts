// Reads of Incidents of generation 3 in the directory, on each store: pages, filters, and the number of rows read. Reference:
// docs/reference/v3.md, 5 and 9.

import { join } from 'node:path'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import t, { type Test } from 'tap'
import { createDirectoryClient } from '#shared/bus/clients/clients.ts'
import type { IncidentFilters } from '#shared/contracts/ask/ask-incidents.ts'
import type { Page } from '#shared/contracts/ask/reply.ts'
import type { IncidentDocument } from '#shared/contracts/incidents/incident.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { facetsOf, facetsWithin } from '#shared/incidents/incident-facets.ts'
import { limits } from '#shared/limits/limits.ts'
import { createLogger } from '#shared/observability/logger.ts'
import { openStore } from '#shared/store/open-store.ts'
import type { Store } from '#shared/store/port.ts'
import { openSqliteStore } from '#shared/store/sqlite/sqlite.ts'
import { startDirectory } from '../../services/directory/app.ts'
import { tagDocumentsOf, withTags } from '../../services/keeper/round/outbox.ts'
import { history, incident, subject } from '../store/documents.ts'
import { createMemoryHub } from '../support/bus/memory-bus.ts'
import { createHandClock } from '../support/hand-clock.ts'
import { createMemoryStore } from '../support/store/memory-store.ts'
import { sharedMongodb } from '../support/store/secantus.ts'
import { storeTags } from '../support/worlds/store-tags.ts'

async function start(t: Test, store: Store) {
  const clock = createHandClock()
  const hub = createMemoryHub({ clock })
  const context = { bus: hub.connect(), clock, store, logger: pino({ level: 'silent' }), metrics: new Registry() }
  const service = await startDirectory(context)
  t.teardown(() => service.stop())
  return createDirectoryClient(hub.connect(), clock)
}

function onEachStore(title: string, run: (t: Test, store: Store) => Promise<void>): void {
  t.test(`${title}, on the memory store`, t => run(t, createMemoryStore()))
  t.test(`${title}, on sqlite`, async t => {
    const store = await openSqliteStore(join(t.testdir(), 'incidents.db'))
    t.teardown(() => store.close())
    await run(t, store)
  })
}

const everything: IncidentFilters = {
  state: 'all',
  template: null,
  meta: [],
  labels: [],
  resources: [],
  rule: null,
  isOpen: null,
  isConfirmed: null,
  isAcknowledged: null,
}
const both = [null, true, false]

/** Returns Incidents of two workspaces, 40 Resources and 3 rules. Some of the Incidents open at the same instant. */
function someIncidents(count: number): IncidentDocument[] {
  return Array.from({ length: count }, (_, i) => {
    const facets = { isOpen: i % 3 === 0, isConfirmed: i % 5 !== 0, isAcknowledged: i % 7 === 0 }
    const subjectId = `subject${String(i % 40).padStart(3, '0')}`
    return incident(`${subjectId}.${i + 1}`, {
      subjectId,
      workspaceId: i % 40 < 30 ? 'w' : 'x',
      ruleShown: `rule${i % 3}`,
      number: i + 1,
      open: facets.isOpen ? 1 : 0,
      facets: facetsOf(facets),
      confirmedAt: facets.isConfirmed ? 1 : null,
      acknowledgedAt: facets.isAcknowledged ? 1 : null,
      acknowledgedBy: facets.isAcknowledged ? 'Ada' : null,
      troubleSince: Math.floor(i / 3),
    })
  })
}

async function fill(store: Store, documents: readonly IncidentDocument[]): Promise<void> {
  const ids = [...new Set(documents.map(({ subjectId }) => subjectId))]
  const workspaceOf = new Map(documents.map(({ subjectId, workspaceId }) => [subjectId, workspaceId]))
  const subjects = ids.map(id => subject(id, { workspaceId: workspaceOf.get(id) ?? '', slug: `key-${id}`, name: `Name ${id}` }))
  await store.insert('subjects', subjects)
  for (let i = 0; i < documents.length; i += 1_000) await store.insert('incidents', documents.slice(i, i + 1_000))
}

const newestFirst = (one: IncidentDocument, other: IncidentDocument) =>
  other.troubleSince - one.troubleSince || (one.id < other.id ? 1 : -1)

const everyMix = both.flatMap(isOpen =>
  both.flatMap(isConfirmed => both.map(isAcknowledged => ({ isOpen, isConfirmed, isAcknowledged }))),
)

onEachStore('pages with every mix of filters have the matching Incidents, newest first (v3 9.1, 9.2 and 9.5)', (t, store) =>
  listsWhatFits(t, store, everyMix),
)

t.test('pages with several filters have the matching Incidents, newest first, on mongodb (v3 9.1, 9.2 and 9.5)', async t => {
  const mongodbUrl = await sharedMongodb(t)
  if (mongodbUrl === null) return t.comment('skipped: no server of the MongoDB wire protocol')
  const store = await openStore({ mongodbUrl, dataFolder: '', logger: createLogger('silent') })
  t.teardown(() => store.close())
  await listsWhatFits(t, store, [everyMix[0], everyMix[9], everyMix[14]] as typeof everyMix)
})

async function listsWhatFits(t: Test, store: Store, mixes: typeof everyMix): Promise<void> {
  const { ask } = await start(t, store)
  const documents = someIncidents(600)
  await fill(store, documents)
  for (const mix of mixes) {
    for (const rule of [null, 'rule1']) {
      for (const resources of [[], ['key-subject007'], ['subject007', 'key-subject007'], ['subject007', 'subject008']]) {
        const filters = { ...everything, ...mix, rule, resources }
        const wanted = facetsWithin(mix)
        const expected = documents
          .filter(one => one.workspaceId === 'w' && wanted.includes(one.facets))
          .filter(one => rule === null || one.ruleShown === rule)
          .filter(one => resources.every(name => name.endsWith(one.subjectId)))
          .toSorted(newestFirst)
          .map(({ id }) => id)
        const found: string[] = []
        let after: string | null = null
        do {
          const page: Page<{ id: string }> = await ask('list-incidents', { workspaceId: 'w', filters, after, limit: 50 })
          t.ok(page.items.length === 50 || page.next === null, 'a page is full but for the last')
          found.push(...page.items.map(({ id }) => id))
          after = page.next
        } while (after !== null)
        t.strictSame(found, expected, JSON.stringify(filters))
      }
    }
  }
}

onEachStore('Incident of a deleted Resource or another workspace is in no list and not read', async (t, store) => {
  const { ask } = await start(t, store)
  const documents = someIncidents(10)
  await fill(store, documents)
  await store.upsert('subjects', [subject('subject001', { workspaceId: 'w', deletedAt: 1 })])
  const { items } = await ask('list-incidents', { workspaceId: 'w', filters: everything, limit: 50 })
  t.equal(items.length, 9)
  t.notOk(items.some(({ resource }) => resource.id === 'subject001'))
  t.equal(await ask('read-incident', { workspaceId: 'w', incidentId: 'subject001.2' }), null)
  t.equal(await ask('read-incident', { workspaceId: 'x', incidentId: 'subject002.3' }), null)
  t.match(await ask('read-incident', { workspaceId: 'w', incidentId: 'subject002.3' }), {
    resource: { id: 'subject002', key: 'key-subject002', name: 'Name subject002' },
  })
})

onEachStore('Incidents of few and of many Resources behind a filter are found, newest first (v3 9.5)', async (t, store) => {
  const { ask } = await start(t, store)
  const documents = Array.from({ length: 900 }, (_, i) => {
    const subjectId = `subject${String(i % 300).padStart(3, '0')}`
    return incident(`${subjectId}.${i + 1}`, { subjectId, workspaceId: 'w', troubleSince: i, ruleShown: `rule${i % 2}` })
  })
  await store.insert('incidents', documents)
  for (let i = 0; i < 300; i++) {
    const labels = { few: String(i % 10), many: String(i % 2) }
    const archivedAt = i % 4 === 0 ? 1 : null
    const made = subject(`subject${String(i).padStart(3, '0')}`, { workspaceId: 'w', slug: `k${i}`, labels, archivedAt })
    await store.insert('subjects', [made])
    await storeTags(store, null, made)
  }
  const numberOf = ({ subjectId }: IncidentDocument) => Number(subjectId.slice(-3))
  const label = (key: string, value: string) => ({ labels: [{ key, value }] })
  const cases: [Partial<IncidentFilters>, (one: IncidentDocument) => boolean][] = [
    [label('few', '3'), one => numberOf(one) % 10 === 3],
    [label('many', '1'), one => numberOf(one) % 2 === 1],
    [{ ...label('many', '1'), rule: 'rule1' }, one => numberOf(one) % 2 === 1 && one.ruleShown === 'rule1'],
    [{ ...label('many', '0'), state: 'archived' }, one => numberOf(one) % 4 === 0],
    [{ ...label('many', '0'), resources: ['k2'] }, one => numberOf(one) === 2],
    [{ ...label('many', '1'), resources: ['k2'] }, () => false],
    [{ state: 'archived' }, one => numberOf(one) % 4 === 0],
    [{ state: 'active' }, one => numberOf(one) % 4 !== 0],
    [label('few', 'none'), () => false],
  ]
  for (const [given, fits] of cases) {
    const found: string[] = []
    let after: string | null = null
    do {
      const filters = { ...everything, ...given }
      const page: Page<{ id: string }> = await ask('list-incidents', { workspaceId: 'w', filters, after, limit: 40 })
      found.push(...page.items.map(({ id }) => id))
      after = page.next
    } while (after !== null)
    const expected = documents.filter(fits).toSorted(newestFirst)
    t.strictSame(
      found,
      expected.map(({ id }) => id),
      JSON.stringify(given),
    )
  }
  const changed = subject('subject003', { workspaceId: 'w', slug: 'k3', labels: {} })
  await store.upsert('subjects', [changed])
  const filters = { ...everything, ...label('few', '3') }
  const { items } = await ask('list-incidents', { workspaceId: 'w', filters, limit: 200 })
  t.notOk(
    items.some(({ resource }) => resource.id === changed.id),
    'a label that is gone counts before its tag is',
  )
})

t.test('filter over Resources matches up to 5,000 Resources, and is refused above this bound (v3 9.5)', async t => {
  const store = createMemoryStore()
  const { ask } = await start(t, store)
  const made = Array.from({ length: 5_001 }, (_, i) =>
    subject(`many${String(i).padStart(6, '0')}`, { workspaceId: 'w', slug: `k${i}`, labels: { env: 'prod' } }),
  )
  await store.insert('subjects', made)
  const [last, ...tagged] = made.toReversed()
  const tags = tagged.flatMap(one => tagDocumentsOf(withTags(null, one), 0))
  await store.insert('subjectTags', tags)
  await store.insert('incidents', [incident('many004999.1', { subjectId: 'many004999', workspaceId: 'w' })])
  const filters = { ...everything, labels: [{ key: 'env', value: 'prod' }] }
  t.equal((await ask('list-incidents', { workspaceId: 'w', filters, limit: 50 })).items.length, 1)
  await storeTags(store, null, last as SubjectDocument)
  const refused = { code: 'validation', facts: { field: 'label.env' } }
  await t.rejects(ask('list-incidents', { workspaceId: 'w', filters, limit: 50 }), refused)
  const narrowed = { ...filters, resources: ['many004999'], state: 'active' as const }
  await t.rejects(ask('list-incidents', { workspaceId: 'w', filters: narrowed, limit: 50 }), refused)
  const state = { ...everything, state: 'active' as const }
  t.equal((await ask('list-incidents', { workspaceId: 'w', filters: state, limit: 50 })).items.length, 1, 'state alone')
})

t.test('page of 50 among thousands of Incidents reads a few hundred rows at most (v3 9.5)', async t => {
  const store = createMemoryStore()
  let rows = 0
  const counted: Store = {
    ...store,
    find: async (collection, query) => {
      const found = await store.find(collection, query)
      if (collection === 'incidents') rows += found.length
      return found
    },
  }
  const { ask } = await start(t, counted)
  const documents = someIncidents(5_000)
  await fill(store, documents)
  for (const filters of [
    everything,
    { ...everything, isOpen: true },
    { ...everything, isOpen: true, isAcknowledged: false },
    { ...everything, rule: 'rule2' },
    { ...everything, isConfirmed: false, rule: 'rule0' },
  ]) {
    let after: string | null = null
    for (let page = 0; page < 3; page++) {
      rows = 0
      const { items, next }: Page<unknown> = await ask('list-incidents', { workspaceId: 'w', filters, after, limit: 50 })
      t.equal(items.length, 50)
      t.ok(rows <= 51 * 8 * 2, `${rows} rows for ${JSON.stringify(filters)}`)
      after = next
    }
  }
})

t.test('one response reads a bounded number of Incidents of a Resource, and the next response continues (v3 9.5)', async t => {
  const store = createMemoryStore()
  const { ask } = await start(t, store)
  const count = limits.incidentLists.lookedAt + 100
  const many = Array.from({ length: count }, (_, i) =>
    incident(`subject001.${i + 1}`, {
      subjectId: 'subject001',
      workspaceId: 'w',
      ruleShown: i === 0 ? 'rare' : 'usual',
      troubleSince: i,
    }),
  )
  await fill(store, many)
  const filters = { ...everything, resources: ['subject001'], rule: 'rare' }
  const first = await ask('list-incidents', { workspaceId: 'w', filters, limit: 50 })
  t.equal(first.items.length, 0)
  const second = await ask('list-incidents', { workspaceId: 'w', filters, after: first.next, limit: 50 })
  t.strictSame([second.items.map(({ id }) => id), second.next], [['subject001.1'], null])
})

onEachStore('first 100 and latest 400 records are read, at the bound and beyond it (v3 5.8)', async (t, store) => {
  const { ask } = await start(t, store)
  const record = (sequence: number, incidentId: string) =>
    history(`${incidentId}.${sequence}`, {
      incidentId,
      sequence,
      listed: sequence % 2 === 1 ? 1 : 0,
      event: { type: 'problem.judged', at: sequence },
    })
  for (const count of [1, 500, 501, 1_500]) {
    const incidentId = `subject001.${count}`
    await store.insert(
      'history',
      Array.from({ length: count }, (_, i) => record(i + 1, incidentId)),
    )
    const { path, pathOmitted, listed, listedOmitted } = await ask('outline-incident', { incidentId })
    t.strictSame([path.length, pathOmitted], [Math.min(count, 500), Math.max(0, count - 500)], `${count} records`)
    t.strictSame([path[0]?.at, path.at(-1)?.at], [1, count])
    const all = Math.ceil(count / 2)
    t.strictSame([listed.length, listedOmitted], [Math.min(all, 500), Math.max(0, all - 500)])
    t.strictSame([listed[0], listed.at(-1)], [1, count % 2 === 1 ? count : count - 1])
    if (count === 1_500) t.strictSame([listed[99], listed[100]], [199, 701])
    const read = await ask('read-transitions', { incidentId, sequences: listed })
    t.strictSame(
      read.map(({ sequence }) => sequence),
      listed,
    )
  }
})

t.test('transitions with much evidence are returned in several responses', async t => {
  const store = createMemoryStore()
  const { ask } = await start(t, store)
  const large = {
    inputs: [{ input: 'x'.repeat(100_000), value: 'ok' as const, at: 1, reason: null }],
    omitted: 0,
    truncated: false,
  }
  await store.insert(
    'history',
    Array.from({ length: 20 }, (_, i) => history(`s.1.${i + 1}`, { incidentId: 's.1', sequence: i + 1, evidence: large })),
  )
  const sequences = Array.from({ length: 20 }, (_, i) => i + 1)
  const first = await ask('read-transitions', { incidentId: 's.1', sequences })
  t.strictSame(
    first.map(({ sequence }) => sequence),
    [1, 2, 3, 4, 5],
  )
})
