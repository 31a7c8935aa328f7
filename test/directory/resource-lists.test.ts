// Lists of Resources with filters: a walk over stored tags finds the same Resources as a scan. Reference: docs/reference/v3.md, 9.1 to 9.4.
import { join } from 'node:path'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import t, { type Test } from 'tap'
import { createDirectoryClient } from '#shared/bus/clients/clients.ts'
import type { AskRequest } from '#shared/contracts/ask/ask.ts'
import type { Answers, TemplateField } from '#shared/contracts/resources/template.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { readManifest } from '#shared/manifest/read-manifest.ts'
import { createLogger } from '#shared/observability/logger.ts'
import { openStore } from '#shared/store/open-store.ts'
import type { Store } from '#shared/store/port.ts'
import { openSqliteStore } from '#shared/store/sqlite/sqlite.ts'
import { startDirectory } from '../../services/directory/app.ts'
import { subjectIdsBehind } from '../../services/directory/resources/resource-filters.ts'
import { publish } from '../keeper/resources/resource-world.ts'
import { websiteMeta } from '../keeper/world.ts'
import { createMemoryHub } from '../support/bus/memory-bus.ts'
import { createHandClock } from '../support/hand-clock.ts'
import { createMemoryStore } from '../support/store/memory-store.ts'
import { sharedMongodb } from '../support/store/secantus.ts'
import { subjectDocument } from '../support/worlds/fake-keeper.ts'
import { storeTags } from '../support/worlds/store-tags.ts'

const workspaceId = 'workspace0'
type Filters = Pick<AskRequest<'list-resources'>, 'state' | 'template' | 'meta' | 'labels'>
const everything: Filters = { state: 'all', template: null, meta: [], labels: [] }

async function start(t: Test, store: Store) {
  const clock = createHandClock()
  const hub = createMemoryHub({ clock })
  const around = { bus: hub.connect(), clock, store, logger: pino({ level: 'silent' }), metrics: new Registry() }
  const service = await startDirectory(around)
  t.teardown(() => service.stop())
  const { ask } = createDirectoryClient(hub.connect(), clock)
  const list = (more: Partial<AskRequest<'list-resources'>>) =>
    ask('list-resources', { workspaceId, ...everything, state: 'active', after: null, limit: 50, ...more })
  /** Returns the ids on all pages of the list. */
  const listAll = async (filters: Filters, limit = 50): Promise<string[]> => {
    const ids: string[] = []
    for (let after: string | null = null; ; ) {
      const { items, next } = await list({ ...filters, limit, after })
      ids.push(...items.map(({ id }) => id))
      if (next === null) return ids
      after = next
    }
  }
  return { ask, list, listAll }
}

const field = (key: string, type: string, more: object = {}) => ({ key, type, ...more })
const manifest = (key: string, version: number, fields: object[]) =>
  readManifest(
    {
      key,
      version,
      name: key,
      fields,
      signals: [{ key: 'beat', kind: 'heartbeat', every_seconds: 60 }],
      rules: [
        {
          key: 'down',
          action: 'Look.',
          wait: { confirm_after: 0, recover_after: 0 },
          decision: { signal: 'beat', field: 'status', operator: 'eq', operand: 'problem' },
        },
      ],
    },
    { systemKeys: new Set(), destinations: [] },
  )

const templates = [
  manifest('host', 1, [field('size', 'string'), field('old', 'boolean')]),
  manifest('host', 2, [field('size', 'number'), field('zone', 'enum', { options: ['a', 'b'] })]),
  manifest('host', 3, [field('zone', 'enum', { options: ['a', 'b', 'c'] }), field('ports', 'integer_list')]),
  manifest('job', 1, [field('size', 'integer', { min: 0, max: 9 }), field('fast', 'boolean'), field('wait', 'duration')]),
]

/** A workspace of random Resources, the same for the same seed. */
function random(seed: number) {
  let state = seed
  const below = (n: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * n)
  }
  return { below, one: <T>(values: readonly T[]): T => values[below(values.length)] as T }
}
type Random = ReturnType<typeof random>

const valuesOf = ({ type, options }: Pick<TemplateField, 'type' | 'options'>): Answers[string][] => {
  if (type === 'boolean') return [true, false]
  if (type === 'enum') return options
  if (type === 'string') return ['1', '2', 'wide', '']
  if (type === 'integer_list') return [[1], [1, 2]]
  return type === 'number' ? [0, 1, 0.5, 1e21] : [0, 1, 2]
}

