// Check of every query that the services send to a store, whichever store a test uses: SQLite must find its rows by an index that has its
// conditions and its order, so that a read costs as much as the rows that it returns, whatever is stored besides. Each process of the tests
// watches from its start (test-process.ts), so the suite and the fuzz check all queries that they cause. Queries of tests themselves are not
// checked.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { chooseIndex } from '#shared/store/best-index.ts'
import { type CollectionName, collections } from '#shared/store/collections.ts'
import { type PlannedQuery, plannedQueries } from '#shared/store/query.ts'
import { countSql, selectSql } from '#shared/store/sqlite/sqlite-query.ts'
import { rowCodec } from '#shared/store/sqlite/sqlite-rows.ts'
import { schemaStatements } from '#shared/store/sqlite/sqlite-schema.ts'
import { boundedReads } from './bounded-reads.ts'

let schema: DatabaseSync | null = null

export const textOf = ({ collection, kind, plan }: PlannedQuery): string =>
  kind === 'count'
    ? countSql(collection, plan.conditions).text
    : selectSql(collection, rowCodec(collection).columnsToRead(plan.select), plan).text

/** Returns the steps of SQLite's plan, for a store without rows. */
export function explain(text: string): string[] {
  schema ??= emptyStore()
  return schema
    .prepare(`EXPLAIN QUERY PLAN ${text}`)
    .all()
    .map(({ detail }) => String(detail))
}

function emptyStore(): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  for (const collection of Object.keys(collections) as CollectionName[])
    for (const statement of schemaStatements(collection)) database.exec(statement)
  return database
}

/** Returns what an index does not have; empty: the query reads only the rows that it returns, or is one of the bounded reads. */
export function faultsOf(query: PlannedQuery): string[] {
  const { plan, kind } = query
  const faults: string[] = []
  const steps = explain(textOf(query))
  const searched = steps.filter(step => step.startsWith('SEARCH')).join(' ')
  const has = (field: string, operators: string) => new RegExp(`[( ]${field}[${operators}]`).test(searched)
  for (const step of steps) if (isFault(step, query)) faults.push(step)
  for (const { field } of plan.conditions) if (!has(field, '=<>')) faults.push(`filters by ${field}`)
  const [first] = plan.sort
  if (kind === 'find' && first?.after !== undefined && plan.conditions.length > 0 && !has(first.field, '<>'))
    faults.push(`reads the rows before its page again, by ${first.field}`)
  const isBounded = outlineOf(query) in boundedReads && searched !== ''
  return isBounded || (plan.conditions.length === 0 && outlineOf(query) in boundedReads) ? [] : faults
}

/** Returns the collection and the fields by which the rows are found. */
export const outlineOf = ({ collection, plan }: PlannedQuery): string =>
  `${collection} by ${[...chooseIndex(collection, plan).fields].sort().join()}`.trim()

function isFault(step: string, { collection, kind, plan }: PlannedQuery): boolean {
  // The two small tables of a gathered collection have a bounded number of rows.
  const isGathered = collections[collection].gathered === true
  if (/^SCAN (?!json_each|CONSTANT)/.test(step)) return !(isGathered || (plan.conditions.length === 0 && kind === 'find'))
  if (step === 'USE TEMP B-TREE FOR LAST TERM OF ORDER BY') return !isUnique(collection, plan)
  return step.startsWith('USE TEMP B-TREE') && !isGathered
}

/** Whether no two of the rows are equal in the keys of the order before `id`, so that nothing has to be sorted by `id`. */
function isUnique(collection: CollectionName, { conditions, sort }: PlannedQuery['plan']): boolean {
  const known = new Set([...conditions.filter(({ kind }) => kind === 'equal'), ...sort].map(({ field }) => field))
  return collections[collection].indexes.some(({ unique, fields }) => unique === true && fields.every(field => known.has(field)))
}

/** A query of a service that no index serves. */
export interface UnservedQuery {
  text: string
  faults: readonly string[]
  /** File and line of the service that asked. */
  site: string
}

type Watcher = (unserved: UnservedQuery) => void

/** The watchers of this process. In a lane, each test file has its own instance of this module, so the list is global. */
const shared = globalThis as { planWatchers?: Watcher[] }
const watchers = shared.planWatchers ?? []
shared.planWatchers = watchers

/**
 * Calls back for each query of a service in this process that no index serves, from now on, in the place of an earlier watcher. Returns a
 * function that ends this.
 */
export function watchPlans(watcher: Watcher): () => void {
  const known = new Map<string, string[]>()
  const look = (message: unknown) => {
    const query = message as PlannedQuery
    const text = textOf(query)
    const faults = known.get(text) ?? faultsOf(query)
    known.set(text, faults)
    const site = faults.length === 0 || watchers.at(-1) !== watcher ? null : siteOfCall()
    if (site !== null) watcher({ text, faults, site })
  }
  watchers.push(watcher)
  plannedQueries.subscribe(look)
  return () => {
    plannedQueries.unsubscribe(look)
    watchers.splice(watchers.indexOf(watcher), 1)
  }
}

const root = join(import.meta.dirname, '..', '..', '..')
const framesMax = 40

/** Returns the file and the line that asked, if it is not a test. */
function siteOfCall(): string | null {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = framesMax
  const { stack = '' } = new Error('site')
  Error.stackTraceLimit = stackTraceLimit
  const paths = stack.split('\n').flatMap(line => (line.includes(root) ? [line.slice(line.indexOf(root) + root.length + 1)] : []))
  const path = paths.find(one => /^(services|shared|infra)\//.test(one) && !one.startsWith('shared/store/'))
  return path === undefined ? null : path.replace(/(:\d+):\d+\)?$/, '$1')
}
