// Bounds of a location's door: the load that the installation accepts from the remote probers of one location. Even if the holder of a
// credential sends requests without pause, other locations are delayed only briefly.
import { second } from '#shared/limits/limits.ts'

export const doorLimits = {
  /** Largest number of requests that the bus delivers to a directory before the directory requests more. */
  waiting: 32,
  /**
   * Maximum of requests a second. With `prober.payloadBytes` in each request, these are 3 MB a second. More would keep a small machine busy
   * with parsing.
   */
  requestsPerSecond: 200,
  /**
   * Maximum of reports a second, and of reports in one burst. This is enough for 120,000 checks a minute, and is a tenth of the rate that
   * the keepers can process.
   */
  reportsPerSecond: 2_000,
  /** Longest time for which a request waits because of `reportsPerSecond`. A request that would have to wait longer is refused. */
  reportWaitMs: second,
  /** Largest number of reports in one request. */
  reports: 50,
  /**
   * Maximum of bytes of the reports in one request, as JSON. With its envelope, the request stays below `prober.payloadBytes`. A report of
   * a passed check has 250 B, of a failed check 2 kB.
   */
  reportBytes: 14 * 1024,
  /**
   * Largest number of requests with reports that a prober has in flight at once. `reportPauseMs`: least pause between two of these
   * requests.
   */
  reportsInFlight: 8,
  reportPauseMs: 5,
  /**
   * Largest number of changes of checks in one response. `changesCharacters`: largest number of characters of these changes as JSON; a
   * single change may have more.
   */
  changes: 512,
  changesCharacters: 256 * 1024,
  /**
   * Largest number of characters of changes that a door sends in a second. `changesCharactersAtOnce`: largest number in one burst, enough
   * for 50,000 usual checks. Without these bounds, a prober that never reads its responses could fill the memory of the bus.
   */
  changesCharactersPerSecond: 2 * 1024 ** 2,
  changesCharactersAtOnce: 16 * 1024 ** 2,
  /**
   * Number of newest changes that a directory keeps in memory, so that it can send them without a read. `recentCharacters`: largest number
   * of characters of these changes.
   */
  recentChanges: 1_024,
  recentCharacters: 4 * 1024 ** 2,
  /**
   * Longest wait of a request for a change. After this time the door sends an empty response, which shows the prober that the door still
   * works.
   */
  parkMs: 20 * second,
  /** Largest number of requests that wait for a change. */
  parked: 64,
  /** Time in which changes are collected into one response. */
  gatherMs: 20,
  /**
   * Time for which a prober that left stays in the list of probers, marked as left. The other probers read the list every second, so all
   * notice the departure.
   */
  leftKeptMs: 10 * second,
  /** Timeout of a prober's requests, except requests that wait for a change. */
  answerMs: 5 * second,
  /** Interval at which the log repeats that a location has probers which are older than the installation. */
  oldProberMs: 60 * 60 * second,
  /** Interval at which directories read the list of locations, in case a nudge was lost. */
  lookMs: 60 * second,
  /** Interval at which the list of locations is read after a failed read. */
  lookAgainMs: 2 * second,
} as const
