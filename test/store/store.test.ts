// The store's contract on every adapter, and the promises of the embedded file: one process at a time, and no acknowledged write is lost
// when the process is killed.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { MongoClient, MongoNetworkError, MongoServerError } from 'mongodb'
import t from 'tap'
import { limits } from '#shared/limits/limits.ts'
import { createLogger } from '#shared/observability/logger.ts'
import { type CollectionName, collections } from '#shared/store/collections.ts'
import { openMongodbStore } from '#shared/store/mongodb/mongodb.ts'
import { storeErrorOf } from '#shared/store/mongodb/mongodb-errors.ts'
import { openStore } from '#shared/store/open-store.ts'
import type { Query, StoreErrorKind } from '#shared/store/port.ts'
import { planQuery } from '#shared/store/query.ts'
import { openSqliteStore } from '#shared/store/sqlite/sqlite.ts'
import { openSqliteFile } from '#shared/store/sqlite/sqlite-file.ts'
import { selectSql } from '#shared/store/sqlite/sqlite-query.ts'
import { randomId } from '#shared/text/ids.ts'
import { startCuttingProxy } from '../support/bus/cutting-proxy.ts'
import { createMemoryStore } from '../support/store/memory-store.ts'
import { sharedMongodb, startSecantus } from '../support/store/secantus.ts'
import { suspend } from '../support/suspend.ts'
import { storeContract } from './contract.ts'
import { alert, incident, observation, pushed, subject } from './documents.ts'

const writer = join(import.meta.dirname, 'endless-writer.ts')

t.test('store in memory', t => storeContract(t, async () => createMemoryStore(), { rounds: 200 }))

t.test('store on sqlite', t =>
  storeContract(t, () => openStore({ dataFolder: t.testdir(), logger: createLogger('silent') }), { rounds: 200 }),
)

t.test('store on mongodb over its wire protocol', async t => {
  const mongodbUrl = await sharedMongodb(t)
  if (mongodbUrl === null) return t.comment('skipped: no server of the MongoDB wire protocol')
  await storeContract(t, () => openStore({ mongodbUrl, dataFolder: '', logger: createLogger('silent') }), {
    rounds: 20,
  })
})

const mongodbUrl = process.env['MONGODB_TEST_URL']
t.test('store on mongodb at MONGODB_TEST_URL', { skip: mongodbUrl === undefined && 'MONGODB_TEST_URL is not set' }, async t => {
  const [server, choices = ''] = (mongodbUrl as string).split('?')
  const name = `watchkeeper_test_${randomId(8)}`
  const url = `${server?.replace(/(\/\/[^/]+)\/.*$/, '$1')}/${name}${choices && `?${choices}`}`
  t.teardown(async () => {
    const client = new MongoClient(url)
    await client.db(name).dropDatabase()
    await client.close()
  })
  await storeContract(t, () => openMongodbStore(url), { rounds: 100 })
})

t.test('mongodb: store is unavailable when its server is gone', async t => {
  const server = await startSecantus()
  if (server === null) return t.comment('skipped: no server of the MongoDB wire protocol')
  const store = await openMongodbStore(`${server.url}/?serverSelectionTimeoutMS=500`)
  t.same(await store.replace('subjects', [subject('gone')]), ['written'])
  const lost = { name: 'StoreError', kind: 'unavailable' }
  await suspend(server.pid)
  await t.rejects(store.replace('subjects', [subject('gone', { rev: 2 })]), lost, 'one that hangs is given up on')
  process.kill(server.pid, 'SIGCONT')
  await server.kill()
  await t.rejects(store.replace('subjects', [subject('gone', { rev: 2 })]), lost)
  await t.rejects(store.insert('observations', [observation('gone')]), lost)
  await t.rejects(store.find('subjects', { limit: 1 }), lost)
  await t.rejects(store.ping(), lost)
  await store.close()
})