function makeSubject(id: string, { below, one }: Random): SubjectDocument {
  const labels = Object.fromEntries(
    ['env', 'team', 'env.x'].filter(() => below(2) === 0).map(key => [key, one(['1', '2', 'é~'])]),
  )
  const times = { archivedAt: below(4) === 0 ? 5 : null, deletedAt: below(20) === 0 ? 6 : null }
  const check = {
    ...websiteMeta,
    locations: [],
    interval_value: below(3) + 1,
    confirm_after: one([null, 0, 120]),
    data: one(['', 'x']),
  }
  const base = { ...subjectDocument(id, workspaceId, id, `Name ${id}`, check, 1), labels, ...times }
  const kind = below(6)
  if (kind === 0) return base
  if (kind === 1) return { ...base, kind: 'custom', template: null, check: null }
  const template = one(templates)
  const answered = template.fields.filter(() => below(3) > 0).map(one => [one.key, randomValue(one)] as const)
  function randomValue(field: TemplateField) {
    return one(valuesOf(field))
  }
  const templated = { answers: Object.fromEntries(answered) as Answers, heard: {} }
  return { ...base, kind: 'template', template: `${template.key}@${template.version}`, check: null, templated }
}

function randomFilters({ below, one }: Random): Filters {
  const template = one([null, 'host', 'host', 'job', 'job@1', 'host@1', 'host@2', 'website-check', 'website-check@1', 'unknown'])
  const key = template?.split('@')[0]
  const typed: Record<string, [string, string][]> = {
    host: [
      ['zone', 'a'],
      ['zone', 'c'],
    ],
    'host@1': [
      ['size', '1'],
      ['size', ''],
      ['old', 'true'],
    ],
    'host@2': [
      ['size', '1.0'],
      ['size', '0.50'],
      ['size', '1e21'],
      ['zone', 'b'],
    ],
    job: [
      ['size', '1'],
      ['fast', 'false'],
      ['wait', '2'],
    ],
    'website-check': [
      ['interval_value', '1'],
      ['interval_unit', 'MINUTE'],
      ['confirm_after', '120'],
      ['url', websiteMeta.url],
    ],
  }
  const choices = typed[template ?? ''] ?? typed[key ?? ''] ?? []
  if (template === 'host') choices.push(['size', '1'], ['old', 'false'])
  const meta = new Map(choices.filter(() => below(3) === 0))
  const labels = new Map(['env', 'team', 'env.x'].filter(() => below(5) === 0).map(key => [key, one(['1', '2', 'é~', 'none'])]))
  const pairs = (map: Map<string, string>) => [...map].map(([key, value]) => ({ key, value }))
  return { state: one(['active', 'active', 'archived', 'all'] as const), template, meta: pairs(meta), labels: pairs(labels) }
}

/** Returns whether a subject matches the filters, by the rules of the reference. */
function fits({ template, check, templated, labels, archivedAt, deletedAt }: SubjectDocument, filters: Filters): boolean {
  if (deletedAt !== null || (filters.state !== 'all' && (archivedAt === null) !== (filters.state === 'active'))) return false
  if (filters.template !== null && template !== filters.template && template?.split('@')[0] !== filters.template) return false
  if (filters.labels.some(({ key, value }) => labels[key] !== value)) return false
  const answers: Record<string, unknown> =
    check === null ? { ...templated?.answers } : { ...check, confirm_after: check.confirm_after ?? 120 }
  return filters.meta.every(({ key, value }) => {
    const isText = ['zone', 'url', 'interval_unit'].includes(key) || (key === 'size' && filters.template === 'host@1')
    return isText ? answers[key] === value : answers[key] === JSON.parse(value)
  })
}

const summary = ({ state, template, meta, labels }: Filters) => JSON.stringify([state, template, meta, labels])

interface Size {
  subjects: number
  lists: number
}

async function seed(store: Store, count: number, by: Random): Promise<SubjectDocument[]> {
  for (const template of templates) await publish({ store }, template, workspaceId)
  const made = Array.from({ length: count }, (_, i) =>
    makeSubject(`S${String(by.below(10_000)).padStart(5, '0')}${String(i).padStart(4, '0')}`, by),
  )
  made.push({ ...makeSubject('Elsewhere0', by), workspaceId: 'workspace1' })
  await store.insert('subjects', made)
  for (const subject of made) await storeTags(store, null, subject)
  return made
}

const property =
  (seedNumber: number, { subjects, lists }: Size) =>
  async (t: Test, store: Store) => {
    const by = random(seedNumber)
    const { listAll } = await start(t, store)
    const made = (await seed(store, subjects, by)).filter(subject => subject.workspaceId === workspaceId)
    let found = 0
    for (let i = 0; i < lists; i++) {
      const filters = randomFilters(by)
      const wanted = made.filter(subject => fits(subject, filters)).map(({ id }) => id)
      const ids = [...wanted].sort()
      const title = `seed ${seedNumber}: ${summary(filters)}`
      if (filters.template === 'unknown' && filters.meta.length > 0) continue
      t.strictSame(await listAll(filters, 1 + by.below(60)), ids, title)
      const max = 1 + by.below(20)
      t.strictSame(await subjectIdsBehind(store, workspaceId, filters, max), ids.slice(0, max), title)
      found += ids.length
    }
    t.ok(found > lists, `the lists show ${found} Resources`)
  }

