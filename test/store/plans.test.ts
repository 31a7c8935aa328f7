// Plans of the queries: the check that each process of the tests makes (test/support/store/watch-plans.ts), and plans that are part of the
// declarations of collections.
import t from 'tap'
import { type CollectionName, collections } from '#shared/store/collections.ts'
import type { Query } from '#shared/store/port.ts'
import { type PlannedQuery, planQuery, planWhere } from '#shared/store/query.ts'
import { deleteRangeSql, expireSql } from '#shared/store/sqlite/sqlite-query.ts'
import { listOpenIncidents } from '../../services/directory/incidents/incidents.ts'
import { boundedReads } from '../support/store/bounded-reads.ts'
import { createMemoryStore } from '../support/store/memory-store.ts'
import { explain, faultsOf, watchPlans } from '../support/store/watch-plans.ts'

const names = Object.keys(collections) as CollectionName[]
const found = (collection: CollectionName, query: Omit<Query, 'limit'>): PlannedQuery => ({
  collection,
  kind: 'find',
  plan: planQuery(collection, { limit: 10, ...query }),
})

t.test('query that an index serves has no fault, on its first page and on later ones', async t => {
  const after = { values: [5], id: 'a' }
  const served: [collection: CollectionName, query: Omit<Query, 'limit'>][] = [
    ['incidents', { where: { workspaceId: 'w', open: 1 }, sort: [['troubleSince', 'desc']] }],
    ['incidents', { where: { workspaceId: 'w', open: 1, subjectId: 's' }, sort: [['troubleSince', 'desc']] }],
    ['incidents', { where: { workspaceId: 'w', facets: 1 }, sort: [['troubleSince', 'desc']] }],
    ['deliveryLog', { where: { workspaceId: 'w', shownInV2: 1 }, sort: [['number', 'desc']] }],
    ['deliveryLog', { where: { workspaceId: 'w', shownInV2: 1, destinationNumber: 1 }, sort: [['number', 'desc']] }],
    ['deliveryLog', { where: { workspaceId: 'w', destinationId: 'd', status: 'failed' }, sort: [['at', 'desc']] }],
    ['history', { where: { incidentId: 'i' }, sort: [['sequence', 'desc']] }],
  ]
  for (const [collection, query] of served) {
    t.strictSame(faultsOf(found(collection, query)), [], `${collection} ${JSON.stringify(query.where)}`)
    t.strictSame(faultsOf(found(collection, { ...query, after })), [], `${collection} ${JSON.stringify(query.where)}, next page`)
  }
})

t.test('query that no index serves has a fault: a scan, a filter, a sort, rows read again', async t => {
  const scan = found('incidents', { where: { ruleKey: 'r' } })
  t.match(faultsOf(scan), [/SCAN incidents/, 'filters by ruleKey'])
  t.match(faultsOf(found('deliveryLog', { where: { workspaceId: 'w', at: { gt: 1 } } })), [/TEMP B-TREE/, 'filters by at'])
  const plan = { conditions: planWhere('incidents', { ruleShown: 'r' }), sort: [], limit: 1, select: [] }
  t.match(faultsOf({ collection: 'incidents', kind: 'count', plan }), [/SCAN incidents/])
  const again = found('alerts', { where: { state: 'open' }, sort: [['decidedAt', 'desc']], after: { values: [5], id: 'a' } })
  t.match(faultsOf(again), ['reads the rows before its page again, by decidedAt'])
})

t.test('watcher names the service that asks what no index serves, and ignores what tests ask', async t => {
  const store = createMemoryStore()
  const unserved: string[] = []
  const end = watchPlans(({ site, faults }) => unserved.push(`${site} ${faults.join()}`))
  t.teardown(end)
  await store.find('policies', { where: { version: 2 }, limit: 1 })
  t.strictSame(unserved, [], 'a test may ask anything')
  // Planted: the caller gives a sort that no index has.
  const planted = { ...store, find: (name: never, query: Query) => store.find(name, { ...query, sort: [['ruleKey', 'desc']] }) }
  await listOpenIncidents({ store: planted } as never, { workspaceId: 'w', subjectId: null, after: null } as never)
  t.match(unserved, [/^services\/directory\/documents\/page\.ts:\d+ .*TEMP B-TREE/])
})

t.test('removal of ranges and of expired documents reads only what it removes', async t => {
  for (const name of names) {
    const range = explain(deleteRangeSql(name, 'a', 'b', 10).text)
    t.notOk(
      range.some(step => /^SCAN|TEMP B-TREE/.test(step)),
      `${name}: ${range.join(', ')}`,
    )
    if (!collections[name].expires) continue
    const expired = explain(expireSql(name, 1, 10).text)
    t.notOk(
      expired.some(step => /^SCAN|TEMP B-TREE/.test(step)),
      `${name}: ${expired.join(', ')}`,
    )
  }
})

t.test('bounded reads name collections and columns that exist', async t => {
  for (const outline of Object.keys(boundedReads)) {
    const [name = '', fields = ''] = outline.split(/ by ?/)
    const spec = collections[name as CollectionName]
    t.ok(spec, outline)
    for (const field of fields.split(',').filter(Boolean)) t.ok(field === 'id' || field in spec.columns, outline)
  }
})
