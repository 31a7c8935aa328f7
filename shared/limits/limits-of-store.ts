// Limits of both stores, the embedded one and MongoDB.
import { minute, second } from '#shared/time/time-units.ts'

export const storeLimits = {
  /**
   * Limits of the store worker's heap. Most of its memory is short-lived messages, but V8 lets a heap grow to its limit before it collects
   * garbage.
   */
  workerMemory: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 48 },
  /**
   * Largest number of characters in a message to the store worker, and in a response. With two bytes for a character, a message and a
   * response take a third of the worker's heap. Only the last document of a message may exceed this bound. If the worker runs out of
   * memory, the store fails for good.
   */
  workerCharacters: 4 * 1024 ** 2,
  /** Largest number of documents of one find: a page that the caller can hold in memory. */
  findMax: 10_000,
  /**
   * Largest number of items that wait in the queue of the embedded store: the observations and subjects of one and a half full rounds of
   * all partitions.
   */
  queuedItems: 100_000,
  /**
   * Bounds of inline reads on the caller's thread: rows of one read, rows that a read may look at to find them, rows of one turn of the event
   * loop, and KiB of cache. Each commit empties this cache. A thousand rows take about a millisecond.
   */
  near: { rows: 128, steps: 1_000, rowsPerTurn: 256, cacheKib: 512 },
  /** Size of the page cache of the embedded store's writing thread, KiB. */
  writerCacheKib: 4_096,
  /**
   * Largest number of rows in one of the two small tables of a gathered collection. With more rows, a merge writes fewer pages for each
   * row, but each row costs 100 bytes of memory.
   */
  gatheredRows: 16_384,
  /**
   * Number of pages in the embedded store's log at which a checkpoint begins; they are 4 MiB. Writes wait for a checkpoint. At 1,440 checks
   * a second there are two checkpoints a second, and each takes 8 to 15 ms. If the log could have 64 MiB, there would be one checkpoint in
   * ten seconds, which takes 58 ms.
   */
  walPages: 1_024,
  /**
   * Largest size of a file that a start checks completely for damage, which takes 0.2 s. In a larger file, a start checks only lasting
   * collections, whose content senders could not report again, and only after the machine has ended without a clean stop. Otherwise they are
   * checked after the start.
   */
  checkedBytes: 64 * 1024 ** 2,
  /** The check after the start: documents that it reads at once, and its pause before the next ones. */
  check: { slice: 200, pauseMs: 5 },
  /**
   * Longest interval between two flushes. A flush also updates the mark (ADR 25). A power failure loses at most the commits of this
   * interval.
   */
  flushMs: 10 * second,
  /** Largest number of characters of a document in the embedded store, without its columns. MongoDB has about the same bound, in bytes. */
  documentCharacters: 16 * 1024 ** 2,
  /** Number of prepared statements that stay cached; the system uses about 150 different statements. */
  preparedStatements: 400,
  /**
   * Longest wait for an operation of MongoDB, including retries. After this time the operation fails as unavailable. It is shorter than a
   * lease lasts.
   */
  answerMs: 5 * second,
  /** Longest examination of MongoDB by `./watchkeeper doctor`: a hundred writes and the lists of all indexes. */
  examineMs: 30 * second,
  /** Longest wait for the creation of a missing index. On a large collection, this takes longer than any other operation. */
  indexMs: 10 * minute,
  /**
   * Largest number of attempts of an upsert. An attempt fails if another process inserts the document at the same moment; at the next
   * attempt the document exists.
   */
  upsertTries: 3,
  /**
   * Migrations. `pageDocuments`: documents that are read and written together. `tellMs`: interval between two lines about the progress.
   * `leaseMs`: time after which a process that migrates MongoDB and shows no progress counts as dead; a page takes at most some `answerMs`.
   * `lookMs`: interval at which the others look.
   */
  migration: { pageDocuments: 200, tellMs: 5 * second, leaseMs: 30 * second, lookMs: 1 * second },
} as const
