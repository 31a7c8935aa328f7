// The contract of the store port as one suite, run on every adapter. Each test uses its own ids and workspace, so one open store serves all
// tests.
import type { Test } from 'tap'
import type { SeriesDocument } from '#shared/contracts/observations/observation.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import type { Query, Store } from '#shared/store/port.ts'
import { auditBlockId, auditBound, auditPrefix } from '#shared/text/audit-ids.ts'
import { endOfPrefix, observationIdKey, pushedObservationId, pushedPrefix } from '#shared/text/ids.ts'
import {
  alert,
  auditBlock,
  destination,
  history,
  incident,
  key,
  maintenanceWindow,
  observation,
  policy,
  pushed,
  series,
  subject,
} from './documents.ts'

export interface ContractOptions {
  /** Number of repetitions of each race; small for a slow store. */
  rounds: number
}

type Case = (t: Test, store: Store, options: ContractOptions) => Promise<unknown>

/** Opens a store, runs the whole contract on it and closes it. */
export async function storeContract(t: Test, open: () => Promise<Store>, options: ContractOptions): Promise<void> {
  const store = await open()
  for (const [title, run] of Object.entries(cases)) await t.test(title, t => run(t, store, options))
  await store.ping()
  await store.close()
}

const permanent = { name: 'StoreError', kind: 'permanent' }

