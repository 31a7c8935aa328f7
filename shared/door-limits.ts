// The bounds of a location's door: what the installation takes from the remote probers of one location, and how they ask. The
// holder of a credential may ask as fast as they can. That may cost no other location more than a moment.
import { second } from '#shared/limits.ts'

export const doorLimits = {
  /** Requests that the bus hands over before it is asked for more. */
  waiting: 32,
  /** Requests a second. With as much in each as `prober.payloadBytes` lets through, 3 MB/s: more would keep a small machine busy with reading. */
  requestsPerSecond: 200,
  /** Reports a second, and at once: what 120,000 monitors of a location ask for each minute, a tenth of what keepers judge. */
  reportsPerSecond: 2_000,
  /** A request with reports waits this long for its share of that. It is refused if its turn comes later, so that none pile up here. */
  reportWaitMs: second,
  /** Reports in one request. */
  reports: 50,
  /** JSON of the reports in one request: with its envelope less than `prober.payloadBytes`. One takes 250 B, one of a failure up to 2 kB. */
  reportBytes: 14 * 1024,
  /** Requests with reports that a prober has on their way, and the least pause between two: what comes meanwhile shares the next one. */
  reportsInFlight: 8,
  reportPauseMs: 5,
  /** Changes of checks in one answer: entries, and characters of JSON. One entry alone may be larger. */
  changes: 512,
  changesCharacters: 256 * 1024,
  /** Characters of such answers a second, and at once: 50,000 checks of usual size, which is what somebody can fill the bus's memory with. */
  changesCharactersPerSecond: 2 * 1024 ** 2,
  changesCharactersAtOnce: 16 * 1024 ** 2,
  /** The newest changes that a directory keeps at hand, so that a change costs the bus no question. */
  recentChanges: 1_024,
  recentCharacters: 4 * 1024 ** 2,
  /** A request for changes waits for one this long, then it is answered without: its asker knows that it is still served. */
  parkMs: 20 * second,
  /** Requests that wait for a change. */
  parked: 64,
  /** Changes that follow each other closely are told together. */
  gatherMs: 20,
  /** A prober that has left is told to the others for this long: each asks every second. One that is silent they miss themselves. */
  goneToldMs: 10 * second,
  /** A prober waits this long for an answer that need not wait for anything. */
  answerMs: 5 * second,
  /** The directories look this often which locations there are, for what a lost nudge would have told. */
  lookMs: 60 * second,
  /** The same after a look that failed. */
  lookAgainMs: 2 * second,
} as const