t.test('mongodb: outcome of a write is read from the stored document when the response is lost', async t => {
  const server = await startSecantus()
  if (server === null) return t.comment('skipped: no server of the MongoDB wire protocol')
  t.teardown(() => server.stop())
  for (const retryWrites of [false, true]) {
    const proxy = await startCuttingProxy(Number(new URL(server.url).port), 'cut here')
    t.teardown(() => proxy.stop())
    const store = await openMongodbStore(
      `mongodb://127.0.0.1:${proxy.port}/lost${retryWrites}?directConnection=true&retryWrites=${retryWrites}`,
    )
    const signed = (rev: number) => subject('lost', { rev, writer: `cut here ${rev}` })
    const unsigned = (rev: number, name: string) => ({ id: 'lost', rev, name, createdAt: 1, members: {}, deletedAt: null })
    for (const rev of [1, 2]) {
      proxy.loseNext('answer')
      t.same(await store.replace('subjects', [signed(rev), subject(`beside${rev}`)]), ['written', 'written'])
      proxy.loseNext('answer')
      t.same(await store.replace('workspaces', [unsigned(rev, 'cut here')]), ['written'], 'stamped by the adapter')
    }
    t.strictSame(await store.get('workspaces', ['lost']), [unsigned(2, 'cut here')], 'the stamp is nobody else’s business')
    t.equal(proxy.lost(), 4)
    if (!retryWrites) {
      proxy.loseNext('question')
      await t.rejects(
        store.replace('subjects', [signed(3)]),
        { name: 'StoreError', kind: 'unavailable' },
        'it may still be on its way',
      )
      t.same(await store.replace('subjects', [subject('lost', { rev: 3, writer: 'faster' })]), ['written'])
      t.same(await store.replace('subjects', [signed(3)]), ['refused'])
      proxy.loseNext('answer')
      await t.rejects(store.insert('settings', [{ id: 'lost', rev: 1, value: 'cut here' }]), {
        name: 'StoreError',
        kind: 'unavailable',
      })
      t.same(await store.insert('settings', [{ id: 'lost', rev: 1, value: 'again' }]), ['refused'])
      proxy.loseNext('question')
      await t.rejects(store.replace('workspaces', [unsigned(3, 'cut here')]), { name: 'StoreError', kind: 'unavailable' })
      t.same(await store.replace('workspaces', [unsigned(3, 'repeated')]), ['written'])
    }
    await store.close()
  }
})

t.test(
  'mongodb: every declared index exists, and documents that expire have the date by which the TTL index removes them',
  async t => {
    const server = await startSecantus()
    if (server === null) return t.comment('skipped: no server of the MongoDB wire protocol')
    t.teardown(() => server.stop())
    const store = await openMongodbStore(`${server.url}/expiry`)
    await store.insert('alerts', [alert('expiry', { expireAt: 5e12 })])
    const client = new MongoClient(server.url)
    const database = client.db('expiry')
    t.match(await database.collection('alerts').findOne(), { expireAt: 5e12, _expireOn: new Date(5e12) })
    for (const [name, { indexes, expires }] of Object.entries(collections)) {
      const made = indexes.length > 0 || expires ? await database.collection(name).indexes() : []
      const ttl = made.find(index => index['name'] === 'byExpiry')
      if (expires) t.match(ttl, { key: { _expireOn: 1 }, expireAfterSeconds: 0 }, `${name} expires`)
      else t.equal(ttl, undefined, `${name} does not expire`)
      for (const { name: index, fields } of indexes) {
        const key = made.find(one => one['name'] === index)?.['key'] ?? {}
        t.strictSame(
          Object.keys(key),
          fields.map(field => (field === 'id' ? '_id' : field)),
          `${name} has its index ${index}`,
        )
      }
    }
    await client.close()
    await store.close()
  },
)

