// The store port: a few operations over named collections. Two adapters pass one contract suite; nothing outside them knows
// which one runs. Every put is bulk with a result per item; one document is atomic, two are not.
import type { CollectionName, Collections } from '#shared/store/collections.ts'

export type Scalar = string | number | null

/** written: the document is stored as given. refused: the guard did not hold, nothing changed. taken: a unique index has it. */
export type PutResult = 'written' | 'refused' | 'taken'

/** What a put does with what is stored already: see the methods of the same names. */
export type PutMode = 'insert' | 'replace' | 'advance' | 'upsert'

/** One put of several that are made in order. */
export type Put = {
  [C in CollectionName]: { mode: PutMode; collection: C; documents: readonly Collections[C][] }
}[CollectionName]

export interface Range {
  gt?: string | number
  gte?: string | number
  lt?: string | number
  lte?: string | number
}

export type Condition = Scalar | boolean | { in: readonly (string | number)[] } | Range

/** Fields must be `id` or declared columns of the collection; anything else is a permanent StoreError. */
export interface Query {
  where?: Record<string, Condition>
  /** Order; `id` is always appended as the last key, ascending unless the last named one descends. Default: by id. */
  sort?: readonly (readonly [field: string, direction: 'asc' | 'desc'])[]
  /** At most this many documents: 1 to `limits.store.findMax`. */
  limit: number
  /** Values of the sort fields and the id of the last document seen: the page begins behind it. */
  after?: { values: readonly Scalar[]; id: string }
  /** Read these columns or `rev` (and id) only; documents come back with nothing else. */
  select?: readonly string[]
}

/** The rows with `from` <= id < `to` that have a number in `column`. */
export interface NumbersQuery {
  from: string
  to: string
  /** Characters of an id before the digits that tell its place. */
  digitsAt: number
  /** A declared column of numbers. */
  column: string
  /** At most this many rows, those with the last ids: 1 to `limits.store.findMax`. */
  limit: number
}

/** Two lists of one length, in the order of the ids. */
export interface StoredNumbers {
  /** The number that an id's digits make. */
  places: Float64Array
  values: Float64Array
}

export interface Room {
  /** What this process may still use of it. */
  freeBytes: number
  totalBytes: number
}

/**
 * All methods reject with a StoreError whose `kind` says what to do:
 * unavailable: the outcome may be unknown, retry with backoff; permanent: the store will never take this.
 */
export interface Store {
  /** Documents by id in the order asked; null where there is none. */
  get<C extends CollectionName>(collection: C, ids: readonly string[]): Promise<(Collections[C] | null)[]>
  /** Inserts; `refused` where the id exists (nothing changes: a repeat is harmless), `taken` where another unique index collides. */
  insert<C extends CollectionName>(collection: C, documents: readonly Collections[C][]): Promise<PutResult[]>
  /**
   * The guarded put: replaces the stored document where its rev is one less than the given document's; rev 1 inserts.
   * A document with a `writer` settles an unknown outcome: `written` is answered whenever the stored one has its rev and writer.
   */
  replace<C extends CollectionName>(collection: C, documents: readonly Collections[C][]): Promise<PutResult[]>
  /** Writes where nothing is stored or what is stored has a smaller rev; else `refused`. */
  advance<C extends CollectionName>(collection: C, documents: readonly Collections[C][]): Promise<PutResult[]>
  /** Writes whatever is stored. */
  upsert<C extends CollectionName>(collection: C, documents: readonly Collections[C][]): Promise<PutResult[]>
  /**
   * Several puts, each made after the one before it, none after one that fails; answers their results in the same order. A crash in
   * between may leave the first ones made.
   */
  putInOrder(puts: readonly Put[]): Promise<PutResult[][]>
  /** Removes by id; answers how many there were. */
  delete(collection: CollectionName, ids: readonly string[]): Promise<number>
  /** Removes at most `limit` documents with from <= id < to; answers how many there were. */
  deleteRange(collection: CollectionName, from: string, to: string, limit: number): Promise<number>
  find<C extends CollectionName>(collection: C, query: Query): Promise<Collections[C][]>
  /** The numbers of one column in a range of ids, without their documents: for reads of thousands. */
  numbers(collection: CollectionName, query: NumbersQuery): Promise<StoredNumbers>
  count(collection: CollectionName, where: Record<string, Condition>): Promise<number>
  /** Removes at most `limit` documents whose `expireAt` column is at or before `at`; answers how many. A store that does so by itself answers 0. */
  expire(collection: CollectionName, at: number, limit: number): Promise<number>
  /** Resolves when the store answers; rejects as any other call. */
  ping(): Promise<void>
  /** The disk under the store; null where the store does not say. */
  room(): Promise<Room | null>
  close(): Promise<void>
  /** Only of the embedded store: what a database server brings tools of its own for. */
  readonly embedded?: EmbeddedStore
}

export interface EmbeddedStore {
  /** Flushes what is committed. Answers how many commits that changed something a power failure now leaves, since the file was made. */
  flush(): Promise<number>
  /** Writes all that is committed when it is called, perhaps more, and `content` into a new or empty file while the store is used. */
  backup(path: string, content: BackupContent): Promise<void>
}

/** What a backup has beside the store. */
export interface BackupContent {
  installationId: string
  /** Everything that was committed by then is in it, ms since the epoch. */
  at: number
  /** Content of files by name. */
  files: Record<string, string>
}

export type StoreErrorKind = 'unavailable' | 'permanent'

/** What is stored of a document is damaged: no retry reads it, and what lies beside it is unharmed. */
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