t.test('list under random filters shows the Resources that a scan finds (v3 9.3)', async t => {
  const seedNumber = Number(process.env['SEED'] ?? 20_261_123)
  t.test('list in memory equals a scan', t => property(seedNumber, { subjects: 400, lists: 300 })(t, createMemoryStore()))
  t.test('list on sqlite equals a scan', async t => {
    const store = await openSqliteStore(join(t.testdir(), 'lists.db'))
    t.teardown(() => store.close())
    await property(seedNumber + 1, { subjects: 400, lists: 300 })(t, store)
  })
  t.test('list on mongodb equals a scan', async t => {
    const mongodbUrl = await sharedMongodb(t)
    if (mongodbUrl === null) return t.comment('skipped: no server of the MongoDB wire protocol')
    const store = await openStore({ mongodbUrl, dataFolder: '', logger: createLogger('silent') })
    t.teardown(() => store.close())
    await property(seedNumber + 2, { subjects: 120, lists: 40 })(t, store)
  })
})

t.test('list shows each Resource that stays exactly once while others are created, changed and deleted (v3 9.1)', async t => {
  const store = createMemoryStore()
  const { list } = await start(t, store)
  const by = random(7)
  const website = (id: string, more: object = {}): SubjectDocument => ({
    ...subjectDocument(id, workspaceId, id, id, { ...websiteMeta, locations: [] }, 1),
    labels: { env: 'test' },
    ...more,
  })
  const idOf = (number: number) => `Walk${String(number).padStart(6, '0')}`
  const present = new Map<string, SubjectDocument>()
  const put = async (after: SubjectDocument) => {
    const before = present.get(after.id) ?? null
    const stored = { ...after, rev: (before?.rev ?? 0) + 1 }
    await store.upsert('subjects', [stored])
    await storeTags(store, before, stored)
    present.set(after.id, stored)
  }
  for (let i = 0; i < 300; i += 2) await put(website(idOf(i)))
  const constant = [...present.keys()].filter((_, i) => i % 3 === 0)
  const seen: string[] = []
  for (let after: string | null = null; ; ) {
    const filters = {
      template: 'website-check',
      labels: [{ key: 'env', value: 'test' }],
      meta: [{ key: 'interval_value', value: '1' }],
    }
    const { items, next } = await list({ ...filters, limit: 7, after })
    seen.push(...items.map(({ id }) => id))
    if (next === null) break
    after = next
    for (let change = 0; change < 20; change++) {
      const id = idOf(by.below(300))
      const known = present.get(id) ?? website(id)
      if (constant.includes(id))
        await put({ ...known, name: `Renamed ${change}`, labels: { ...known.labels, other: String(change) } })
      else await put({ ...known, ...by.one([{ archivedAt: 5 }, { labels: {} }, { labels: { env: 'test' }, archivedAt: null }]) })
    }
  }
  t.equal(new Set(seen).size, seen.length, 'nothing is shown twice')
  t.strictSame(
    constant.filter(id => !seen.includes(id)),
    [],
  )
})

t.test('Resource is not found by a tag that it has just lost (v3 9.3)', async t => {
  const store = createMemoryStore()
  const { list } = await start(t, store)
  const active = subjectDocument('Late000001', workspaceId, 'late', 'Late', { ...websiteMeta, locations: [] }, 1)
  await store.insert('subjects', [active])
  await storeTags(store, null, active)
  t.equal((await list({})).items.length, 1)
  await store.upsert('subjects', [{ ...active, rev: 2, archivedAt: 5 }])
  t.strictSame(await list({}), { items: [], next: null }, 'archived, and its tags are not stored yet')
})

