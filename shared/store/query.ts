// Planning of queries, for both adapters: checks fields against the declared columns and completes the sort keys by id. Pure. Only
// this file refuses undeclared fields, invalid values and missing limits.
import { channel } from 'node:diagnostics_channel'
import { limits } from '#shared/limits/limits.ts'
import type { ColumnType } from '#shared/store/collection-spec.ts'
import { type CollectionName, collections } from '#shared/store/collections.ts'
import {
  type Condition,
  type NumbersQuery,
  type PutMode,
  type Query,
  type Range,
  type Scalar,
  type StoredNumbers,
  StoreError,
} from '#shared/store/port.ts'

export type PlannedCondition =
  | { field: string; kind: 'equal'; value: Scalar }
  | { field: string; kind: 'in'; values: readonly (string | number)[] }
  | { field: string; kind: 'range'; bounds: readonly (readonly [operator: RangeOperator, value: string | number])[] }

export type RangeOperator = (typeof rangeOperators)[number]

export interface SortKey {
  field: string
  descending: boolean
  /** Value of the key in the last document of the previous page; undefined on the first page. */
  after: Scalar | undefined
}

export interface QueryPlan {
  conditions: PlannedCondition[]
  sort: SortKey[]
  limit: number
  /** Columns to read, in addition to `id`. Null: whole documents are read. */
  select: string[] | null
}

/** What `plannedQueries` has: a query or a count that a caller has asked for. */
export interface PlannedQuery {
  collection: CollectionName
  kind: 'find' | 'count'
  plan: QueryPlan
}

/** Every planned query, for the tests that check its SQL (test/support/store/watch-plans.ts). Nothing else subscribes. */
export const plannedQueries = channel('watchkeeper:planned-query')

/**
 * Returns whether all rows after the cursor have a value of this key that is not before the cursor's. Rows without a value come last in
 * descending order, so such a bound needs a column that always has one.
 */
export function hasBound(collection: CollectionName, { field, descending, after }: SortKey): boolean {
  if (after === null || after === undefined) return false
  return !descending || field === 'id' || (collections[collection].neverNull?.includes(field) ?? false)
}

const rangeOperators = ['gt', 'gte', 'lt', 'lte'] as const

const columnsByCollection = new Map<CollectionName, Map<string, ColumnType>>()

/** Returns the columns of a collection and their types: the declared columns, and `expireAt` if documents expire. `id` is not included. */
export function columnsOf(collection: CollectionName): ReadonlyMap<string, ColumnType> {
  let columns = columnsByCollection.get(collection)
  if (columns === undefined) {
    const spec = collections[collection]
    if (spec === undefined) throw new StoreError('permanent', `There is no collection ${collection}.`)
    columns = new Map(Object.entries(spec.columns))
    if (spec.expires) columns.set('expireAt', 'integer')
    columnsByCollection.set(collection, columns)
  }
  return columns
}

/** Checks a query and completes it. Throws a permanent StoreError that names the invalid part. */
export function planQuery(collection: CollectionName, query: Query): QueryPlan {
  const { limit } = query
  requireLimit(collection, limit)
  for (const field of query.select ?? []) if (field !== 'rev' || collections[collection].compact) requireField(collection, field)
  const plan: QueryPlan = {
    conditions: planConditions(collection, query.where ?? {}),
    sort: planSort(collection, query),
    limit,
    select: query.select === undefined ? null : [...new Set(query.select)].filter(field => field !== 'id'),
  }
  if (plannedQueries.hasSubscribers) plannedQueries.publish({ collection, kind: 'find', plan } satisfies PlannedQuery)
  return plan
}

/**
 * Checks a query of numbers. Returns the plan of a query of documents that finds the same rows. Throws a permanent StoreError that names
 * the invalid part.
 */
