// The store port over `node:sqlite`, the embedded default: one file, which only one worker thread writes. The caller's thread converts
// documents to rows, so that the worker gets only flat lists of plain values. Small reads run on the caller's thread. Only one process may
// use the file.
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { limits } from '#shared/limits/limits.ts'
import { type CollectionName, collections } from '#shared/store/collections.ts'
import { type Claiming, type PutMode, type PutResult, type Room, type Store, StoreError } from '#shared/store/port.ts'
import { planNumbers, planQuery, planWhere, requireMode } from '#shared/store/query.ts'
import { backUpSqliteFile } from '#shared/store/sqlite/sqlite-backup.ts'
import { openSqliteChannel, type SqliteChannel } from '#shared/store/sqlite/sqlite-channel.ts'
import { flushSqliteFile } from '#shared/store/sqlite/sqlite-mark.ts'
import { charactersOf, type RowsToPut } from '#shared/store/sqlite/sqlite-messages.ts'
import { countSql, expireSql, numbersSql, type SqlValue, selectSql } from '#shared/store/sqlite/sqlite-query.ts'
import { openSqliteReader, type SqliteReader } from '#shared/store/sqlite/sqlite-reader.ts'
import { rowCodec } from '#shared/store/sqlite/sqlite-rows.ts'
import { quoted } from '#shared/store/sqlite/sqlite-schema.ts'

interface WaitingWrite extends Claiming {
  mode: PutMode
  collection: CollectionName
  documents: readonly object[]
}

const resultOf: Record<string, PutResult> = { w: 'written', r: 'refused', t: 'taken' }

/**
 * Opens the store in one file and creates the file if it is missing. Rejects with a permanent StoreError if another process uses the file.
 */
export async function openSqliteStore(path: string): Promise<Store> {
  const channel = await openSqliteChannel(path)
  const reader = await openReader(path, channel)
  let flushed = 0
  const put = (mode: PutMode) => async (collection: CollectionName, documents: readonly object[]) =>
    (await putDocuments(channel, [{ mode, collection, documents }]))[0] as PutResult[]
  const store: Store = {
    get: async (collection, ids) => (await getDocuments(channel, reader, collection, ids)) as never,
    insert: put('insert'),
    replace: put('replace'),
    advance: put('advance'),
    upsert: put('upsert'),
    putInOrder: async puts => await putDocuments(channel, puts),
    delete: async (collection, ids) => {
      if (ids.length === 0) return 0
      const text = `DELETE FROM ${quoted(collection)} WHERE id = ?`
      return (await channel.send({ kind: 'changeByKey', collection, text, keys: ids }, ids.length)) as number
    },
    deleteRange: async (collection, from, to, limit) =>
      (await channel.send({ kind: 'deleteRange', collection, from, to, limit }, 1)) as number,
    find: async (collection, query) => {
      const codec = rowCodec(collection)
      const plan = planQuery(collection, query)
      const sql = selectSql(collection, codec.columnsToRead(plan.select), plan)
      const rows = reader.rows(sql, plan.limit) ?? (await channel.send({ kind: 'rows', ...sql }, 1))
      return codec.decode(plan.select, rows as SqlValue[]) as never
    },
    numbers: async (collection, query) => {
      const sql = numbersSql(collection, query, planNumbers(collection, query))
      const found = (await channel.send({ kind: 'numbers', ...sql }, 1)) as Float64Array
      return { places: found.subarray(0, found.length / 2), values: found.subarray(found.length / 2) }
    },
    count: async (collection, where) => {
      const rows = await channel.send({ kind: 'rows', ...countSql(collection, planWhere(collection, where)) }, 1)
      return (rows as SqlValue[])[0] as number
    },
    expire: async (collection, at, limit) => {
      if (!collections[collection].expires) throw new StoreError('permanent', `Documents of ${collection} do not expire.`)
      return (await channel.send({ kind: 'change', ...expireSql(collection, at, limit) }, 1)) as number
    },
    ping: async () => void (await channel.send({ kind: 'commits' }, 1)),
    room: () => roomOf(path),
    close: () => {
      // The reader is closed first, so that the writer's connection is the last one and checkpoints the write-ahead log when it closes.
      reader.close()
      return channel.close()
    },
    embedded: {
      flush: async () => {
        const commits = (await channel.send({ kind: 'commits' }, 1)) as number
        if (commits > flushed) await flushSqliteFile(path, commits)
        flushed = commits
        return commits
      },
      backup: (target, content) => backUpSqliteFile(path, target, content),
    },
  }
  return store
}

