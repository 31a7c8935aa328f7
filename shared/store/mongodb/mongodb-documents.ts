// Conversion of documents for MongoDB. `id` is stored as `_id`, and an absent column as null. A boolean column is stored as 0 or 1, and its
// name in `_booleans`. A document that expires also has a Date for the TTL index. All other values are stored unchanged.
import type { Document, Filter } from 'mongodb'
import { type CollectionName, collections } from '#shared/store/collections.ts'
import { columnsOf, hasBound, type PlannedCondition, type QueryPlan, type SortKey } from '#shared/store/query.ts'

export type MongoDocument = Document & { _id: string }

/** Stored fields that only this adapter uses; it removes them from the documents that it returns. */
export const shadow = { booleans: '_booleans', expireOn: '_expireOn', stamp: '_stamp' } as const

export function toKept(collection: CollectionName, document: object): MongoDocument {
  const { id, ...rest } = document as { id: string } & Document
  const kept: MongoDocument = { _id: id, ...rest }
  const booleans: string[] = []
  for (const column of columnsOf(collection).keys()) {
    const value = kept[column]
    if (value === undefined) kept[column] = null
    else if (typeof value === 'boolean') {
      kept[column] = Number(value)
      booleans.push(column)
    }
  }
  if (booleans.length > 0) kept[shadow.booleans] = booleans
  if (collections[collection].expires && kept['expireAt'] !== null) kept[shadow.expireOn] = new Date(kept['expireAt'])
  return kept
}

export function fromKept(kept: MongoDocument): Document {
  const { _id, [shadow.booleans]: booleans, [shadow.expireOn]: _date, [shadow.stamp]: _stamp, ...rest } = kept
  const document: Document = { id: _id, ...rest }
  for (const column of (booleans as string[] | undefined) ?? []) {
    if (column in document) document[column] = document[column] === 1
  }
  return document
}

/** Returns the arguments of `find` for a plan: the filter (conditions and cursor), the sort, the projection. */
export function findOptions(
  collection: CollectionName,
  plan: QueryPlan,
): {
  filter: Filter<MongoDocument>
  sort: [string, 1 | -1][]
  projection: Document | null
} {
  const conditions = [filterOf(plan.conditions)]
  const [first] = plan.sort
  if (first?.after !== undefined) conditions.push({ $or: behind(plan.sort) })
  // The server derives no bound of an index from `$or`.
  if (first !== undefined && plan.sort.length > 1 && hasBound(collection, first))
    conditions.push({ [stored(first.field)]: { [first.descending ? '$lte' : '$gte']: first.after } })
  return {
    filter: { $and: conditions },
    sort: plan.sort.map(key => [stored(key.field), key.descending ? -1 : 1]),
    projection: plan.select === null ? null : Object.fromEntries([...plan.select, shadow.booleans].map(field => [field, 1])),
  }
}

export function filterOf(conditions: readonly PlannedCondition[]): Filter<MongoDocument> {
  const filter: Document = {}
  for (const condition of conditions) {
    const field = stored(condition.field)
    if (condition.kind === 'equal') filter[field] = { $eq: condition.value }
    else if (condition.kind === 'in') filter[field] = { $in: condition.values }
    else filter[field] = Object.fromEntries(condition.bounds.map(([operator, value]) => [`$${operator}`, value]))
  }
  return filter
}

const stored = (field: string) => (field === 'id' ? '_id' : field)

/**
 * Returns one filter for each sort key. A document follows the cursor if it matches one of the filters. The filter of a key requires that
 * this key is beyond the cursor's key, and that all earlier keys equal the cursor's keys. Null precedes every value.
 */
function behind(keys: readonly SortKey[]): Document[] {
  return keys.map((key, index) => ({
    $and: [...keys.slice(0, index).map(earlier => ({ [stored(earlier.field)]: { $eq: earlier.after } })), beyond(key)],
  }))
}

function beyond(key: SortKey): Document {
  const field = stored(key.field)
  // In descending order no value follows null, so this filter matches no document.
  if (key.after === null || key.after === undefined) return key.descending ? { _id: { $in: [] } } : { [field]: { $ne: null } }
  if (!key.descending) return { [field]: { $gt: key.after } }
  return { $or: [{ [field]: { $lt: key.after } }, { [field]: { $eq: null } }] }
}
