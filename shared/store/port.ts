// The store port: a few operations over named collections. Two adapters implement the port and pass the same contract tests; no other code
// knows which adapter runs. A put writes several documents and returns a result for each. The write of one document is atomic, but a put as
// a whole is not.
import type { CollectionName, Collections } from '#shared/store/collections.ts'

export type Scalar = string | number | null

/**
 * `written`: the document is stored as given. `refused`: the condition of the put did not hold, and nothing changed. `taken`: another
 * document has the same value in a unique index.
 */
export type PutResult = 'written' | 'refused' | 'taken'

/** Mode of a put; the method of `Store` with the same name describes the mode. */
export type PutMode = 'insert' | 'replace' | 'advance' | 'upsert'

/** One put of an ordered list. */
export type Put = {
  [C in CollectionName]: { mode: PutMode; collection: C; documents: readonly Collections[C][] } & Claiming
}[CollectionName]

export interface Claiming {
  /** True: if any document of this put is not written, the later puts are not made, and all their results are `refused`. */
  isClaim?: boolean
}

export interface Range {
  gt?: string | number
  gte?: string | number
  lt?: string | number
  lte?: string | number
}

export type Condition = Scalar | boolean | { in: readonly (string | number)[] } | Range

/** A query. Each field must be `id` or a declared column of the collection, else the store throws a permanent StoreError. */
export interface Query {
  where?: Record<string, Condition>
  /** Sort keys. `id` is always added as the last key, in the direction of the key before it. Default: by id, ascending. */
  sort?: readonly (readonly [field: string, direction: 'asc' | 'desc'])[]
  /** Maximum number of documents: 1 to `limits.store.findMax`. */
  limit: number
  /** Position after which the page begins: sort values and id of the previous page's last document. */
  after?: { values: readonly Scalar[]; id: string }
  /** Columns (or `rev`) to read. The returned documents contain only these and `id`; by default, all fields. */
  select?: readonly string[]
}

/** The rows with `from` <= id < `to` that have a number in `column`. */
export interface NumbersQuery {
  from: string
  to: string
  /** Index in an id at which its digits begin; `places` returns these digits as a number. */
  digitsAt: number
  /** A declared column of numbers. */
  column: string
  /** Maximum number of rows, 1 to `limits.store.findMax`. If there are more rows, the rows with the last ids are returned. */
  limit: number
}

/** Two lists of the same length, both in the order of the ids. */
export interface StoredNumbers {
  /** Numbers in the ids: the digits from `digitsAt` on. */
  places: Float64Array
  values: Float64Array
}

export interface Room {
  /** Free space that this process may use. */
  freeBytes: number
  totalBytes: number
}

/**
 * All methods reject with a StoreError. Kind `unavailable`: the caller may retry with growing pauses, and the outcome may be unknown. Kind
 * `permanent`: the store will never accept the request.
 */
export interface Store {
  /** Returns one entry for each id, in the same order: the document, or null if no document has the id. */
  get<C extends CollectionName>(collection: C, ids: readonly string[]): Promise<(Collections[C] | null)[]>
  /**
   * Inserts documents. `refused`: a document with the id exists and stays unchanged, so a retry is harmless. `taken`: another document has
   * the same value in a unique index.
   */
  insert<C extends CollectionName>(collection: C, documents: readonly Collections[C][]): Promise<PutResult[]>
  /**
   * Writes only if nobody else has written: inserts a document with rev 1; replaces the stored document if its rev is one less than the rev
   * of the given document.
   * If the stored document has the same rev and `writer`, the result is `written` too. Thus after an unknown outcome, a retry returns the
   * right result.
   */
  replace<C extends CollectionName>(collection: C, documents: readonly Collections[C][]): Promise<PutResult[]>
  /**
   * Writes a document if no document with its id is stored, or if the stored document has a smaller rev. Otherwise the result is `refused`.
   */
  advance<C extends CollectionName>(collection: C, documents: readonly Collections[C][]): Promise<PutResult[]>
  /** Inserts or replaces documents without a condition. */
  upsert<C extends CollectionName>(collection: C, documents: readonly Collections[C][]): Promise<PutResult[]>
  /**
   * Makes several puts, one after another, and stops at the first put that throws. Returns the results of each put, in the same order.
   * After a crash, the first puts may be stored without the later ones. If a put with `isClaim` fails, some of its documents may be stored.
   */
  putInOrder(puts: readonly Put[]): Promise<PutResult[][]>
  /** Deletes documents by id; returns the number of deleted documents. */
  delete(collection: CollectionName, ids: readonly string[]): Promise<number>
  /** Deletes at most `limit` documents with `from` <= id < `to`; returns the number of deleted documents. */
  deleteRange(collection: CollectionName, from: string, to: string, limit: number): Promise<number>
  find<C extends CollectionName>(collection: C, query: Query): Promise<Collections[C][]>
  /** Reads the numbers of one column in a range of ids, without the documents. This is a fast read of thousands of rows. */
  numbers(collection: CollectionName, query: NumbersQuery): Promise<StoredNumbers>
  count(collection: CollectionName, where: Record<string, Condition>): Promise<number>
  /**
   * Deletes at most `limit` documents whose `expireAt` is at or before `at`; returns their number. A store that expires documents by itself
   * returns 0.
   */
  expire(collection: CollectionName, at: number, limit: number): Promise<number>
  /** Resolves when the store responds. */
  ping(): Promise<void>
  /** Returns the disk space of the store; null: the space is not known. */
  room(): Promise<Room | null>
  close(): Promise<void>
  /**
   * Opens a view of the store as of one instant, which must be closed soon. Rejects with a permanent StoreError if the server cannot do that.
   * Absent: the embedded store, which has `backup`.
   */
  snapshot?(): Promise<StoreSnapshot>
  /** Operations that only the embedded store has; undefined for MongoDB. */
  readonly embedded?: EmbeddedStore
}

export interface StoreSnapshot {
  find: Store['find']
  close(): Promise<void>
}

export interface EmbeddedStore {
  /**
   * Flushes committed writes to the disk. Returns the number of commits that now survive a power failure, counted since the file was
   * created. Commits without changes are not counted.
   */
  flush(): Promise<number>
  /**
   * Writes the store and `content` into a new or empty file. The backup contains all commits before the call, and perhaps some later
   * commits. Other operations continue during the backup.
   */
  backup(path: string, content: BackupContent): Promise<void>
}

/** Content of a backup in addition to the store. */
export interface BackupContent {
  installationId: string
  /** The backup contains every write committed before this instant, ms since the epoch. */
  at: number
  /** Contents of the files in the backup, by name. */
  files: Record<string, string>
}

export type StoreErrorKind = 'unavailable' | 'permanent'

/** Error for a document that is damaged, or of a newer version. No retry can read this document, but other documents are not affected. */
export class UnreadableDocument extends Error {
  readonly collection: string
  readonly id: string

  /** `why`: end of the sentence for people. */
  constructor(collection: string, id: string, cause: unknown, why = 'what is stored of it is damaged') {
    super(`The document ${id} of ${collection} can't be read: ${why}`, { cause })
    this.name = 'UnreadableDocument'
    this.collection = collection
    this.id = id
  }
}

export class StoreError extends Error {
  readonly kind: StoreErrorKind
  /** True if no server listens at any address of the store. Absent: one does, or it is unknown. */
  nobodyListens?: true

  constructor(kind: StoreErrorKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause })
    this.name = 'StoreError'
    this.kind = kind
  }
}
