// Limits of both stores, the embedded one and MongoDB.
import { minute, second } from '#shared/time/time-units.ts'

export const storeLimits = {
  /** Limits of the store worker's heap: messages are short-lived, but V8 lets a heap grow to its limit before it collects them. */
  workerMemory: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 48 },
  /**
   * Characters (at most two bytes each) in a message to the store worker and in a response, a third of the worker's heap together. Only the
   * last document of a message may exceed this bound. If the worker runs out of memory, the store fails for good.
   */
  workerCharacters: 4 * 1024 ** 2,
  /** Largest number of documents of one find: a page that the caller can hold in memory. */
  findMax: 10_000,
  /** Queued items of the embedded store: one full round of observations and subjects of each partition, and half as much again. */
  queuedItems: 100_000,
  /** Inline reads on the caller's thread: rows of one read, rows of one turn of the event loop, and cache, which each commit empties. */
  near: { rows: 128, rowsPerTurn: 256, cacheKib: 512 },
  /** KiB of pages that the writing thread of the embedded store caches. */
  writerCacheKib: 4_096,
  /**
   * Rows of a gathered collection in one of its two small tables. More rows share more pages when they are merged, and cost 100 bytes of
   * memory each.
   */
  gatheredRows: 16_384,
  /**
   * Number of pages (4 MiB) in the embedded store's log at which a checkpoint begins. Writes wait for a checkpoint. At 1,440 checks a
   * second there are two a second, of 8 to 15 ms each; with 64 MiB there would be one in ten seconds, of 58 ms.
   */
  walPages: 1_024,
  /** Size of a file up to which a start checks all of it for damage (0.2 s). Of a larger file, it checks only lasting collections. */
  checkedBytes: 64 * 1024 ** 2,
  /** Longest interval between two flushes, which also update the mark (ADR 25): a power failure loses no more commits than this. */
  flushMs: 10 * second,
  /** Largest number of characters of a document in the embedded store, without its columns: about the bound of MongoDB in bytes. */
  documentCharacters: 16 * 1024 ** 2,
  /** Number of prepared statements that stay cached; the system uses about 150 different statements. */
  preparedStatements: 400,
  /** Longest wait for an operation of a network store, retries included; then the store is unavailable. Shorter than a lease is valid. */
  answerMs: 5 * second,
  /** Creation of a missing index on a large collection takes longer than any other operation. */
  indexMs: 10 * minute,
  /** Attempts of an upsert that loses the race of two inserts: after one attempt the document exists. */
  upsertTries: 3,
} as const