const cases: Record<string, Case> = {
  'it says how much room its disk has, or that it does not know': async (t, store) => {
    const room = await store.room()
    if (room === null) return
    t.ok(room.totalBytes > 0 && room.freeBytes >= 0 && room.freeBytes <= room.totalBytes, JSON.stringify(room))
  },

  'documents come back exactly as they were given': async (t, store) => {
    const documents: SubjectDocument[] = [
      subject('exact1'),
      subject('exact2', { deletedAt: 0, dueAt: 1_790_000_000_000.5, checkLocations: [], partition: 63, name: '' }),
      subject('exact3', { name: '12', slug: '["eu"]', template: null, check: { a: '\u0000', b: '😀\n"\\' } as never }),
      subject('exact4', { checkRev: 2 ** 40, createdAt: Number.MAX_SAFE_INTEGER, judgedAt: -1.25e-7 }),
      subject('exact5', { hasOutbox: true as never, deletedAt: false as never, partition: '12' as never, dueAt: 2 ** 60 }),
    ]
    t.same(await store.insert('subjects', documents), Array(5).fill('written'))
    const found = await store.get('subjects', ['exact5', 'nobody', ...documents.map(one => one.id)])
    t.strictSame(found, [documents[4], null, ...documents], 'in the order asked, null where there is none')
    const [selected] = await store.find('subjects', {
      where: { id: 'exact5' },
      select: ['hasOutbox', 'rev', 'checkLocations'],
      limit: 1,
    })
    t.strictSame(selected, { id: 'exact5', hasOutbox: true, rev: 1, checkLocations: ['eu', 'us'] })
    const told = [alert('exact1'), alert('exact2', { reminder: true, deliveries: 0 })]
    await store.insert('alerts', told)
    t.strictSame(await store.get('alerts', ['exact1', 'exact2']), told, 'an expiry stays the number it was')
  },

  'a document given away or got is a copy': async (t, store) => {
    const given = subject('copied')
    const writing = store.insert('subjects', [given])
    await writing
    given.checkLocations.push('changed')
    const [got] = await store.get('subjects', ['copied'])
    got!.checkLocations.push('changed too')
    t.strictSame((await store.get('subjects', ['copied']))[0]?.checkLocations, ['eu', 'us'])
  },

  'a compact document is inserted once; its first content wins': async (t, store) => {
    const first = observation('compact1', { error: 'connect ECONNREFUSED ünïcode' })
    t.same(await store.insert('observations', [first, observation('compact2', { ok: 0 })]), ['written', 'written'])
    const again = [observation('compact0'), observation('compact1', { totalMs: 9 }), observation('compact3')]
    t.same(await store.insert('observations', again), ['written', 'refused', 'written'])
    t.strictSame(await store.get('observations', ['compact1', 'compact9']), [first, null])
    const some = await store.find('observations', {
      where: { id: { gte: 'compact', lt: 'compact3' } },
      sort: [['id', 'desc']],
      select: ['ok'],
      limit: 2,
    })
    t.strictSame(some, [
      { id: 'compact2', ok: 0 },
      { id: 'compact1', ok: 1 },
    ])
    await t.rejects(store.advance('observations', [first as never]), permanent)
    await t.rejects(store.replace('observations', [first as never]), permanent)
  },

  'blocks of the audit lie by workspace and instant, are read newest first as a range of ids, and expire': async (t, store) => {
    const idOf = (workspaceId: string | null, at: number) => auditBlockId(workspaceId, { at, number: 1, gateway: 'gate01' })
    const blocks = [1, 2, 3].map(at => auditBlock(idOf('order', at), { firstAt: at - 1 }))
    const others = ['order1', 'orde', null].map(workspaceId => auditBlock(idOf(workspaceId, 2)))
    const inserted = await store.insert('server_api_audit', [...others, ...blocks])
    t.same(inserted, Array(6).fill('written'))
    t.same(await store.insert('server_api_audit', [auditBlock(blocks[0]!.id, { data: '[]' })]), ['refused'], 'sent again')
    const prefix = auditPrefix('order')
    const page = (lt: string, limit: number, more: object = {}) =>
      store.find('server_api_audit', { where: { id: { gte: prefix, lt }, ...more }, sort: [['id', 'desc']], limit })
    t.strictSame(await page(endOfPrefix(prefix), 2), [blocks[2], blocks[1]])
    t.strictSame(await page(blocks[1]!.id, 2), [blocks[0]])
    t.strictSame(await page(auditBound('order', 2), 9), [blocks[0]], 'before an instant')
    t.strictSame(await page(endOfPrefix(prefix), 1, { firstAt: { lte: 1 } }), [blocks[1]], 'those that began by an instant')
    t.equal(await store.count('server_api_audit', { id: { gte: auditBound('order', 2), lt: endOfPrefix(prefix) } }), 2)
    const removed = await store.expire('server_api_audit', 4e12, 9)
    if (removed === 0) return t.comment('this store removes what has expired by itself')
    t.equal(removed, 6)
  },

  'a compact document is written over by an upsert': async (t, store) => {
    const rows = ['one', 'two'].map(name => ({ id: `compactUpsert.${name}`, data: 'first' }))
    t.same(await store.upsert('rollUps', rows), ['written', 'written'])
    const again = { id: 'compactUpsert.two', data: 'second' }
    t.same(await store.upsert('rollUps', [again, again]), ['written', 'written'])
    t.strictSame(await store.get('rollUps', ['compactUpsert.one', 'compactUpsert.two']), [rows[0], again])
  },

  'inserting again changes nothing': async (t, store) => {
    const one = key('again1')
    t.same(await store.insert('keys', [one]), ['written'])
    t.same(await store.insert('keys', [{ ...one, description: 'changed' }, key('again2')]), ['refused', 'written'])
    const crossed = key('again1', { tokenHash: 'hash of again2' })
    t.same(await store.insert('keys', [crossed]), ['refused'], 'its id decides, even where another document has its other value')
    t.strictSame(await store.get('keys', ['again1']), [one])
  },

  'a unique index takes a value once, whichever way it is written': async (t, store) => {
    t.same(await store.insert('keys', [key('unique1'), key('unique2', { tokenHash: 'hash of unique1' })]), ['written', 'taken'])
    t.same(await store.upsert('keys', [key('unique3', { tokenHash: 'hash of unique1' })]), ['taken'])
    t.same(await store.advance('keys', [key('unique3', { tokenHash: 'hash of unique1' })]), ['taken'])
    t.same(await store.replace('keys', [key('unique3', { tokenHash: 'hash of unique1' })]), ['taken'])
    t.same(await store.insert('keys', [key('unique3')]), ['written'])
    t.same(await store.replace('keys', [key('unique3', { rev: 2, tokenHash: 'hash of unique1' })]), ['taken'])
    t.same(await store.upsert('keys', [key('unique3', { rev: 2, tokenHash: 'hash of unique1' })]), ['taken'])
    t.strictSame(await store.get('keys', ['unique2', 'unique3']), [null, key('unique3')])
    t.same(await store.replace('keys', [key('unique1', { rev: 2, tokenHash: 'free' })]), ['written'])
    t.same(
      await store.insert('keys', [key('unique2', { tokenHash: 'hash of unique1' })]),
      ['written'],
      'a value given up is free',
    )
    t.equal(await store.delete('keys', ['unique1']), 1)
    t.same(await store.insert('keys', [key('unique4', { tokenHash: 'free' })]), ['written'], 'a deleted value is free')
    const pair = { workspaceId: 'uniqueWorkspace', nameKey: 'ops' }
    const pairs = [
      destination('unique1', { ...pair, number: 901 }),
      destination('unique2', { ...pair, number: 902 }),
      destination('unique3', { ...pair, number: 903, workspaceId: 'otherWorkspace' }),
    ]
    t.same(await store.insert('destinations', pairs), ['written', 'taken', 'written'])
  },

  'the guarded put replaces only what has the revision before': async (t, store) => {
    t.same(await store.replace('subjects', [subject('guard', { rev: 2 })]), ['refused'], 'nothing is stored')
    t.same(await store.replace('subjects', [subject('guard', { rev: 1 })]), ['written'], 'revision 1 inserts')
    t.same(await store.replace('subjects', [subject('guard', { rev: 3 })]), ['refused'], 'a revision is missing')
    t.same(await store.replace('subjects', [subject('guard', { rev: 2, writer: 'a', name: 'two' })]), ['written'])
    t.same(await store.replace('subjects', [subject('guard', { rev: 2, writer: 'b', name: 'other' })]), ['refused'])
    t.same(await store.replace('subjects', [subject('guard', { rev: 1, writer: 'b' })]), ['refused'])
    t.strictSame(await store.get('subjects', ['guard']), [subject('guard', { rev: 2, writer: 'a', name: 'two' })])
  },

  'a writer who asks again is told that his revision was written': async (t, store) => {
    for (const rev of [1, 2]) {
      const mine = subject('settled', { rev, writer: `mine ${rev}` })
      t.same(await store.replace('subjects', [mine]), ['written'])
      t.same(await store.replace('subjects', [mine, subject(`settled${rev}`)]), ['written', 'written'])
      t.same(await store.replace('subjects', [{ ...mine, writer: 'another' }]), ['refused'])
    }
    t.same(await store.replace('workspaces', [{ id: 'settled', rev: 1, name: 'a', createdAt: 1, members: {} }]), ['written'])
    t.same(
      await store.replace('workspaces', [{ id: 'settled', rev: 1, name: 'a', createdAt: 1, members: {} }]),
      ['refused'],
      'nobody signed it',
    )
  },

  'of 16 racing writers exactly one wins each revision': async (t, store, { rounds }) => {
    const writers = Array.from({ length: 16 }, (_, index) => `racer ${index}`)
    for (let rev = 1; rev <= rounds; rev++) {
      const results = await Promise.all(writers.map(writer => store.replace('subjects', [subject('race', { rev, writer })])))
      const winners = writers.filter((_, index) => results[index]?.[0] === 'written')
      if (winners.length !== 1) return t.fail(`revision ${rev} was won by ${winners.length}`)
      const [stored] = await store.get('subjects', ['race'])
      if (stored?.writer !== winners[0] || stored?.rev !== rev) return t.fail(`revision ${rev} is not the winner's`)
    }
    t.pass(`${rounds} rounds`)
  },

  'of 16 racing writers without a signature exactly one wins too': async (t, store, { rounds }) => {
    for (let rev = 1; rev <= Math.ceil(rounds / 4); rev++) {
      const racers = Array.from({ length: 16 }, (_, index) => ({
        id: 'raceUnsigned',
        rev,
        name: `${index}`,
        createdAt: rev,
        members: {},
        deletedAt: null,
      }))
      const results = await Promise.all(racers.map(racer => store.replace('workspaces', [racer])))
      const winners = racers.filter((_, index) => results[index]?.[0] === 'written')
      t.equal(winners.length, 1)
      t.strictSame(await store.get('workspaces', ['raceUnsigned']), winners)
    }
  },

  'of racing inserts and names exactly one wins': async (t, store) => {
    const same = await Promise.all(Array.from({ length: 16 }, () => store.insert('observations', [observation('raceInsert')])))
    t.equal(same.flat().filter(result => result === 'written').length, 1)
    t.equal(same.flat().filter(result => result === 'refused').length, 15)
    const names = await Promise.all(
      Array.from({ length: 16 }, (_, index) => store.insert('keys', [key(`raceName${index}`, { tokenHash: 'raced for' })])),
    )
    t.equal(names.flat().filter(result => result === 'written').length, 1)
    t.equal(names.flat().filter(result => result === 'taken').length, 15)
  },

  'a mixed bulk answers each item': async (t, store) => {
    await store.insert('subjects', [subject('bulk1'), subject('bulk2'), subject('bulk4', { rev: 4 })])
    const documents = [
      subject('bulk1', { rev: 2, name: 'new' }),
      subject('bulk2', { rev: 3, name: 'new' }),
      subject('bulk3', { rev: 1, name: 'new' }),
      subject('bulk4', { rev: 5, name: 'new' }),
      subject('bulk5', { rev: 2, name: 'new' }),
      subject('bulk2', { rev: 1, writer: 'other', name: 'new' }),
    ]
    t.same(await store.replace('subjects', documents), ['written', 'refused', 'written', 'written', 'refused', 'refused'])
    const stored = await store.get('subjects', ['bulk1', 'bulk2', 'bulk3', 'bulk4', 'bulk5'])
    t.strictSame(stored, [documents[0], subject('bulk2'), documents[2], documents[3], null])
    await store.insert('keys', [key('bulk1')])
    const mixed = [
      key('bulk1'),
      key('bulk2', { tokenHash: 'hash of bulk1' }),
      key('bulk3'),
      key('bulk3', { description: 'late' }),
    ]
    t.same(await store.insert('keys', mixed), ['refused', 'taken', 'written', 'refused'])
  },

  'an empty bulk is answered with nothing': async (t, store) => {
    for (const method of ['insert', 'replace', 'advance', 'upsert'] as const) t.same(await store[method]('subjects', []), [])
    t.same(await store.get('subjects', []), [])
    t.equal(await store.delete('subjects', []), 0)
    t.same(await store.find('subjects', { where: { id: { in: [] } }, limit: 5 }), [])
  },

  'advance writes only over a smaller revision': async (t, store) => {
    t.same(await store.advance('incidents', [incident('advance', { rev: 5 })]), ['written'])
    const results = await store.advance('incidents', [
      incident('advance', { rev: 5, explanation: 'same' }),
      incident('advance', { rev: 4, explanation: 'older' }),
      incident('advance2', { rev: 9 }),
    ])
    t.same(results, ['refused', 'refused', 'written'])
    t.same(await store.advance('incidents', [incident('advance', { rev: 8, explanation: 'newer' })]), ['written'])
    t.strictSame(await store.get('incidents', ['advance']), [incident('advance', { rev: 8, explanation: 'newer' })])
    const raced = [3, 7, 1, 9, 5, 8, 2, 6, 4]
    await Promise.all(raced.map(rev => store.advance('incidents', [incident('advanceRace', { rev })])))
    t.equal((await store.get('incidents', ['advanceRace']))[0]?.rev, 9, 'the largest of racing stamps stays')
  },

  'upsert writes whatever is stored': async (t, store) => {
    t.same(await store.upsert('checkpoints', [checkpoint('upsert', 9)]), ['written'])
    t.same(await store.upsert('checkpoints', [checkpoint('upsert', 3), checkpoint('upsert2', 1)]), ['written', 'written'])
    t.strictSame(await store.get('checkpoints', ['upsert', 'upsert2']), [checkpoint('upsert', 3), checkpoint('upsert2', 1)])
    const raced = await Promise.all(
      Array.from({ length: 8 }, (_, rev) => store.upsert('checkpoints', [checkpoint('upsertRace', rev)])),
    )
    t.same(raced.flat(), Array(8).fill('written'))
  },

  'find compares, sorts and pages': testFind,

  'null equals null, sorts first and is in no range': async (t, store) => {
    const dues = [null, 5, null, 0, 5, -1]
    await store.insert(
      'subjects',
      dues.map((dueAt, index) => subject(`null${index}`, { workspaceId: 'nulls', dueAt })),
    )
    const ids = async (query: Omit<Query, 'limit'>) =>
      (await store.find('subjects', { ...query, where: { workspaceId: 'nulls', ...query.where }, limit: 100 })).map(one => one.id)
    t.same(await ids({ where: { dueAt: null } }), ['null0', 'null2'])
    t.same(await ids({ where: { dueAt: { lte: 5 } }, sort: [['dueAt', 'asc']] }), ['null5', 'null3', 'null1', 'null4'])
    const ascending = ['null0', 'null2', 'null5', 'null3', 'null1', 'null4']
    t.same(await ids({ sort: [['dueAt', 'asc']] }), ascending)
    t.same(await ids({ sort: [['dueAt', 'desc']] }), ascending.toReversed())
    for (const direction of ['asc', 'desc'] as const) {
      const all = direction === 'asc' ? ascending : ascending.toReversed()
      for (const [index, id] of all.entries()) {
        const after = { values: [dues[Number(id.slice(4))] as number | null], id }
        t.same(await ids({ sort: [['dueAt', direction]], after }), all.slice(index + 1), `behind ${id}, ${direction}`)
      }
    }
  },

  'text is compared by code point': async (t, store) => {
    const slugs = ['a', 'A', 'ä', 'z', '\uffee', '😀', '', '0', 'aa', 'a b']
    await store.insert(
      'subjects',
      slugs.map((slug, index) => subject(`text${index}`, { workspaceId: 'texts', slug })),
    )
    const found = await store.find('subjects', { where: { workspaceId: 'texts' }, sort: [['slug', 'asc']], limit: 100 })
    t.same(
      found.map(one => one.slug),
      ['', '0', 'A', 'a', 'a b', 'aa', 'z', 'ä', '\uffee', '😀'],
    )
    const behind = { where: { workspaceId: 'texts', slug: { gt: 'z', lt: '😀' } }, limit: 100 } as const
    t.same(
      (await store.find('subjects', behind)).map(one => one.slug),
      ['ä', '\uffee'],
    )
  },

  'a question that no index was declared for is refused for good': async (t, store) => {
    const questions: Query[] = [
      { where: { writer: 'x' }, limit: 1 },
      { where: { 'meta.url': 'x' }, limit: 1 },
      { sort: [['updatedAt', 'asc']], limit: 1 },
      { select: ['rules'], limit: 1 },
      { limit: 0 },
      { limit: 10_001 },
      { limit: 1.5 },
      { where: { slug: {} }, limit: 1 },
      { sort: [['slug', 'asc']], after: { values: [], id: 'x' }, limit: 1 },
    ]
    for (const question of questions) await t.rejects(store.find('subjects', question), permanent, JSON.stringify(question))
    await t.rejects(store.count('subjects', { rev: 1 }), permanent)
    await t.rejects(store.find('observations', { select: ['rev'], limit: 1 }), permanent, 'a compact document has none')
    await t.rejects(store.expire('subjects', 1, 1), permanent)
    t.same(await store.find('subjects', { where: { slug: "'; DROP TABLE subjects; --" }, limit: 1 }), [])
  },

  'numbers come without their documents, in the order of their ids, with the places that the ids tell': async (t, store) => {
    const at = [3, 1, 2, 4, 5]
    const row = (atUs: number, signal = 'n1') => ({
      ...pushed(`numbered.${signal}.00${atUs}.${atUs}e3labels`),
      value: atUs * 1.5,
    })
    await store.insert('pushedObservations', [...at.map(atUs => row(atUs)), row(9, 'n2'), { ...row(6), value: null }])
    const prefix = 'numbered.n1.'
    const query = { from: `${prefix}002`, to: endOfPrefix(prefix), digitsAt: prefix.length, column: 'value', limit: 10 }
    const all = { places: Float64Array.of(2, 3, 4, 5), values: Float64Array.of(3, 4.5, 6, 7.5) }
    t.strictSame(await store.numbers('pushedObservations', query), all)
    const two = { places: Float64Array.of(4, 5), values: Float64Array.of(6, 7.5) }
    t.strictSame(await store.numbers('pushedObservations', { ...query, limit: 2 }), two)
    const none = { places: new Float64Array(), values: new Float64Array() }
    t.strictSame(await store.numbers('pushedObservations', { ...query, from: `${prefix}006` }), none)
    await t.rejects(store.numbers('pushedObservations', { ...query, limit: 0 }), permanent)
    await t.rejects(store.numbers('pushedObservations', { ...query, column: 'nothing' }), permanent)
    await t.rejects(store.numbers('pushedObservations', { ...query, column: 'error' }), permanent, 'a column of texts')
    await t.rejects(store.numbers('pushedObservations', { ...query, digitsAt: -1 }), permanent)
  },

  'count counts what find would find': async (t, store) => {
    await store.insert(
      'incidents',
      [0, 1, 1].map((open, index) => incident(`count${index}`, { workspaceId: 'counts', open: open as 0 | 1 })),
    )
    t.equal(await store.count('incidents', { workspaceId: 'counts' }), 3)
    t.equal(await store.count('incidents', { workspaceId: 'counts', open: 1 }), 2)
    t.equal(await store.count('incidents', { workspaceId: 'counts', open: true }), 2)
    t.equal(await store.count('incidents', { workspaceId: 'nobody' }), 0)
  },

  'delete and deleteRange say how many there were': async (t, store) => {
    const ids = Array.from({ length: 9 }, (_, index) => `delete${index}`)
    await store.insert(
      'observations',
      ids.map(id => observation(id)),
    )
    t.equal(await store.delete('observations', ['delete0', 'delete9', 'nobody']), 1)
    t.equal(await store.deleteRange('observations', 'delete2', 'delete7', 3), 3, 'no more than asked')
    t.equal(await store.deleteRange('observations', 'delete2', 'delete7', 3), 2, 'the upper bound stays')
    t.equal(await store.deleteRange('observations', 'delete2', 'delete7', 3), 0)
    const left = await store.find('observations', { where: { id: { gte: 'delete', lt: 'deletf' } }, limit: 100 })
    t.same(
      left.map(one => one.id),
      ['delete1', 'delete7', 'delete8'],
    )
  },

  'what senders report is replaced by its identity and read by signal, newest first; only what has an expiry expires': async (
    t,
    store,
  ) => {
    const idOf = (at: number, signal = 's1') => pushedObservationId('sub1', signal, {}, at)
    const rows = [3, 1, 2].map(at => pushed(idOf(at)))
    const other = pushed(idOf(9, 's2'), { rejectReason: 'clock_skew', expireAt: 4e12 })
    t.same(await store.upsert('pushedObservations', [...rows, other]), Array(4).fill('written'))
    const labels = JSON.stringify({ 'a.b': '$c', $d: '.', '': 'é' })
    const again = pushed(idOf(2), {
      ok: 1,
      value: -0.5,
      error: 'a\u0000b 😀',
      labels,
      sentId: 'run 1',
      body: '{"a":1}',
      source: 'api',
    })
    t.same(await store.upsert('pushedObservations', [again]), ['written'])
    t.strictSame(await store.get('pushedObservations', [idOf(2), idOf(4)]), [again, null])
    const prefix = pushedPrefix('sub1', 's1')
    const newest = { where: { id: { gte: prefix, lt: `${prefix}~` } }, sort: [['id', 'desc']] as const, limit: 2 }
    t.strictSame(await store.find('pushedObservations', newest), [rows[0], again])
    const numbers = { where: { ...newest.where, value: { gte: -Number.MAX_VALUE } }, select: ['value'], limit: 9 }
    t.strictSame(await store.find('pushedObservations', numbers), [{ id: idOf(2), value: -0.5 }], 'those with a number alone')
    const [first] = await store.find('pushedObservations', { ...newest, limit: 1 })
    const after = { values: [first?.id ?? ''], id: first?.id ?? '' }
    t.strictSame(await store.find('pushedObservations', { ...newest, after, limit: 1 }), [again], 'the next page')
    const all = { id: { gte: 'sub1.', lt: 'sub1.~' } }
    t.equal(await store.count('pushedObservations', all), 4)
    const expired = await store.expire('pushedObservations', 4e12, 10)
    t.equal(expired === 0 || expired === 1, true, 'in slices, or none: the store does so by itself')
    t.equal(await store.count('pushedObservations', all), 4 - expired)
  },

  "places of senders' ids are kept whole and are found by subject and signal": async (t, store) => {
    const place = { signalKey: 's1', atUs: 1_790_000_000_000_001, createdSignal: 0 as const }
    const [one, two] = ['one', 'two'].map(sent => ({ ...place, id: observationIdKey('places', sent) })) as [never, never]
    const other = {
      ...place,
      id: observationIdKey('places', 'three'),
      signalKey: 's2',
      createdSignal: 1 as const,
    }
    t.same(await store.upsert('observationIds', [one, two, other]), Array(3).fill('written'))
    t.strictSame(await store.get('observationIds', [other.id, observationIdKey('place', 'one')]), [other, null])
    const ofSignal = { id: { gte: 'places.', lt: 'places.~' }, signalKey: 's2' }
    t.strictSame(await store.find('observationIds', { where: ofSignal, select: [], limit: 9 }), [{ id: other.id }])
  },

  'puts behind a claim: made if each of its documents is new, else refused with all that follows': async (t, store) => {
    const place = (name: string, atUs: number) => ({
      ...{ id: observationIdKey('claims', name), signalKey: 's1', atUs, createdSignal: 0 as const },
    })
    const claim = (...documents: ReturnType<typeof place>[]) => ({
      ...{ mode: 'insert' as const, collection: 'observationIds' as const, documents, isClaim: true },
    })
    const rows = (signal: string) => ({
      mode: 'upsert' as const,
      collection: 'pushedObservations' as const,
      documents: [1, 2].map(at => pushed(pushedObservationId('claims', signal, {}, at))),
    })
    const made = { mode: 'replace' as const, collection: 'subjects' as const, documents: [subject('claims')] }
    const all = [claim(place('one', 1)), rows('s1'), made]
    t.strictSame(await store.putInOrder(all), [['written'], ['written', 'written'], ['written']])
    const lost = [rows('s2'), claim(place('one', 2), place('two', 2)), rows('s3'), { ...made, documents: [subject('behind')] }]
    const [before, claimed, ...after] = await store.putInOrder(lost)
    t.strictSame(before, ['written', 'written'], 'what comes before it is made')
    t.equal(claimed?.[0], 'refused')
    t.strictSame(after, [['refused', 'refused'], ['refused']])
    t.strictSame(await store.get('observationIds', [place('one', 1).id]), [place('one', 1)])
    t.strictSame(await store.get('subjects', ['claims', 'behind']), [subject('claims'), null])
    const stored = (signal: string) =>
      store.count('pushedObservations', { id: { gte: `claims.${signal}.`, lt: `claims.${signal}.~` } })
    t.strictSame(await Promise.all(['s1', 's2', 's3'].map(stored)), [2, 2, 0])
    const empty = await store.putInOrder([claim(), rows('s3')])
    t.strictSame(empty, [[], ['written', 'written']], 'a claim of nothing holds')
  },

  'puts in order: each result by itself, a refusal stops nothing, and nothing follows what fails': async (t, store) => {
    const rows = [pushed(pushedObservationId('order1', 's1', {}, 1))]
    const first = series('order1.s1.-', { subjectId: 'order1', rev: 1, writer: 'one', expireAt: 6e12 })
    const puts = [
      { mode: 'upsert' as const, collection: 'pushedObservations' as const, documents: rows },
      { mode: 'insert' as const, collection: 'alerts' as const, documents: [] },
      { mode: 'replace' as const, collection: 'series' as const, documents: [first, { ...first, id: 'order2', rev: 7 }] },
      { mode: 'replace' as const, collection: 'subjects' as const, documents: [subject('order1')] },
    ]
    t.strictSame(await store.putInOrder(puts), [['written'], [], ['written', 'refused'], ['written']])
    t.strictSame(
      await store.putInOrder(puts),
      [['written'], [], ['written', 'refused'], ['written']],
      'again, by the same writers',
    )
    const other = { ...first, writer: 'two' }
    t.strictSame(await store.putInOrder([{ mode: 'replace', collection: 'series', documents: [other] }]), [['refused']])
    t.strictSame(await store.get('series', ['order1.s1.-', 'order2']), [first, null])
    t.strictSame(await store.putInOrder([]), [])

    const failing = { mode: 'replace' as const, collection: 'observations' as const, documents: [observation('order3')] as never }
    const after = { mode: 'insert' as const, collection: 'subjects' as const, documents: [subject('order3')] }
    await t.rejects(store.putInOrder([failing, after]), permanent)
    t.strictSame(await store.get('subjects', ['order3']), [null])
  },

  'a series is replaced by its revision, whatever of it changes; policies are kept as they were saved; a window advances': async (
    t,
    store,
  ) => {
    const revised = (rev: number, given: Partial<SeriesDocument>) => series('sub2.s1.-', { subjectId: 'sub2', rev, ...given })
    const byRev = (gte: number) => store.find('series', { where: { subjectId: 'sub2', subjectRev: { gte } }, limit: 9 })
    const steps: [Partial<SeriesDocument>, string][] = [
      [{ observedAtUs: 50 }, 'first'],
      [{ observedAtUs: 70, value: null, error: '' }, 'nothing that is indexed'],
      [{ observedAtUs: 70, subjectRev: 9 }, 'the revision of its subject'],
      [{ observedAtUs: 80, subjectRev: 9, expireAt: 5e12 }, 'its expiry'],
    ]
    for (const [i, [given, title]] of steps.entries()) {
      t.same(await store.replace('series', [revised(i + 1, given)]), ['written'], title)
      t.strictSame(await byRev(0), [revised(i + 1, given)])
      t.equal((await byRev(4)).length, i < 2 ? 0 : 1)
      t.same(
        await store.replace('series', [revised(i + 1, { ...given, writer: 'other' })]),
        ['refused'],
        'an earlier one comes late',
      )
    }
    t.ok([0, 1].includes(await store.expire('series', 5e12, 10)))

    const versions = [2, 10, 1].map(version => policy(`sub2.r1.${version}`, { version }))
    await store.insert('policies', versions)
    const rewritten = policy('sub2.r1.2', { version: 2, savedAt: 99 })
    t.same(await store.insert('policies', [rewritten]), ['refused'])
    const kept = await store.find('policies', {
      where: { subjectId: 'sub2', ruleKey: 'r1' },
      sort: [['version', 'asc']],
      limit: 9,
    })
    t.strictSame(kept, [versions[2], versions[0], versions[1]], 'in the order of their numbers')
    await t.rejects(store.expire('policies', 4e12, 10), permanent, 'they never expire')

    const window = (rev: number, endsAt: number) => maintenanceWindow('sub2.w1', { rev, endsAt })
    t.same(await store.advance('windows', [window(3, 100)]), ['written'])
    t.same(await store.advance('windows', [window(3, 200), window(2, 300)]), ['refused', 'refused'])
    t.same(await store.advance('windows', [window(9, 400)]), ['written'])
    t.strictSame(await store.find('windows', { where: { subjectId: 'sub2' }, limit: 9 }), [window(9, 400)])
    await t.rejects(store.expire('windows', 4e12, 10), permanent)
    t.equal(await store.delete('windows', ['sub2.w1']), 1)
  },

  'what has expired leaves in slices, or by itself': async (t, store) => {
    const now = 1_000_000
    const expiries = [now - 2, now - 1, now, now + 1].map((expireAt, index) =>
      alert(`expire${index}`, { expireAt: expireAt + 4e12 }),
    )
    await store.insert('alerts', expiries)
    const first = await store.expire('alerts', now + 4e12, 2)
    if (first === 0) return t.comment('this store removes what has expired by itself')
    t.equal(first, 2)
    t.equal(await store.expire('alerts', now + 4e12, 2), 1)
    t.equal(await store.expire('alerts', now + 4e12, 2), 0)
    t.same(
      (
        await store.get(
          'alerts',
          expiries.map(one => one.id),
        )
      ).map(one => one?.id),
      [undefined, undefined, undefined, 'expire3'],
    )
  },

  'an answer can be read at once': async (t, store) => {
    for (let rev = 1; rev <= 5; rev++) {
      await store.replace('subjects', [subject('readYourWrites', { rev, dueAt: rev })])
      t.equal(await store.count('subjects', { dueAt: rev, id: 'readYourWrites' }), 1)
    }
  },
}

