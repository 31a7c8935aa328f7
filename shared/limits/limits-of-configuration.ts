// Bounds of configuration as files (v3, section 15); part of `shared/limits/limits.ts`.
import { minute, second } from '#shared/time/time-units.ts'

export const configurationLimits = {
  /** Largest number of files. A folder with more files is probably the wrong one. */
  files: 10_000,
  /** Largest number of bytes of all files together: enough for an export of 50,000 Resources of one Template. */
  bytes: 16 * 1024 * 1024,
  /** Largest number of bytes of a request: the files as JSON, in which line breaks and quotes take two bytes. */
  bodyBytes: 24 * 1024 * 1024,
  /** Largest number of objects in all files. It has room for the 100,000 Resources that a workspace may have (v3 8.4). */
  objects: 110_000,
  /** Largest number of aliases of one anchor in a YAML document, so that a short text cannot expand without bound. */
  aliases: 100,
  /** Number of concurrent requests of one plan, and of `template rebind`. With more, they would not be faster. */
  requestsAtOnce: 16,
  /** Time until the response to a request: less than `http.stalledMs`, after which its connection would be closed. */
  answerMs: 55 * second,
  /** Instant after the arrival at which no further step begins, except in the first `leastRunMs`. */
  stopMs: 45 * second,
  /** Least time for steps in one request. If the plan took longer to make, the steps have as long as the plan. */
  leastRunMs: 3 * second,
  /** Longest wait for the turn of a request, because a gateway works on one at a time. `waiting`: most requests that wait. */
  turnMs: 20 * second,
  waiting: 32,
  /** Time without requests after which the thread ends. A person reads the plan meanwhile, and the start of the thread takes half a second. */
  idleMs: 2 * minute,
  /** Memory of the thread, MiB: parsing makes files about 20 times as large, and the workspace is compared with them. */
  threadMemory: { maxOldGenerationSizeMb: 768 },
} as const
