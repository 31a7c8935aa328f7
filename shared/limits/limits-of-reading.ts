// Limits of long reads: the audit, lists of Incidents, overviews, rosters, event streams, charts, metrics of monitors. Also limits of writes
// of audit rows and of accepted Observations, and of judging.
import { hour, minute, second } from '#shared/time/time-units.ts'

export const auditLimits = {
  /**
   * Maximum of rows that a gateway queues while it cannot write them; further rows are dropped (v3 11.4). A row has a few hundred bytes.
   */
  queued: 10_000,
  /**
   * Longest time for which a row waits, so that several rows are written together. `flushRows`: number of queued rows at which the wait
   * ends.
   */
  flushMs: 1 * second,
  flushRows: 500,
  /**
   * Largest number of characters of rows in one write. Paths may be long, but the message must stay far below the 2 MB that the bus
   * accepts.
   */
  flushCharacters: 128 * 1024,
  /**
   * Longest time between the first and the last row of a block. Therefore a reader that wants rows before an instant also reads blocks that
   * end at most this long after the instant.
   */
  blockMs: 1 * second,
  /**
   * A block lists each kind of row once. The kind of a new row is compared with this number of the kinds listed last. The number is more
   * than one, because the rows of several callers may alternate.
   */
  kindsCompared: 8,
  /**
   * Time that a stopping gateway has to write its last rows. The sum of this and `http.drainMs` must be less than `start.serviceStopMs`.
   */
  lastWriteMs: 0.8 * second,
  /** Number of characters that are kept of a path; the rest is cut. `userAgentCharacters`: the same for a User-Agent (v3 11.3). */
  pathCharacters: 500,
  userAgentCharacters: 200,
  /** The same for the id and for the name of what a request made. */
  madeCharacters: 200,
  /** Largest number of rows that one request reads, so that a filter with few matches does not read the whole audit. */
  lookedAt: 10_000,
  /**
   * Approximate number of rows in one read for a filtered page. `blocksPerRead`: largest number of blocks in one read; a block has up to
   * 500 rows.
   */
  perRead: 500,
  blocksPerRead: 64,
  /** Largest number of workspaces in one response, because each workspace needs a read. */
  workspacesPerPage: 200,
  /** Largest number of expired blocks that are removed at once; a block may have 40 kB. `expireSliceMs`: pause before the next removal. */
  expireSlice: 100,
  expireSliceMs: 50,
} as const

export const incidentListLimits = {
  /**
   * A response contains this many of an Incident's history entries from the first on, and this many of its states. They are bounded because
   * a flapping signal produces thousands of both (v3 5.8).
   */
  first: 100,
  /** Number of an Incident's latest history entries, and of its latest states, that a response contains. */
  latest: 400,
  /**
   * Largest number of filtered Resources whose Incidents are read Resource by Resource and merged. With more Resources, the Incidents of
   * the whole workspace are searched.
   */
  merged: 100,
  /**
   * Largest number of Incidents that one request reads, so that a filter with few matches does not read all Incidents (v3 9.5). `perRead`:
   * largest number in one read.
   */
  lookedAt: 10_000,
  perRead: 500,
} as const

export const overviewLimits = {
  /**
   * Maximum of open Incidents that one overview reads, oldest first. To read 10,000 takes a quarter of a second. `perRead`: maximum in one
   * read.
   */
  counted: 10_000,
  perRead: 500,
  /**
   * Largest number of rules that an overview lists (v3 9.7). A person reads no more. `oldest`: largest number of oldest Incidents that it
   * lists.
   */
  rules: 50,
  oldest: 10,
} as const

export const rosterLimits = {
  /**
   * Time after its last read at which a roster is dropped from memory. `lookMs`: interval at which the directory looks for rosters to drop.
   */
  keptMs: 5 * minute,
  lookMs: 1 * minute,
  /**
   * Maximum of rosters in memory; the least recently read roster is dropped first. `rows`: maximum of the rows of all rosters together; a
   * row takes 230 bytes.
   */
  rosters: 200,
  rows: 200_000,
  /**
   * Interval at which the rows of a roster in use are compared with the store's revisions. The comparison corrects rows that are wrong
   * after a lost message.
   */
  compareMs: 1 * minute,
  /** Largest number of revisions in one read of a comparison. `documentsPerRead`: the same for whole documents. */
  revsPerRead: 5_000,
  documentsPerRead: 500,
  /**
   * Number of successive comparisons for which a page waits while the connection to the bus is unstable. After these, the page gets the
   * rows in memory.
   */
  comparisonsInARow: 2,
} as const

