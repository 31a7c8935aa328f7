// The store port: a few operations over named collections. Two adapters pass the same contract suite, and no other code knows which one
// runs. Every put is a bulk with a result per item. A write of one document is atomic, a write of two is not.
import type { CollectionName, Collections } from '#shared/store/collections.ts'

export type Scalar = string | number | null

/**
 * written: the document is stored as given. refused: the guard did not hold, nothing changed. taken: a unique index already has the value.
 */
export type PutResult = 'written' | 'refused' | 'taken'

/** Mode of a put; the methods of the same names document each mode. */
export type PutMode = 'insert' | 'replace' | 'advance' | 'upsert'

/** One put of an ordered list. */
export type Put = {
  [C in CollectionName]: { mode: PutMode; collection: C; documents: readonly Collections[C][] } & Claiming
}[CollectionName]

export interface Claiming {
  /** The later puts are made only if every document of this put is written. Otherwise their results are `refused`. */
  isClaim?: boolean
}

export interface Range {
  gt?: string | number
  gte?: string | number
  lt?: string | number
  lte?: string | number
}

export type Condition = Scalar | boolean | { in: readonly (string | number)[] } | Range

/** A query. Fields must be `id` or declared columns of the collection, else the store throws a permanent StoreError. */
export interface Query {
  where?: Record<string, Condition>
  /** Order; `id` is always appended as the last key, in the direction of the last named key. Default: by id, ascending. */
  sort?: readonly (readonly [field: string, direction: 'asc' | 'desc'])[]
  /** Maximum number of documents: 1 to `limits.store.findMax`. */
  limit: number
  /** Sort values and id of the last document of the previous page. */
  after?: { values: readonly Scalar[]; id: string }
  /** Columns or `rev` to read besides `id`; the documents contain nothing else. */
  select?: readonly string[]
}

/** The rows with `from` <= id < `to` that have a number in `column`. */
export interface NumbersQuery {
  from: string
  to: string
  /** Number of characters of an id before the digits to return in `places`. */
  digitsAt: number
  /** A declared column of numbers. */
  column: string
  /** Maximum number of rows, those with the last ids: 1 to `limits.store.findMax`. */
  limit: number
}

/** Two lists of the same length, both in the order of the ids. */
export interface StoredNumbers {
  /** Numbers that the digits of the ids represent. */
  places: Float64Array
  values: Float64Array
}

export interface Room {
  /** Free space that this process may use. */
  freeBytes: number
  totalBytes: number
}

/**
 * All methods reject with a StoreError. `kind` unavailable: the outcome may be unknown, retry with backoff. permanent: the store will never
 * accept the request.
 */
export interface Store {
  /** Returns documents in the order of the ids; null for a missing one. */
  get<C extends CollectionName>(collection: C, ids: readonly string[]): Promise<(Collections[C] | null)[]>
  /** Inserts documents. `refused` if the id exists (nothing changes, so a retry is harmless), `taken` if another unique index collides. */
  insert<C extends CollectionName>(collection: C, documents: readonly Collections[C][]): Promise<PutResult[]>
  /**
   * The guarded put: replaces the stored document if its rev is one less than the given document's; rev 1 inserts. The outcome is `written`
   * also if the stored document has the same rev and `writer`, so a retry settles an unknown outcome.
   */
  replace<C extends CollectionName>(collection: C, documents: readonly Collections[C][]): Promise<PutResult[]>
  /** Writes if no document is stored or if the stored one has a smaller rev; else `refused`. */
  advance<C extends CollectionName>(collection: C, documents: readonly Collections[C][]): Promise<PutResult[]>
  /** Writes without a condition. */
  upsert<C extends CollectionName>(collection: C, documents: readonly Collections[C][]): Promise<PutResult[]>
  /**
   * Makes several puts, one after another, and stops at the first put that throws. Returns their results in the same order. After a crash
   * the first puts may be stored. If a claim fails, some of its documents may be stored.
   */
  putInOrder(puts: readonly Put[]): Promise<PutResult[][]>
  /** Deletes documents by id; returns the number of deleted ones. */
  delete(collection: CollectionName, ids: readonly string[]): Promise<number>
  /** Deletes at most `limit` documents with from <= id < to; returns the number of deleted ones. */
  deleteRange(collection: CollectionName, from: string, to: string, limit: number): Promise<number>
  find<C extends CollectionName>(collection: C, query: Query): Promise<Collections[C][]>
  /** Returns the numbers of one column in a range of ids without their documents, for reads of thousands. */
  numbers(collection: CollectionName, query: NumbersQuery): Promise<StoredNumbers>
  count(collection: CollectionName, where: Record<string, Condition>): Promise<number>
  /**
   * Deletes at most `limit` documents whose `expireAt` is at or before `at`; returns their number. A store that expires documents by itself
   * returns 0.
   */
  expire(collection: CollectionName, at: number, limit: number): Promise<number>
  /** Resolves when the store responds; rejects like all other methods. */
  ping(): Promise<void>
  /** Returns the disk space of the store; null: not known. */
  room(): Promise<Room | null>
  close(): Promise<void>
  /** Operations of the embedded store only; a database server has its own tools for these. */
  readonly embedded?: EmbeddedStore
}

export interface EmbeddedStore {
  /** Flushes committed writes. Returns the number of commits with changes, since the file was created, that survive a power failure. */
  flush(): Promise<number>
  /**
   * Writes all commits so far, perhaps also later commits, and `content` into a new or empty file. Other operations continue during the
   * backup.
   */
  backup(path: string, content: BackupContent): Promise<void>
}

/** Content of a backup besides the store. */
export interface BackupContent {
  installationId: string
  /** The backup contains every write committed before this instant, ms since the epoch. */
  at: number
  /** Content of files by name. */
  files: Record<string, string>
}

export type StoreErrorKind = 'unavailable' | 'permanent'

/** Error for a stored document that is damaged: no retry can read it, but other documents are not affected. */
export class UnreadableDocument extends Error {
  readonly collection: string
  readonly id: string

  constructor(collection: string, id: string, cause: unknown) {
    super(`The document ${id} of ${collection} can't be read: what is stored of it is damaged`, { cause })
    this.name = 'UnreadableDocument'
    this.collection = collection
    this.id = id
  }
}

export class StoreError extends Error {
  readonly kind: StoreErrorKind

  constructor(kind: StoreErrorKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause })
    this.name = 'StoreError'
    this.kind = kind
  }
}