export function planNumbers(collection: CollectionName, { from, to, column, limit, digitsAt }: NumbersQuery): QueryPlan {
  const type = columnsOf(collection).get(column)
  if (type !== 'real' && type !== 'integer')
    throw new StoreError('permanent', `The collection ${collection} has no column ${column} of numbers.`)
  if (!Number.isInteger(digitsAt) || digitsAt < 0)
    throw new StoreError('permanent', `Digits of ids of ${collection} cannot begin at ${digitsAt}.`)
  const where = { id: { gte: from, lt: to }, [column]: { gte: -Number.MAX_VALUE } }
  return planQuery(collection, { where, sort: [['id', 'desc']], select: [column], limit })
}

/** Returns the numbers in the documents that a plan of `planNumbers` found. */
export function numbersIn(documents: readonly object[], { column, digitsAt }: NumbersQuery): StoredNumbers {
  const found = documents.toReversed() as Record<string, unknown>[]
  return {
    places: Float64Array.from(found, ({ id }) => Number.parseInt(String(id).slice(digitsAt), 10)),
    values: Float64Array.from(found, document => document[column] as number),
  }
}

function requireLimit(collection: CollectionName, limit: number): void {
  if (Number.isInteger(limit) && limit >= 1 && limit <= limits.store.findMax) return
  throw new StoreError(
    'permanent',
    `A query of ${collection} must be limited to 1 to ${limits.store.findMax} documents, not ${limit}.`,
  )
}

/** Checks the conditions of a count. Throws a permanent StoreError that names the invalid part. */
export function planWhere(collection: CollectionName, where: Record<string, Condition>): PlannedCondition[] {
  const conditions = planConditions(collection, where)
  if (plannedQueries.hasSubscribers) {
    const plan: QueryPlan = { conditions, sort: [], limit: 1, select: [] }
    plannedQueries.publish({ collection, kind: 'count', plan } satisfies PlannedQuery)
  }
  return conditions
}

function planConditions(collection: CollectionName, where: Record<string, Condition>): PlannedCondition[] {
  return Object.entries(where).map(([field, condition]) => {
    requireField(collection, field)
    return planCondition(collection, field, condition)
  })
}

/** Throws a permanent StoreError if the mode needs revisions, but the collection is compact and has none. */
export function requireMode(collection: CollectionName, mode: PutMode): void {
  if ((mode === 'replace' || mode === 'advance') && collections[collection].compact)
    throw new StoreError('permanent', `The compact collection ${collection} has no ${mode}.`)
}

function requireField(collection: CollectionName, field: string): void {
  if (field === 'id' || columnsOf(collection).has(field)) return
  throw new StoreError('permanent', `The collection ${collection} has no column ${field}, so no query may name it.`)
}

function planCondition(collection: CollectionName, field: string, condition: Condition): PlannedCondition {
  if (isScalar(condition)) return { field, kind: 'equal', value: condition }
  if (typeof condition === 'boolean') return { field, kind: 'equal', value: condition ? 1 : 0 }
  if (typeof condition === 'object' && 'in' in condition) return { field, kind: 'in', values: condition.in }
  const range: Range = condition ?? {}
  const bounds = rangeOperators.flatMap(operator => {
    const value = range[operator]
    return value === undefined ? [] : [[operator, value] as const]
  })
  if (bounds.length > 0) return { field, kind: 'range', bounds }
  throw new StoreError('permanent', `The condition on ${field} of ${collection} says nothing.`)
}

/** Returns the sort keys up to `id`. Keys after `id` are dropped, because ids are unique. */
function planSort(collection: CollectionName, query: Query): SortKey[] {
  const named = query.sort ?? []
  const { after } = query
  if (after !== undefined && after.values.length !== named.length) {
    throw new StoreError(
      'permanent',
      `A page of ${collection} sorted by ${named.length} fields cannot begin after ${after.values.length} values.`,
    )
  }
  const keys: SortKey[] = []
  for (const [index, [field, direction]] of named.entries()) {
    requireField(collection, field)
    keys.push({ field, descending: direction === 'desc', after: field === 'id' ? after?.id : after?.values[index] })
    if (field === 'id') return keys
  }
  keys.push({ field: 'id', descending: keys.at(-1)?.descending ?? false, after: after?.id })
  return keys
}

function isScalar(value: unknown): value is Scalar {
  return value === null || typeof value === 'string' || typeof value === 'number'
}
