// Bounds of a location's door: the load that the installation accepts from the remote probers of one location. Even if the holder of a
// credential sends requests without pause, other locations are delayed only briefly.
import { second } from '#shared/limits/limits.ts'

export const doorLimits = {
  /** Largest number of requests that the bus delivers before the directory asks for more. */
  waiting: 32,
  /** Maximum of requests a second. If each has `prober.payloadBytes`, that is 3 MB/s; more would keep a small machine busy with parsing. */
  requestsPerSecond: 200,
  /** Maximum of reports a second, and in one burst: 120,000 monitors of a location at one check a minute, a tenth of the keepers' rate. */
  reportsPerSecond: 2_000,
  /** Longest time for which a request waits until `reportsPerSecond` admits it. If it had to wait longer, the door refuses it. */
  reportWaitMs: second,
  /** Largest number of reports in one request. */
  reports: 50,
  /** Bytes of a request's reports as JSON; with the envelope less than `prober.payloadBytes`. A report has 250 B, a failed one 2 kB. */
  reportBytes: 14 * 1024,
  /** Largest number of requests with reports in flight from a prober, and least pause between two. Later reports share the next request. */
  reportsInFlight: 8,
  reportPauseMs: 5,
  /** Largest number of changes of checks in one response: entries, and characters of JSON. A single entry may be larger. */
  changes: 512,
  changesCharacters: 256 * 1024,
  /**
   * Most characters of changes sent in a second, and in one burst: 50,000 usual checks. Otherwise a prober that never reads could fill the
   * bus's memory.
   */
  changesCharactersPerSecond: 2 * 1024 ** 2,
  changesCharactersAtOnce: 16 * 1024 ** 2,
  /** Number of newest changes, and of their characters, that a directory keeps in memory, to send them without a read from the bus. */
  recentChanges: 1_024,
  recentCharacters: 4 * 1024 ** 2,
  /** Longest wait of a request for a change. Then the response is empty, and shows the prober that the door still responds. */
  parkMs: 20 * second,
  /** Largest number of requests that wait for a change. */
  parked: 64,
  /** Time in which changes are collected into one response. */
  gatherMs: 20,
  /** Time for which a prober that left stays in the list of probers, so that all others, which read the list every second, notice it. */
  leftKeptMs: 10 * second,
  /** Timeout of a prober's requests, except requests that wait for a change. */
  answerMs: 5 * second,
  /** Interval at which directories read the list of locations, in case a nudge was lost. */
  lookMs: 60 * second,
  /** Interval at which the list of locations is read after a failed read. */
  lookAgainMs: 2 * second,
} as const
