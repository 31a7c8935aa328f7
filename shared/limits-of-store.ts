// Limits of the stores, of the embedded one and of MongoDB.
import { minute, second } from '#shared/time-units.ts'

export const storeLimits = {
  /** The store worker's own heap: its messages are short-lived, and a heap that may grow does. */
  workerMemory: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 48 },
  /**
   * Characters, of two bytes at most, in one message to the store worker and in one answer of it, beside the document that goes beyond: both
   * at once take a third of its heap. A store whose worker ran out of memory is over.
   */
  workerCharacters: 4 * 1024 ** 2,
  /** Documents of one find: a page that whoever asks still holds. */
  findMax: 10_000,
  /** Items waiting in front of the embedded store: one full round (observations and subjects) of each of the 64 partitions, and half again. */
  queuedItems: 100_000,
  /**
   * Reads of the embedded store on the asker's own thread: the most rows of one, and of all in one turn of the loop; a subject takes
   * some tens of microseconds. Each commit of the writer empties the cache, so that a larger one would hold nothing more.
   */
  near: { rows: 128, rowsPerTurn: 256, cacheKib: 512 },
  /** Pages of its file that the thread that writes the embedded store keeps in memory. */
  writerCacheKib: 4_096,
  /**
   * The write-ahead log of the embedded store is folded into its file at this length, 4 MiB: whatever writes waits for a fold. At 1,440 checks
   * a second two came every second and took 8 to 15 ms each; of 64 MiB it was one in ten seconds, of 58 ms.
   */
  walPages: 1_024,
  /** A file up to this size is checked for damage at each start, of a larger one what lasts: 64 MiB take 0.2 s. */
  checkedBytes: 64 * 1024 ** 2,
  /** Commits are flushed, and the mark is moved, at least this often: a power failure costs no more. */
  flushMs: 10 * second,
  /** Characters of a document in the embedded store, but for its columns: about what MongoDB takes, which counts bytes of a form of its own. */
  documentCharacters: 16 * 1024 ** 2,
  /** Statements kept prepared; the system itself uses about 150 different ones. */
  preparedStatements: 400,
  /** A network store that has not answered an operation after this long, retries included, is unavailable: less than a lease's life. */
  answerMs: 5 * second,
  /** Making a missing index on a collection that has grown takes longer than any other operation. */
  indexMs: 10 * minute,
  /** An upsert that loses the race of two inserts is sent again this often: after one of them the document exists. */
  upsertTries: 3,
} as const