async function roomOf(path: string): Promise<Room> {
  try {
    const { bsize, bavail, blocks } = await statfs(dirname(path))
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
  } catch (error) {
    throw new StoreError('unavailable', 'The disk of the embedded store does not answer.', error)
  }
}

async function openReader(path: string, channel: SqliteChannel): Promise<SqliteReader> {
  try {
    return openSqliteReader(path)
  } catch (error) {
    await channel.close()
    throw new StoreError('permanent', `The embedded store cannot be read: ${(error as Error).message}.`, error)
  }
}

interface Part {
  puts: RowsToPut[]
  /** Positions of these puts in the caller's list. */
  positions: number[]
  items: number
  characters: number
}

/**
 * Makes the puts in order. If all puts fit one message to the worker, either all of them are stored or none. A put without
 * documents is not sent.
 */
async function putDocuments(channel: SqliteChannel, puts: readonly WaitingWrite[]): Promise<PutResult[][]> {
  for (const { mode, collection } of puts) requireMode(collection, mode)
  const results = puts.map((): PutResult[] => [])
  let isLost = false
  for (const { puts: encoded, positions, items, characters } of partsOf(puts)) {
    if (isLost) break
    const letters = (await channel.send({ kind: 'put', puts: encoded }, items, characters)) as string[]
    for (const [i, position] of positions.entries()) {
      for (const letter of letters[i] ?? '') results[position]?.push(resultOf[letter] as PutResult)
      isLost ||= encoded[i]?.isClaim === true && /[rt]/.test(letters[i] ?? '')
    }
  }
  // Documents after a failed claim were never sent to the worker; their result is `refused`.
  return results.map((found, i) => puts[i]?.documents.map((_, at) => found[at] ?? 'refused') ?? [])
}

/** Splits puts into parts, in order. A part is one message to the worker, and ends with the document that fills the message. */
function partsOf(puts: readonly WaitingWrite[]): Part[] {
  const parts: Part[] = []
  for (const [position, { mode, collection, documents, isClaim = false }] of puts.entries()) {
    const { encode } = rowCodec(collection)
    let rows: SqlValue[] | null = null
    for (const document of documents) {
      let part = parts.at(-1)
      if (part === undefined || part.characters >= limits.store.workerCharacters) {
        part = { puts: [], positions: [], items: 0, characters: 0 }
        parts.push(part)
        rows = null
      }
      if (rows === null) {
        rows = []
        part.puts.push({ mode, collection, rows, isClaim })
        part.positions.push(position)
      }
      const from = rows.length
      encode(document, rows)
      part.items += 1
      part.characters += charactersOf(rows, from)
    }
  }
  return parts
}

async function getDocuments(
  channel: SqliteChannel,
  reader: SqliteReader,
  collection: CollectionName,
  ids: readonly string[],
): Promise<(object | null)[]> {
  if (ids.length === 0) return []
  const codec = rowCodec(collection)
  const text = `SELECT ${codec.columnsToRead(null).map(quoted).join(', ')} FROM ${quoted(collection)} WHERE id = ?`
  const inline = collections[collection].gathered ? null : reader.rowsByKey(text, ids)
  const rows = inline ?? (await channel.send({ kind: 'rowsByKey', collection, text, keys: ids }, ids.length))
  const found = new Map(codec.decode(null, rows as SqlValue[]).map(document => [document['id'], document]))
  return ids.map(id => found.get(id) ?? null)
}
