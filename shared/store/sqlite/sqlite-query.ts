// SQL text and parameters of planned queries. Values are always parameters; a list is one parameter, which contains JSON. Thus queries that
// differ only in values have the same text and use the same prepared statement.
import { type Choice, chooseIndex } from '#shared/store/best-index.ts'
import type { CollectionName } from '#shared/store/collections.ts'
import type { NumbersQuery } from '#shared/store/port.ts'
import { hasBound, type PlannedCondition, type QueryPlan, type RangeOperator, type SortKey } from '#shared/store/query.ts'
import { quoted, wholeOf } from '#shared/store/sqlite/sqlite-schema.ts'

export type SqlValue = string | number | null

export interface Sql {
  text: string
  parameters: SqlValue[]
}

const operators: Record<RangeOperator, string> = { gt: '>', gte: '>=', lt: '<', lte: '<=' }

/** Returns the SELECT for a plan. The values of a row are in the order of `columns`. */
export function selectSql(collection: CollectionName, columns: readonly string[], plan: QueryPlan): Sql {
  const parameters: SqlValue[] = []
  const choice = chooseIndex(collection, plan)
  const conditions = conditionsSql(plan.conditions, choice, parameters)
  if (plan.sort[0]?.after !== undefined) conditions.push(...behindSql(collection, plan.sort, parameters))
  const order = plan.sort.map(key => `${choice.isInOrder ? '' : '+'}${quoted(key.field)} ${key.descending ? 'DESC' : 'ASC'}`)
  parameters.push(plan.limit)
  return {
    text: `SELECT ${columns.map(quoted).join(', ')} FROM ${quoted(wholeOf(collection))}${whereSql(conditions)} ORDER BY ${order.join(', ')} LIMIT ?`,
    parameters,
  }
}

/**
 * Returns a SELECT with two values for each row: the number in the row's id, and the number in `column`. The digits in the id are first
 * cast to INTEGER, because a cast to REAL might also read a fraction or an exponent. The result is then cast to REAL, because the driver
 * refuses an integer beyond 2^53.
 */
export function numbersSql(collection: CollectionName, { column, digitsAt }: NumbersQuery, plan: QueryPlan): Sql {
  const parameters: SqlValue[] = [digitsAt + 1]
  const choice = chooseIndex(collection, plan)
  const conditions = conditionsSql(plan.conditions, choice, parameters)
  parameters.push(plan.limit)
  return {
    text: `SELECT CAST(CAST(substr("id", ?) AS INTEGER) AS REAL), ${quoted(column)} FROM ${quoted(wholeOf(collection))}${whereSql(conditions)} ORDER BY "id" DESC LIMIT ?`,
    parameters,
  }
}

export function countSql(collection: CollectionName, planned: readonly PlannedCondition[]): Sql {
  const parameters: SqlValue[] = []
  const conditions = conditionsSql(planned, chooseIndex(collection, { conditions: planned, sort: [] }), parameters)
  return { text: `SELECT COUNT(*) FROM ${quoted(wholeOf(collection))}${whereSql(conditions)}`, parameters }
}

export function deleteRangeSql(collection: CollectionName, from: string, to: string, limit: number): Sql {
  const table = quoted(collection)
  return {
    text: `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE id >= ? AND id < ? ORDER BY id LIMIT ?)`,
    parameters: [from, to, limit],
  }
}

export function expireSql(collection: CollectionName, at: number, limit: number): Sql {
  const table = quoted(collection)
  return {
    text: `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE "expireAt" <= ? ORDER BY "expireAt" LIMIT ?)`,
    parameters: [at, limit],
  }
}

function whereSql(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`
}

/**
 * Returns the conditions. A `+` before a column prevents SQLite from using an index of this column, so that it uses the index that is best by
 * the declaration. A `+` in the order does the same, if this index does not have the order. SQLite itself has no statistics here, and would
 * prefer an index of two broad columns to an index of one narrow column.
 */
function conditionsSql(planned: readonly PlannedCondition[], { fields }: Choice, parameters: SqlValue[]): string[] {
  return planned.map(condition => {
    const field = quoted(condition.field)
    return conditionSql(fields.size === 0 || fields.has(condition.field) ? field : `+${field}`, condition, parameters)
  })
}

function conditionSql(field: string, condition: PlannedCondition, parameters: SqlValue[]): string {
  switch (condition.kind) {
    case 'equal':
      if (condition.value === null) return `${field} IS NULL`
      parameters.push(condition.value)
      return `${field} = ?`
    case 'in':
      parameters.push(JSON.stringify(condition.values))
      return `${field} IN (SELECT value FROM json_each(?))`
    case 'range':
      return condition.bounds
        .map(([operator, value]) => {
          parameters.push(value)
          return `${field} ${operators[operator]} ?`
        })
        .join(' AND ')
  }
}

/**
 * Returns the conditions that a row after the cursor meets. In the sort order, null precedes every value. SQLite uses only the condition of
 * the first key as a bound of the index scan; the rows with the first key of the cursor are read again.
 */
function behindSql(collection: CollectionName, keys: readonly SortKey[], parameters: SqlValue[]): string[] {
  const conditions: string[] = []
  const [first] = keys
  if (first !== undefined && keys.length > 1 && hasBound(collection, first)) {
    parameters.push(first.after as SqlValue)
    conditions.push(`${quoted(first.field)} ${first.descending ? '<=' : '>='} ?`)
  }
  const ways = keys.map((key, index) => {
    const same = keys.slice(0, index).map(earlier => {
      parameters.push(earlier.after as SqlValue)
      return `${quoted(earlier.field)} IS ?`
    })
    return [...same, beyondSql(key, parameters)].join(' AND ')
  })
  return [...conditions, `(${ways.join(' OR ')})`]
}

function beyondSql(key: SortKey, parameters: SqlValue[]): string {
  const field = quoted(key.field)
  if (key.after === null || key.after === undefined) return key.descending ? 'FALSE' : `${field} IS NOT NULL`
  parameters.push(key.after)
  if (!key.descending) return `${field} > ?`
  return key.field === 'id' ? `${field} < ?` : `(${field} < ? OR ${field} IS NULL)`
}