t.test('filter is refused with the name of its parameter (v3 9.3)', async t => {
  const store = createMemoryStore()
  const { list } = await start(t, store)
  await seed(store, 1, random(1))
  const cases: [template: string | null, field: string, value: string, refused: string][] = [
    [null, 'size', '1', 'meta.size'],
    ['unknown', 'size', '1', 'template'],
    ['host@9', 'size', '1', 'template'],
    ['website-check@2', 'url', 'https://a.test/', 'template'],
    ['constructor', 'size', '1', 'template'],
    ['host', 'weight', '1', 'meta.weight'],
    ['host@3', 'size', '1', 'meta.size'],
    ['host', '__proto__', '1', 'meta.__proto__'],
    ['host', 'ports', '1', 'meta.ports'],
    ['host', 'size', 'wide', 'meta.size'],
    ['host', 'size', '', 'meta.size'],
    ['host', 'size', '0x10', 'meta.size'],
    ['host', 'size', '1e999', 'meta.size'],
    ['host', 'zone', 'd', 'meta.zone'],
    ['host@2', 'zone', 'c', 'meta.zone'],
    ['host', 'old', 'yes', 'meta.old'],
    ['host', 'old', '1', 'meta.old'],
    ['job', 'size', '1.5', 'meta.size'],
    ['job', 'size', '10', 'meta.size'],
    ['job', 'size', '-1', 'meta.size'],
    ['job', 'wait', '-1', 'meta.wait'],
    ['website-check', 'data', 'secret', 'meta.data'],
    ['website-check', 'locations', 'aaaa', 'meta.locations'],
    ['website-check', 'statuses', '200', 'meta.statuses'],
    ['website-check', 'interval_value', '0', 'meta.interval_value'],
    ['website-check', 'method', 'SEND', 'meta.method'],
    ['website-check', 'url', 'ftp://a.test/', 'meta.url'],
  ]
  for (const [template, key, value, refused] of cases) {
    const title = `${template} meta.${key}=${value}`
    await t.rejects(list({ template, meta: [{ key, value }] }), { code: 'validation', facts: { field: refused } }, title)
  }
  const taken: [string, string, string][] = [
    ['host', 'size', '-0.50e1'],
    ['host@1', 'size', 'x'.repeat(1_024)],
    ['job', 'size', '9'],
    ['job', 'size', '0'],
    ['website-check', 'url', `https://a.test/${'x'.repeat(2_000)}`],
  ]
  for (const [template, key, value] of taken) await t.resolves(list({ template, meta: [{ key, value }] }), `${key}=${value}`)
  const beyond = { key: 'size', value: 'x'.repeat(1_025) }
  await t.rejects(list({ template: 'host@1', meta: [beyond] }), { code: 'validation', facts: { field: 'meta.size' } })
})

t.test('filter without a version reads a field by its type in the highest revision that declares the field (v3 9.3)', async t => {
  const store = createMemoryStore()
  const { listAll } = await start(t, store)
  for (let version = 1; version <= 120; version++) {
    const fields = version === 2 ? [field('depth', 'number')] : version === 1 ? [field('depth', 'string')] : []
    await publish({ store }, manifest('deep', version, fields), workspaceId)
  }
  const base = subjectDocument('', workspaceId, '', 'Deep', { ...websiteMeta, locations: [] }, 1)
  const made = ([1, 2] as const).map(version => ({
    ...base,
    id: `Deep00000${version}`,
    kind: 'template' as const,
    template: `deep@${version}`,
    check: null,
    templated: { answers: { depth: version === 1 ? '4' : 4 }, heard: {} },
  }))
  await store.insert('subjects', made)
  for (const subject of made) await storeTags(store, null, subject)
  const meta = [{ key: 'depth', value: '4.0' }]
  t.strictSame(await listAll({ ...everything, template: 'deep', meta }), ['Deep000002'])
  t.strictSame(await listAll({ ...everything, template: 'deep@1', meta }), [], 'exact text')
  t.strictSame(await listAll({ ...everything, template: 'deep@1', meta: [{ key: 'depth', value: '4' }] }), ['Deep000001'])
})

t.test('list reads only the tags of its rarest filter, however many Resources match its other filters (v3 9.3)', async t => {
  const store = createMemoryStore()
  let read = 0
  const find: Store['find'] = async (collection, query) => {
    const found = await store.find(collection, query)
    if (collection === 'subjectTags') read += found.length
    return found
  }
  for (let i = 0; i < 3_000; i++) {
    const id = `Many${String(i).padStart(6, '0')}`
    const made = subjectDocument(id, workspaceId, id, id, { ...websiteMeta, locations: [] }, 1)
    const rare: Record<string, string> = i % 1_000 === 999 ? { rare: 'yes' } : {}
    await storeTags(store, null, { ...made, labels: { env: 'test', ...rare } })
  }
  const labels = [
    { key: 'env', value: 'test' },
    { key: 'rare', value: 'yes' },
  ]
  const filters: Filters = { state: 'active', template: 'website-check', meta: [], labels }
  const wanted = ['Many000999', 'Many001999', 'Many002999']
  t.strictSame(await subjectIdsBehind({ ...store, find }, workspaceId, filters), wanted)
  t.ok(read <= 3 * 100 + 4 * wanted.length, `${read} tags were read`)
})
