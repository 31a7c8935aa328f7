// SQL of the SQLite adapter: tables, indexes and write statements. A table has the declared columns. The table of a collection that is
// not compact has three more columns: `rev` is the revision, `coded` names the columns with JSON or a boolean, and `body` has all other
// fields as JSON text.
import { type CollectionName, collections } from '#shared/store/collections.ts'
import { columnsOf } from '#shared/store/query.ts'

export interface WriteStatements {
  /** Number of values in a row. Every statement writes one row; its parameters are numbered in the order of the table's columns. */
  width: number
  insert: string
  replace: string
  /** Replacement that succeeds only if no indexed field changes, so that it writes no index; null: the collection is not `inPlace`. */
  replaceInPlace: string | null
  advance: string
  upsert: string
}

/** Quotes the name of a declared table or column. Names from requests must not be passed, because quotes in them are not escaped. */
export const quoted = (name: string): string => `"${name}"`

/** Collections whose content no sender could report again, and that does not expire. */
export const lastingCollections = (Object.keys(collections) as CollectionName[]).filter(
  name => !collections[name].compact && !collections[name].expires,
)

/** Returns all columns of a collection's table, in the order of its rows. */
export function tableColumns(collection: CollectionName): string[] {
  const columns = [...columnsOf(collection).keys()]
  return collections[collection].compact ? ['id', ...columns] : ['id', 'rev', ...columns, 'coded', 'body']
}

/** Returns the names of the two small tables of a gathered collection; empty for other collections. */
export const recentTables = (collection: CollectionName): string[] =>
  collections[collection].gathered ? [`${collection}.recent1`, `${collection}.recent2`] : []

/** Returns the name of the table or view that has all rows of a collection. */
export const wholeOf = (collection: CollectionName): string =>
  collections[collection].gathered ? `${collection}.whole` : collection

/**
 * Returns the statement that creates the view of a gathered collection. The view has the rows of the main table, and the rows of the small
 * tables that the main table lacks.
 */
function wholeView(collection: CollectionName): string {
  const columns = tableColumns(collection).map(quoted).join(', ')
  const main = quoted(collection)
  const recent = recentTables(collection).map(
    name => `SELECT ${columns} FROM ${quoted(name)} AS recent WHERE NOT EXISTS (SELECT 1 FROM ${main} WHERE id = recent.id)`,
  )
  return `CREATE VIEW IF NOT EXISTS ${quoted(wholeOf(collection))} AS ${[`SELECT ${columns} FROM ${main}`, ...recent].join(' UNION ALL ')}`
}

/** Returns the names of the indexes in the file that belong to a collection. `byExpiry` is not declared, but follows from `expires`. */
export function indexNames(collection: CollectionName): string[] {
  const { indexes, expires } = collections[collection]
  return [...indexes.map(({ name }) => name), ...(expires ? ['byExpiry'] : [])].map(name => `${collection}.${name}`)
}

/** Returns the statements that create a missing table and missing indexes; safe to run at every start. */
export function schemaStatements(collection: CollectionName): string[] {
  const { compact, expires, indexes } = collections[collection]
  const declared = [...columnsOf(collection)].map(([name, type]) => `${quoted(name)} ${type.toUpperCase()}`)
  const columns = compact
    ? ['id TEXT NOT NULL PRIMARY KEY', ...declared]
    : ['id TEXT NOT NULL PRIMARY KEY', 'rev INTEGER NOT NULL', ...declared, 'coded TEXT', 'body TEXT NOT NULL']
  // In a compact table, an index entry contains the whole id. To save space, rows that never expire have no entry in the index by expiry.
  const only = compact ? ' WHERE "expireAt" IS NOT NULL' : ''
  const expiry = expires ? [{ name: 'byExpiry', fields: ['expireAt'], unique: undefined, only }] : []
  const all = [...indexes.map(index => ({ ...index, only: '' })), ...expiry]
  return [
    `CREATE TABLE IF NOT EXISTS ${quoted(collection)} (${columns.join(', ')})${compact ? ' WITHOUT ROWID' : ''}`,
    ...(collections[collection].gathered ? [wholeView(collection)] : []),
    ...recentTables(collection).map(
      name => `CREATE TABLE IF NOT EXISTS ${quoted(name)} (id TEXT NOT NULL, ${declared.join(', ')})`,
    ),
    ...all.map(index => {
      const fields = index.fields.map(quoted).join(', ')
      const kind = index.unique ? 'UNIQUE INDEX' : 'INDEX'
      const name = quoted(`${collection}.${index.name}`)
      return `CREATE ${kind} IF NOT EXISTS ${name} ON ${quoted(collection)} (${fields})${index.only}`
    }),
  ]
}

/**
 * Returns the statements that put one row. If the guard fails, the statement changes no row. If a value is already in a unique index other
 * than the index of the id, only this statement fails, not the transaction.
 */
export function writeStatements(collection: CollectionName): WriteStatements {
  const table = quoted(collection)
  const columns = tableColumns(collection)
  const parameters = columns.map((_, index) => `?${index + 1}`)
  const assignments = columns.slice(1).map((column, index) => `${quoted(column)} = ?${index + 2}`)
  const insert = `INSERT INTO ${table} (${columns.map(quoted).join(', ')}) VALUES (${parameters.join(', ')})`
  const set = assignments.join(', ')
  return {
    width: columns.length,
    insert: `${insert} ON CONFLICT (id) DO NOTHING`,
    replace: `UPDATE ${table} SET ${set} WHERE id = ?1 AND rev = ?2 - 1`,
    replaceInPlace: collections[collection].inPlace ? inPlaceStatement(collection) : null,
    advance: `${insert} ON CONFLICT (id) DO UPDATE SET ${set} WHERE ${table}.rev < ?2`,
    upsert: `${insert} ON CONFLICT (id) DO UPDATE SET ${set}`,
  }
}

function inPlaceStatement(collection: CollectionName): string {
  const { indexes, expires } = collections[collection]
  const indexed = new Set([...indexes.flatMap(({ fields }) => fields), ...(expires ? ['expireAt'] : [])])
  const numbered = tableColumns(collection).map((column, index) => ({ column, parameter: `?${index + 1}` }))
  const [, ...rest] = numbered
  const set = rest.filter(({ column }) => !indexed.has(column)).map(({ column, parameter }) => `${quoted(column)} = ${parameter}`)
  const same = rest
    .filter(({ column }) => indexed.has(column))
    .map(({ column, parameter }) => `${quoted(column)} IS ${parameter}`)
  return `UPDATE ${quoted(collection)} SET ${set.join(', ')} WHERE ${['id = ?1', 'rev = ?2 - 1', ...same].join(' AND ')}`
}
