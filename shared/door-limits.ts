// The bounds of a location's door: what the installation takes from the remote probers of one location, and how they ask. Whoever has
// a credential may ask as fast as they can, and that may cost no other location more than a moment.
import { second } from '#shared/limits.ts'

export const doorLimits = {
  /** Requests that the bus hands over before it is asked for more: each may have `prober.payloadBytes`. */
  waiting: 64,
  /** Requests a second: 32 probers beat, ask and report 100 times a second. */
  requestsPerSecond: 500,
  /** Reports a second, and at once: about what one machine can check, a fifth of what keepers judge. */
  reportsPerSecond: 4_000,
  /** Reports in one request: it waits for its share of that for 25 ms at most, and 64 such requests for 1.6 s. */
  reports: 100,
  /** JSON of the reports in one request: with its envelope less than `prober.payloadBytes`. */
  reportBytes: 48 * 1024,
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