t.test('mongodb: a start drops the indexes of an earlier declaration, and no others', async t => {
  const server = await startSecantus()
  if (server === null) return t.comment('skipped: no server of the MongoDB wire protocol')
  t.teardown(() => server.stop())
  const client = new MongoClient(server.url)
  t.teardown(() => client.close())
  const incidents = client.db('former').collection('incidents')
  const namesOf = async () => (await incidents.indexes()).map(({ name }) => name).sort()
  const first = await openMongodbStore(`${server.url}/former`)
  const declared = await namesOf()
  await incidents.createIndexes([
    { name: 'byFormer', key: { workspaceId: 1, closedAt: 1 } },
    { name: 'ofFormer', key: { subjectId: 1, closedAt: 1 } },
    { name: 'byExpiry', key: { expireOn: 1 } },
    { name: 'closedAt_1', key: { closedAt: 1 } },
  ])
  await first.insert('incidents', [incident('kept')])
  t.equal((await namesOf()).length, declared.length + 4)
  const second = await openMongodbStore(`${server.url}/former`)
  t.strictSame(await namesOf(), [...declared, 'closedAt_1'].sort(), 'an index that a person has made stays')
  t.match(await second.get('incidents', ['kept']), [{ id: 'kept' }])
  const [third, fourth] = await Promise.all([1, 2].map(() => openMongodbStore(`${server.url}/former`)))
  for (const store of [first, second, third, fourth]) await store?.close()
})

t.test('mongodb: error states whether the caller may retry', async t => {
  const system = (code: string) => Object.assign(new Error(code), { code })
  const named: [string, unknown, StoreErrorKind][] = [
    ['a socket that died', system('EPIPE'), 'unavailable'],
    ['a stream that ended', system('ERR_STREAM_WRITE_AFTER_END'), 'unavailable'],
    ['a primary that stepped down', new MongoServerError({ message: 'no', code: 189 }), 'unavailable'],
    ['a connection that broke', new MongoNetworkError('no'), 'unavailable'],
    ['a document that validation refuses', new MongoServerError({ message: 'no', code: 121 }), 'permanent'],
    ['a wrong password', new MongoServerError({ message: 'no', code: 18 }), 'permanent'],
    ['a document that fits no buffer', Object.assign(new RangeError('no'), { code: 'ERR_OUT_OF_RANGE' }), 'permanent'],
    ['a mistake of ours', new TypeError('no'), 'permanent'],
  ]
  for (const [title, error, kind] of named) t.equal(storeErrorOf(error).kind, kind, title)
})

t.test('mongodb: configuration error is permanent and is not retried', async t => {
  const error = await openMongodbStore('mongodb://user:hidden@').catch(error => error)
  t.match(error, { name: 'StoreError', kind: 'permanent' })
  t.notMatch(String(error), /hidden/)
})

