// Limits of both stores, the embedded one and MongoDB.
import { minute, second } from '#shared/time/time-units.ts'

export const storeLimits = {
  /** Heap of the store worker: its messages are short-lived, and V8 lets a heap grow to its limit. */
  workerMemory: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 48 },
  /**
   * Characters, of two bytes at most, in one message to the store worker and in one of its responses. Only the last document may exceed the
   * bound. Both together take a third of the worker's heap. The store fails for good if its worker runs out of memory.
   */
  workerCharacters: 4 * 1024 ** 2,
  /** Documents of one find: a page that the caller can hold in memory. */
  findMax: 10_000,
  /**
   * Queued items of the embedded store: one full round (observations and subjects) of each of the 64 partitions, and half as much again.
   */
  queuedItems: 100_000,
  /**
   * Inline reads of the embedded store, on the thread of the caller. `rows` bounds one read, `rowsPerTurn` all reads in one turn of the
   * event loop; a subject takes some tens of microseconds. Each commit of the writer empties the cache, so a larger one would not help.
   */
  near: { rows: 128, rowsPerTurn: 256, cacheKib: 512 },
  /** KiB of pages that the writing thread of the embedded store caches. */
  writerCacheKib: 4_096,
  /**
   * Length in pages (4 MiB) at which the write-ahead log of the embedded store is checkpointed into its file. Writes wait for a checkpoint.
   * Measured at 1,440 checks a second: 4 MiB causes two checkpoints a second of 8 to 15 ms each. 64 MiB causes one in ten seconds of 58 ms.
   */
  walPages: 1_024,
  /**
   * Size up to which the whole file is checked for damage at each start (64 MiB take 0.2 s). Of a larger file only the lasting collections
   * are checked.
   */
  checkedBytes: 64 * 1024 ** 2,
  /** Longest interval between two flushes of commits, which also move the mark: a power failure loses no more than this. */
  flushMs: 10 * second,
  /**
   * Characters of a document in the embedded store, without its columns: about the bound of MongoDB, which counts bytes of its own
   * encoding.
   */
  documentCharacters: 16 * 1024 ** 2,
  /** Number of prepared statements that stay cached; the system uses about 150 different statements. */
  preparedStatements: 400,
  /** Longest wait for an operation of a network store, retries included; then the store is unavailable. Less than the life of a lease. */
  answerMs: 5 * second,
  /** Creation of a missing index on a large collection takes longer than any other operation. */
  indexMs: 10 * minute,
  /** Attempts of an upsert that loses the race of two inserts: after one attempt the document exists. */
  upsertTries: 3,
} as const