export const eventLimits = {
  /**
   * Largest number of event streams of one gateway. It is less than the number of its connections (`http.connections`), so that connections
   * remain for the API.
   */
  streams: 1_000,
  /** Largest number of event streams of one person. A browser opens six connections for all its pages, and a person uses a few browsers. */
  streamsPerPerson: 50,
  /** Time after which a client whose stream was refused may retry. */
  fullRetryMs: 5 * second,
  /** Time for which events are collected before they are sent to all streams together. People do not notice a delay below 300 ms. */
  gatherMs: 150,
  /** Number of collected events at which they are sent without a further wait. */
  gathered: 500,
  /** Number of a workspace's events that are kept for reconnecting clients. */
  remembered: 1_000,
  /** Time for which a workspace's events are kept after its last client has disconnected. */
  lingerMs: 1 * minute,
  /** Number of unread bytes at which a stream is closed. Its client then reconnects and reads the present state. */
  unreadBytes: 256 * 1024,
  /** Interval of heartbeats, which keep proxies and `http.stalledMs` from closing an idle stream. */
  beatMs: 15 * second,
  /** Browsers reconnect after a random time from this value to twice this value, so that not all reconnect at the same instant. */
  retryMs: 2 * second,
  /**
   * Interval at which the rights of the user of an event stream are checked again. `lookTickMs`: interval at which the gateway looks for
   * streams that are due for this check.
   */
  lookMs: 1 * minute,
  lookTickMs: 1 * second,
  /** Largest number of concurrent checks of rights. `failedLooks`: number of failed checks in a row that end a stream. */
  looksAtOnce: 8,
  failedLooks: 3,
} as const

export const chartLimits = {
  /** Largest number of incidents, and of maintenance windows, that one chart marks. The newest are marked. */
  bands: 500,
  /** Largest number of days in one row of uptime bars: as many as roll-ups and incidents are kept. */
  days: 400,
  /** Largest number of monitors for which one response contains figures: as many as a list shows. */
  figures: 100,
  /**
   * Largest number of incidents, and of hourly roll-ups, that one read of the figures finds. With more incidents since their roll-ups, each
   * monitor is read alone.
   */
  incidentsPerRead: 1_000,
  rollUpsPerRead: 2_400,
  /** Largest number of concurrent reads of roll-ups for the series of a chart, one for each location. */
  seriesAtOnce: 8,
} as const

/** Limits of Observations, for generation 2 and for Resources. */
export const intakeLimits = {
  /**
   * Largest distance of an observation's time into the future. An observation beyond it, or older than `lateMs`, is stored but never judged
   * (reference/custom-subjects 4.6).
   */
  clockSkewMs: 60 * second,
  lateMs: 24 * hour,
  /**
   * Largest number of label sets that are read when a rule is saved: the newest of each signal in the rule. They give the present readings
   * of the rule's inputs.
   */
  seriesPerSubject: 10_000,
  /**
   * Largest number of values that a baseline uses; it uses the newest (v3 4.5). One read of the store returns all of them, and a sort takes
   * a few ms.
   */
  baselineNumbers: 10_000,
  /**
   * A report may have an id that its sender chose. Time after a report whose id was already stored. During this time, rounds look up the ids
   * of all reports before they write them. Without the look-up, the store would refuse the write, and the reports would be stepped again.
   */
  sentIdReadsMs: 10 * second,
} as const

export const monitorMetricsLimits = {
  /**
   * Largest number of monitors with metrics, each with a few series and one more for each of its locations. A scrape reads them all; with
   * more monitors, it would take longer than a scraper waits.
   */
  monitors: 500,
  /** Largest number of monitors that one read finds. */
  perRead: 100,
  /** Number of monitors whose figures are read at the same time. */
  monitorsAtOnce: 8,
  /** Time for which several scrapers get the same text. */
  freshMs: 10 * second,
} as const

export const judgingLimits = {
  /** Grace period of a website check's input that has never had a report (reference/judging 2.4). */
  websiteGraceMs: 60 * second,
  /** Number of intervals after which an input of a website check is silent (reference/judging 2.3). */
  silentIntervals: 3,
  /** Least time until a location is silent whose checks have an interval in seconds. */
  silentMsMin: 1 * minute,
  /** Time after which a custom heartbeat is silent if its policy names none (reference/judging 3.4). */
  heartbeatSilentMs: 5 * minute,
  /** Largest number of inputs that the evidence of a verdict keeps: as many as a policy may have. */
  evidenceInputs: 64,
  /** Largest number of characters of a sender's error that the evidence keeps: as many as a message shows (reference/judging 6.2). */
  reasonCharacters: 300,
  /** Largest number of inputs that the evidence of a Template's rule keeps: as many comparisons as a decision may have. */
  decisionInputs: 16,
  /** Largest number of names that an explanation lists before it counts the rest. */
  namesListed: 5,
  /**
   * While the verdict stays, a new failing reason is stored as the cause only this long after the last one. Some senders write a number
   * into each reason; without this bound each of their reports would be a commit.
   */
  causeEveryMs: 30 * second,
} as const