t.test('sqlite: second opener is refused at once, in this process and in another', async t => {
  const file = join(t.testdir(), 'watchkeeper.db')
  const store = await openSqliteStore(file)
  const sentence = /Another process uses the data folder/
  await t.rejects(openSqliteStore(file), { name: 'StoreError', kind: 'permanent', message: sentence })
  const child = spawn(process.execPath, [writer, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [said] = await once(createInterface(child.stdout), 'line')
  t.match(said, sentence)
  await once(child, 'exit')
  await store.ping()
  await store.close()
  const again = await openSqliteStore(file)
  await again.close()
})

t.test('sqlite: this version and the earlier version that locked the data file refuse each other', async t => {
  const file = join(t.testdir(), 'watchkeeper.db')
  const openBefore = () => {
    const database = new DatabaseSync(file, { timeout: 0 })
    try {
      database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; BEGIN IMMEDIATE; COMMIT')
      return database
    } catch (error) {
      database.close()
      throw error
    }
  }
  const store = await openSqliteStore(file)
  await store.insert('counters', [{ id: 'kept', rev: 1, next: 7 }])
  t.throws(openBefore, { message: /database is locked/ })
  await store.close()
  const before = openBefore()
  await t.rejects(openSqliteStore(file), { kind: 'permanent', message: /Another process uses the data folder/ })
  before.close()
  const again = await openSqliteStore(file)
  t.match(await again.get('counters', ['kept']), [{ next: 7 }])
  await again.close()
})

t.test('sqlite: small indexed read does not wait for the writing thread', async t => {
  const store = await openSqliteStore(join(t.testdir(), 'watchkeeper.db'))
  await store.insert('subjects', [subject('near1', { slug: 'near' }), subject('near2')])
  const many = Array.from({ length: limits.store.near.rows + 1 }, (_, index) =>
    subject(`m${index}`, { slug: 'many', workspaceId: `${index}` }),
  )
  await store.insert('subjects', many)
  const counters = Array.from({ length: 50_000 }, (_, next) => ({ id: `${next}`, rev: 1, next }))
  const { rows } = limits.store.near
  const ids = Array.from({ length: rows + 1 }, (_, index) => `none${index}`)
  const reads: [title: string, read: () => Promise<unknown>, isNear: boolean][] = [
    ['one document', () => store.get('subjects', ['near1']), true],
    ['as many as the bound', () => store.get('subjects', ids.slice(1)), true],
    ['one more than the bound', () => store.get('subjects', ids), false],
    ['what an index finds', () => store.find('subjects', { where: { slug: 'near' }, limit: rows }), true],
    ['ids of a list', () => store.find('subjects', { where: { id: { in: ['near1', 'near2'] } }, limit: 2 }), true],
    ['what has no index', () => store.find('subjects', { where: { name: 'near' }, limit: 1 }), false],
    ['a longer page of which few are there', () => store.find('subjects', { where: { slug: 'near' }, limit: 1_000 }), true],
    ['all there are, in the order of an index', () => store.find('locations', { sort: [['name', 'asc']], limit: 1_000 }), true],
    ['a longer page that is full', () => store.find('subjects', { where: { slug: 'many' }, limit: 1_000 }), false],
    ['the same once more', () => store.find('subjects', { where: { slug: 'many' }, limit: 1_000 }), false],
    [
      'all there are, sorted by what has no index',
      () => store.find('alerts', { sort: [['number', 'asc']], limit: 1_000 }),
      false,
    ],
  ]
  for (const [title, read, isNear] of reads) {
    const writing = store.upsert('counters', counters)
    let hasTurned = false
    setImmediate(() => {
      hasTurned = true
    })
    await read()
    t.equal(!hasTurned, isNear, title)
    await writing
  }
  t.strictSame(await store.get('subjects', ['near2', 'none', 'near1']), [
    subject('near2'),
    null,
    subject('near1', { slug: 'near' }),
  ])
  await store.close()
})

t.test('sqlite: query uses the index of its most selective condition', async t => {
  const file = openSqliteFile(join(t.testdir(), 'watchkeeper.db'))
  const searched: [collection: CollectionName, where: NonNullable<Query['where']>, by: string][] = [
    ['subjects', { deletedAt: null, id: { in: ['a', 'b'] } }, 'sqlite_autoindex_subjects_1'],
    ['subjects', { workspaceId: 'w', id: 'a' }, 'sqlite_autoindex_subjects_1'],
    ['subjects', { slug: 's', workspaceId: { in: ['v', 'w'] }, deletedAt: null }, 'subjects.bySlug'],
    ['subjects', { slug: 's', workspaceId: 'w', deletedAt: null }, 'subjects.bySlug'],
    ['subjects', { slug: { in: ['s', 't'] }, workspaceId: 'w', deletedAt: null }, 'subjects.bySlug'],
    ['incidents', { workspaceId: 'w', open: 1, subjectId: 'a' }, 'incidents.ofSubjectByOpenness'],
    ['incidents', { workspaceId: 'w', open: 1 }, 'incidents.byOpenness'],
    ['incidents', { subjectId: 'a', troubleSince: { lte: 1 } }, 'incidents.bySubject'],
    ['incidents', { workspaceId: 'w', troubleSince: { lte: 1 } }, 'incidents.byOpening'],
    ['incidents', { workspaceId: 'w', facets: 1, troubleSince: { lte: 1 } }, 'incidents.byFacets'],
    ['incidents', { workspaceId: 'w', ruleShown: 'r', facets: 1, troubleSince: { lte: 1 } }, 'incidents.byRule'],
    ['deliveries', { incidentId: { in: ['a', 'b'] }, open: 1 }, 'deliveries.byIncident'],
    ['alerts', { incidentId: { in: ['a', 'b'] }, state: 'open' }, 'alerts.byIncident'],
    ['names', { subjectId: 'a', workspaceId: 'w' }, 'names.bySubject'],
  ]
  for (const [collection, where, by] of searched) {
    const { text } = selectSql(collection, ['id'], planQuery(collection, { where, limit: 10 }))
    const [step] = file
      .statement(`EXPLAIN QUERY PLAN ${text}`)
      .all(...Array.from(text.matchAll(/\?/g), () => null)) as unknown as string[][]
    t.match(step?.at(-1), ` INDEX ${by} `, `${collection} ${Object.keys(where).join(', ')}`)
  }
  file.close()
})

t.test('sqlite: start drops the indexes of an earlier declaration, and no others', async t => {
  const path = join(t.testdir(), 'watchkeeper.db')
  openSqliteFile(path).close()
  const names = () => {
    const database = new DatabaseSync(path)
    const found = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'index'`).all()
    database.close()
    return found.map(({ name }) => String(name)).sort()
  }
  const declared = names()
  const before = new DatabaseSync(path)
  before.exec(`CREATE INDEX "incidents.byWorkspace" ON incidents ("workspaceId"); CREATE INDEX mine ON incidents ("ruleKey")`)
  before.close()
  openSqliteFile(path).close()
  t.strictSame(names(), [...declared, 'mine'].sort())
})

t.test('sqlite: sequential reader delays no other request', async t => {
  const store = await openSqliteStore(join(t.testdir(), 'watchkeeper.db'))
  let hasTurned = false
  setImmediate(() => {
    hasTurned = true
  })
  let reads = 0
  for (; !hasTurned && reads < 10_000; reads++) await store.get('counters', ['none'])
  t.ok(hasTurned, `after ${reads} reads`)
  await store.close()
})

t.test('sqlite: small read sees every acknowledged write, and only complete documents', async t => {
  const store = await openSqliteStore(join(t.testdir(), 'watchkeeper.db'))
  for (let rev = 1; rev <= 300; rev++) {
    await store.replace('subjects', [subject('seen', { rev, name: `name ${rev}`, check: { url: `${rev}` } as never })])
    const [seen] = await store.get('subjects', ['seen'])
    t.same([seen?.rev, seen?.name, seen?.check], [rev, `name ${rev}`, { url: `${rev}` }])
  }
  await store.close()
})

t.test('sqlite: killed process has lost no acknowledged write', async t => {
  const file = join(t.testdir(), 'watchkeeper.db')
  const child = spawn(process.execPath, [writer, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  let answered = 0
  for await (const line of createInterface(child.stdout)) {
    answered = Number(line)
    if (answered >= 200 && !child.killed) child.kill('SIGKILL')
  }
  t.ok(answered >= 200, `${answered} rounds were answered`)
  const store = await openSqliteStore(file)
  const [counter] = await store.get('counters', ['rounds'])
  t.ok((counter?.next ?? 0) >= answered)
  t.equal(await store.count('observations', { id: { lt: `round${String(answered + 1).padStart(8, '0')}` } }), answered * 3)
  await store.close()
})

t.test('sqlite: documents are present after closing and opening', async t => {
  const file = join(t.testdir(), 'watchkeeper.db')
  const first = await openSqliteStore(file)
  const documents = [subject('kept1'), subject('kept2', { checkLocations: [] })]
  const writing = first.insert('subjects', documents)
  await first.close()
  t.same(await writing, ['written', 'written'], 'closing runs what was asked before')
  await t.rejects(first.ping(), { name: 'StoreError', kind: 'unavailable' })
  await first.close()
  const second = await openSqliteStore(file)
  t.strictSame(await second.get('subjects', ['kept1', 'kept2']), documents)
  await second.close()
})

t.test('sqlite: failed operation does not affect other operations', async t => {
  const store = await openSqliteStore(join(t.testdir(), 'watchkeeper.db'))
  const bad = subject('bad', { rev: null as never })
  const results = await Promise.allSettled([
    store.insert('subjects', [subject('good1')]),
    store.insert('subjects', [subject('half'), bad]),
    store.insert('subjects', [subject('good2')]),
    store.insert('subjects', [
      subject('huge', { name: 'x'.repeat(10), check: 'x'.repeat(limits.store.documentCharacters) as never }),
    ]),
  ])
  t.match(results, [
    { value: ['written'] },
    { reason: { kind: 'permanent' } },
    { value: ['written'] },
    { reason: { kind: 'permanent' } },
  ])
  t.same(
    (await store.get('subjects', ['good1', 'half', 'good2'])).map(one => one?.id),
    ['good1', undefined, 'good2'],
  )
  await store.close()
})

t.test('sqlite: request fails with `unavailable` when the queue is full', async t => {
  const store = await openSqliteStore(join(t.testdir(), 'watchkeeper.db'))
  const ids = Array.from({ length: limits.store.queuedItems }, (_, index) => `${index}`)
  const reading = store.get('counters', ids)
  await t.rejects(store.ping(), { name: 'StoreError', kind: 'unavailable' })
  t.equal((await reading).length, ids.length)
  await store.ping()
  await store.close()
})

t.test('sqlite: large documents fit into the memory of the thread in every combination', async t => {
  const store = await openSqliteStore(join(t.testdir(), 'watchkeeper.db'))
  const error = '✓'.repeat(50_000)
  const rows = (signal: number, count: number) =>
    Array.from({ length: count }, (_, i) => pushed(`large.${signal}.${String(i).padStart(4, '0')}`, { error }))
  const written = await Promise.all([4, 5, 6, 7].map(signal => store.upsert('pushedObservations', rows(signal, 120))))
  t.ok(written.flat().every(result => result === 'written'))
  const puts = [
    {
      mode: 'insert' as const,
      collection: 'pushedObservations' as const,
      documents: [...rows(1, 200), ...rows(1, 1), ...rows(2, 200)],
    },
    { mode: 'insert' as const, collection: 'subjects' as const, documents: [subject('behind'), subject('behind')] },
  ]
  const [put, behind] = await store.putInOrder(puts)
  t.same(
    put,
    puts[0]?.documents.map((_, i) => (i === 200 ? 'refused' : 'written')),
    'each result at its place',
  )
  t.same(behind, ['written', 'refused'])
  for (const at of [0, 190]) {
    const taken = { ...rows(1, 200)[at], id: `large.8.0${String(at).padStart(3, '0')}` } as never
    const documents = [...rows(9, at), taken, ...rows(9, 200).slice(at)]
    await store.insert('pushedObservations', [taken])
    const after = { mode: 'insert' as const, collection: 'subjects' as const, documents: [subject(`lost${at}`)] }
    const claim = { mode: 'insert' as const, collection: 'pushedObservations' as const, documents, isClaim: true }
    const [claimed, following] = await store.putInOrder([claim, after])
    t.equal(claimed?.[at], 'refused', 'a claim of several messages')
    t.strictSame(following, ['refused'])
    t.strictSame(await store.get('subjects', [`lost${at}`]), [null])
    t.equal(claimed?.length, documents.length)
    await store.deleteRange('pushedObservations', 'large.8.', 'large.9.~', 1_000)
  }
  const prefixes = [1, 2, 4, 5, 6, 7].map(signal => `large.${signal}.`)
  const found = await Promise.all(
    prefixes.map(prefix => store.find('pushedObservations', { where: { id: { gte: prefix, lt: `${prefix}~` } }, limit: 500 })),
  )
  t.same(
    found.map(({ length }) => length),
    [200, 200, 120, 120, 120, 120],
  )
  const all = await store.find('pushedObservations', { where: { id: { gte: 'large.', lt: 'large.~' } }, limit: 10_000 })
  t.same(
    all.map(({ id }) => id),
    found.flat().map(({ id }) => id),
    'one find may find more than that',
  )
  const ids = all.map(({ id }) => id).toReversed()
  const got = await store.get('pushedObservations', [...ids.slice(0, 500), 'nobody', ...ids.slice(500)])
  t.same(
    got.map(row => row?.id),
    [...ids.slice(0, 500), undefined, ...ids.slice(500)],
    'and one get, each at its place',
  )
  await store.close()
})

t.test('sqlite: process ends when its store thread is lost', async t => {
  const program = `
    import { openSqliteChannel } from '#shared/store/sqlite/sqlite-channel.ts'
    const channel = await openSqliteChannel(${JSON.stringify(join(t.testdir(), 'watchkeeper.db'))})
    setInterval(() => undefined, 60_000)
    const endless = 'WITH RECURSIVE number(i) AS (SELECT 0.5 UNION ALL SELECT i + 1 FROM number) SELECT i FROM number'
    await channel.send({ kind: 'rows', text: endless, parameters: [] }, 1).catch(error => console.log(error.message))
  `
  const options = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program]
  const child = spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'pipe'], cwd: join(import.meta.dirname, '../..') })
  t.teardown(() => child.kill('SIGKILL'))
  const said = Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = await once(child, 'close')
  const [, stderr] = await said
  t.equal(code, 1)
  t.match(stderr, /StoreError: The embedded store ended: Worker terminated due to reaching memory limit/)
})

t.test('sqlite: foreign file and file of another number are refused', async t => {
  const folder = t.testdir({ 'none.db': 'x'.repeat(5_000) })
  const permanent = (message: string) => ({ name: 'StoreError', kind: 'permanent', message })
  const none = join(folder, 'none.db')
  const advice = 'restore it from a backup, or move it away and start with --accept-loss to begin anew.'
  await t.rejects(
    openSqliteStore(none),
    permanent(`The file ${none} is damaged or none of Watchkeeper's (file is not a database): ${advice}`),
  )
  for (const name of ['folder.db', 'other.db-lock']) mkdirSync(join(folder, name))
  const isFolder = (name: string) =>
    permanent(`${join(folder, name)} is a folder where a file of the embedded store must be: move it away.`)
  await t.rejects(openSqliteStore(join(folder, 'folder.db')), isFolder('folder.db'))
  await t.rejects(openSqliteStore(join(folder, 'other.db')), isFolder('other.db-lock'))
  writeFileSync(join(folder, 'third.db-lock'), 'x'.repeat(5_000))
  await t.rejects(openSqliteStore(join(folder, 'third.db')), {
    kind: 'permanent',
    message: /third\.db-lock is damaged .*: remove it\.$/,
  })
  const torn = join(folder, 'torn.db')
  await (await openSqliteStore(torn)).close()
  writeFileSync(torn, readFileSync(torn).fill(0xff, 4_096))
  await t.rejects(
    openSqliteStore(torn),
    permanent(`The file ${torn} is damaged or none of Watchkeeper's (database disk image is malformed): ${advice}`),
  )
  await t.rejects(openSqliteStore(join(folder, 'missing', 'file.db')), { name: 'StoreError' })
  const later = new DatabaseSync(join(folder, 'later.db'))
  later.exec('PRAGMA user_version = 99')
  later.close()
  await t.rejects(openSqliteStore(join(folder, 'later.db')), {
    kind: 'permanent',
    message: /newer version of Watchkeeper .*number is 99/,
  })
  await (await openSqliteStore(join(folder, 'earlier.db'))).close()
  const earlier = new DatabaseSync(join(folder, 'earlier.db'))
  earlier.exec('ALTER TABLE observations DROP COLUMN error')
  earlier.close()
  await t.rejects(openSqliteStore(join(folder, 'earlier.db')), {
    ...{ name: 'StoreError', kind: 'permanent' },
    message: /its table observations has no column error\): start that version/,
  })
})
