// Conversion of documents to rows of plain values and back, because only strings, numbers and nulls are sent between the threads. A boolean
// is stored as 0 or 1. Any other value that does not have the type of its column is stored as JSON, in an array of one element. The column
// `coded` names the columns with JSON or a boolean.
import { limits } from '#shared/limits/limits.ts'
import type { ColumnType } from '#shared/store/collection-spec.ts'
import { type CollectionName, collections } from '#shared/store/collections.ts'
import { StoreError, UnreadableDocument } from '#shared/store/port.ts'
import { columnsOf } from '#shared/store/query.ts'
import type { SqlValue } from '#shared/store/sqlite/sqlite-query.ts'
import { tableColumns } from '#shared/store/sqlite/sqlite-schema.ts'

type Document = Record<string, unknown>

export interface RowCodec {
  /** Appends the values of one document, in the order of the table's columns, to `rows`. Throws a permanent StoreError. */
  encode(document: object, rows: SqlValue[]): void
  /** Returns the columns to read, in the order that `decode` expects. */
  columnsToRead(select: readonly string[] | null): readonly string[]
  /** Returns documents. `rows`: for one document after another, the values of the columns in `columnsToRead(select)`. */
  decode(select: readonly string[] | null, rows: readonly SqlValue[]): Document[]
}

const codecs = new Map<CollectionName, RowCodec>()

export function rowCodec(collection: CollectionName): RowCodec {
  let codec = codecs.get(collection)
  if (codec === undefined) {
    codec = collections[collection].compact ? compactCodec(collection) : fullCodec(collection)
    codecs.set(collection, codec)
  }
  return codec
}

/** Returns the codec of a compact collection. Its rows have only plain values, and no columns `coded` and `body`. */
function compactCodec(collection: CollectionName): RowCodec {
  const columns = tableColumns(collection)
  const columnsToRead = (select: readonly string[] | null) => (select === null ? columns : ['id', ...select])
  return {
    columnsToRead,
    encode: (document, rows) => {
      for (const column of columns) {
        const value = (document as Document)[column] ?? null
        if (typeof value === 'object' ? value !== null : typeof value !== 'string' && typeof value !== 'number') {
          throw new StoreError('permanent', `The compact collection ${collection} keeps plain values only; ${column} is none.`)
        }
        rows.push(value as SqlValue)
      }
    },
    decode: (select, rows) => {
      const names = columnsToRead(select)
      const documents: Document[] = []
      for (let at = 0; at < rows.length; at += names.length) {
        const document: Document = {}
        for (let i = 0; i < names.length; i++) document[names[i] as string] = rows[at + i]
        documents.push(document)
      }
      return documents
    },
  }
}

function fullCodec(collection: CollectionName): RowCodec {
  const columns = [...columnsOf(collection)]
  const all = tableColumns(collection)
  const apart = new Set(['id', 'rev', ...columns.map(([name]) => name)])
  const columnsToRead = (select: readonly string[] | null) => (select === null ? all : ['id', ...select, 'coded'])
  return {
    columnsToRead,
    encode: (document, rows) => {
      const source = document as Document
      const rest: Document = {}
      for (const field in source) if (!apart.has(field)) rest[field] = source[field]
      rows.push(source['id'] as string, source['rev'] as number)
      const coded: string[] = []
      for (const [name, type] of columns) rows.push(encodeColumn(name, type, source[name], coded))
      rows.push(coded.length === 0 ? null : coded.join(' '), bodyText(collection, source['id'], rest))
    },
    decode: (select, rows) => {
      const names = columnsToRead(select)
      const documents: Document[] = []
      for (let at = 0; at < rows.length; at += names.length) documents.push(readRow(collection, names, rows, at, select === null))
      return documents
    },
  }
}

function encodeColumn(name: string, type: ColumnType, value: unknown, coded: string[]): SqlValue {
  if (value === null || value === undefined) return null
  if (type === 'text') {
    if (typeof value === 'string' && value.isWellFormed()) return value
  } else if (typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value
  coded.push(name)
  // The JSON is an array, because SQLite would convert a text that looks like a number into a number.
  return typeof value === 'boolean' && type !== 'text' ? Number(value) : JSON.stringify([value])
}

function bodyText(collection: CollectionName, id: unknown, rest: Document): string {
  const text = JSON.stringify(rest)
  if (text.length <= limits.store.documentCharacters) return text
  throw new StoreError('permanent', `A document of ${collection} is too large: ${text.length} characters (id ${String(id)}).`)
}

function readRow(
  collection: CollectionName,
  names: readonly string[],
  rows: readonly SqlValue[],
  at: number,
  whole: boolean,
): Document {
  try {
    return decodeRow(names, rows, at, whole)
  } catch (error) {
    throw new UnreadableDocument(collection, String(rows[at]), error)
  }
}

function decodeRow(names: readonly string[], rows: readonly SqlValue[], at: number, whole: boolean): Document {
  const document: Document = {}
  const coded = at + names.length - (whole ? 2 : 1)
  for (let i = 0; at + i < coded; i++) document[names[i] as string] = rows[at + i]
  for (const name of (rows[coded] as string | null)?.split(' ') ?? []) {
    const value = document[name]
    if (typeof value === 'number') document[name] = value === 1
    else if (typeof value === 'string') document[name] = JSON.parse(value)[0]
  }
  return whole ? Object.assign(document, JSON.parse(rows[coded + 1] as string)) : document
}