async function testFind(t: Test, store: Store): Promise<void> {
  const entries = Array.from({ length: 12 }, (_, index) =>
    history(`find${index}`, {
      subjectId: `findSubject${index % 2}`,
      at: Math.floor(index / 4),
      incidentId: 'find',
      sequence: index,
    }),
  )
  await store.insert('history', entries.toReversed())
  const ids = async (query: Omit<Query, 'limit'> & { limit?: number }) =>
    (await store.find('history', { limit: 100, ...query })).map(one => Number(one.id.slice(4)))
  const where = { incidentId: 'find' }
  const byId = [0, 1, 10, 11, 2, 3, 4, 5, 6, 7, 8, 9]
  t.same(await ids({ where }), byId, 'by id unless told otherwise')
  t.same(await ids({ where, sort: [['id', 'desc']], limit: 3 }), [9, 8, 7])
  t.same(await ids({ where: { ...where, sequence: { gt: 2, lte: 5 } } }), [3, 4, 5])
  t.same(await ids({ where: { ...where, sequence: { gte: 2, lt: 5 } } }), [2, 3, 4])
  t.same(await ids({ where: { ...where, sequence: { in: [3, 99, 1] } } }), [1, 3])
  t.same(await ids({ where: { id: { in: ['find7', 'find1', 'nobody'] } } }), [1, 7])
  t.same(await ids({ where: { id: { gte: 'find1', lt: 'find2' } } }), [1, 10, 11])
  t.strictSame(await store.find('history', { where, select: ['at', 'sequence'], sort: [['sequence', 'desc']], limit: 1 }), [
    { id: 'find11', at: 2, sequence: 11 },
  ])
  const orders: NonNullable<Query['sort']>[] = [
    [],
    [['id', 'desc']],
    [['at', 'asc']],
    [['at', 'desc']],
    [
      ['subjectId', 'desc'],
      ['at', 'asc'],
    ],
    [
      ['at', 'desc'],
      ['subjectId', 'asc'],
      ['sequence', 'desc'],
    ],
  ]
  for (const sort of orders) {
    const whole = await store.find('history', { where, sort, limit: 100 })
    t.equal(whole.length, 12)
    t.same(
      whole.map(one => one.id),
      expectedOrder(entries, sort),
      `sorted by ${JSON.stringify(sort)}`,
    )
    const paged: string[] = []
    for (let after: Query['after']; paged.length < 20; ) {
      const page: typeof entries = await store.find('history', {
        where,
        sort,
        limit: 5,
        ...(after === undefined ? {} : { after }),
      })
      paged.push(...page.map(one => one.id))
      const last = page.at(-1)
      if (last === undefined) break
      after = { values: sort.map(([field]) => last[field as 'at']), id: last.id }
    }
    t.same(
      paged,
      whole.map(one => one.id),
      `pages of ${JSON.stringify(sort)} neither repeat nor miss`,
    )
  }
}

/** Returns the ids in the order that the port documents, computed without any adapter. */
function expectedOrder(entries: readonly object[], sort: NonNullable<Query['sort']>): string[] {
  const keys = sort.some(([field]) => field === 'id') ? sort : [...sort, ['id', sort.at(-1)?.[1] ?? 'asc'] as const]
  const ordered = [...(entries as Record<string, string | number>[])].sort((a, b) => {
    for (const [field, direction] of keys) {
      if (a[field] === b[field]) continue
      return (a[field]! < b[field]! ? -1 : 1) * (direction === 'asc' ? 1 : -1)
    }
    return 0
  })
  return ordered.map(entry => entry['id'] as string)
}

const checkpoint = (id: string, sequence: number) => ({
  id,
  rev: 1,
  streamCreatedAt: '2026-01-01T00:00:00Z',
  sequence,
  messageAt: 1,
  gaps: 0,
  freshness: [],
  writtenAt: 1,
})
