// Bounds of a location's door: the load that the installation accepts from the remote probers of one location. The holder of a credential
// may send requests without pause; other locations may then be delayed by a moment at most.
import { second } from '#shared/limits/limits.ts'

export const doorLimits = {
  /** Requests that the bus delivers before the directory asks for more. */
  waiting: 32,
  /** Requests a second. If each has `prober.payloadBytes`, that is 3 MB/s; more would keep a small machine busy with parsing. */
  requestsPerSecond: 200,
  /**
   * Reports a second, and in one burst: 120,000 monitors of a location with one check a minute, a tenth of the rate that keepers can judge.
   */
  reportsPerSecond: 2_000,
  /**
   * Longest wait of a request for its share of `reportsPerSecond`. The door refuses a request that would wait longer, so that no queue
   * builds up.
   */
  reportWaitMs: second,
  /** Reports in one request. */
  reports: 50,
  /**
   * Bytes of JSON of the reports in one request; with the envelope less than `prober.payloadBytes`. A report takes 250 B, a failed one up
   * to 2 kB.
   */
  reportBytes: 14 * 1024,
  /**
   * Requests with reports that a prober may have in flight, and the least pause between two of them. Later reports share the next request.
   */
  reportsInFlight: 8,
  reportPauseMs: 5,
  /** Changes of checks in one response: entries, and characters of JSON. A single entry may be larger. */
  changes: 512,
  changesCharacters: 256 * 1024,
  /**
   * Characters of such responses a second, and in one burst: 50,000 checks of usual size. A prober that does not read can fill the bus's
   * memory with them.
   */
  changesCharactersPerSecond: 2 * 1024 ** 2,
  changesCharactersAtOnce: 16 * 1024 ** 2,
  /** The newest changes that a directory keeps in memory, so that a change needs no read from the bus. */
  recentChanges: 1_024,
  recentCharacters: 4 * 1024 ** 2,
  /** Longest wait of a request for a change. It then gets an empty response, which shows the prober that the door still responds. */
  parkMs: 20 * second,
  /** Requests that wait for a change. */
  parked: 64,
  /** Time in which changes are collected into one response. */
  gatherMs: 20,
  /**
   * Time for which a prober that left stays in the list of members: each prober asks every second. A silent prober is detected by the
   * others.
   */
  leftKeptMs: 10 * second,
  /** Longest wait of a prober for a response that does not wait for a change. */
  answerMs: 5 * second,
  /** Interval at which directories read the list of locations, in case a nudge was lost. */
  lookMs: 60 * second,
  /** The same after a failed read. */
  lookAgainMs: 2 * second,
} as const
