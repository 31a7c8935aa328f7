// Limits of long reads (the audit, lists of Incidents, overviews, rosters, event streams, charts), of the writes of audit rows, and of
// accepted Observations.
import { hour, minute, second } from '#shared/time/time-units.ts'

export const auditLimits = {
  /** Maximum of rows, of a few hundred bytes each, that a gateway queues while it cannot write them; further rows are dropped (v3 11.4). */
  queued: 10_000,
  /** Queued rows are written together, this long after the first row was queued, or as soon as this many rows are queued. */
  flushMs: 1 * second,
  flushRows: 500,
  /** Largest number of characters of one write of rows: paths may be long, but the message must stay far below the 2 MB of the bus. */
  flushCharacters: 128 * 1024,
  /** Longest time between the first and the last row of a block. A reader of older rows also reads blocks that end this much later. */
  blockMs: 1 * second,
  /** Number of a block's latest kinds that are compared with the kind of a new row. More than one, because callers may alternate. */
  kindsCompared: 8,
  /** Time to write the last rows on stop. The sum of this and `http.drainMs` must be less than `start.serviceStopMs`. */
  lastWriteMs: 0.8 * second,
  /** Largest number of characters kept of a path and of a User-Agent (v3 11.3). */
  pathCharacters: 500,
  userAgentCharacters: 200,
  /** Largest number of rows that one request reads: a filter with few matches must not read everything. */
  lookedAt: 10_000,
  /** Rows (approximately) in one read for a filtered page; blocks, of up to 500 rows each, in any read. */
  perRead: 500,
  blocksPerRead: 64,
  /** Largest number of workspaces in one response: each needs a read of one row. */
  workspacesPerPage: 200,
  /** Expired blocks, of perhaps 40 kB each, that one slice removes, and the pause between slices. */
  expireSlice: 100,
  expireSliceMs: 50,
} as const

export const incidentListLimits = {
  /** Entries of an Incident's history and of its path, the first and the latest: a flapping signal produces thousands (v3 5.8). */
  first: 100,
  latest: 400,
  /** Resources of a filtered list whose Incident lists are merged; with more Resources, all Incidents of the workspace are searched. */
  merged: 100,
  /** Maximum of Incidents that one request reads, in all and in one read: a filter with few matches must not read everything (v3 9.5). */
  lookedAt: 10_000,
  perRead: 500,
} as const

export const overviewLimits = {
  /** Largest number of open Incidents that one overview reads, oldest first, in all and in one read: 10,000 take a quarter of a second. */
  counted: 10_000,
  perRead: 500,
  /** Largest number of rules and oldest Incidents that an overview lists: a person reads no more (v3 9.7). */
  rules: 50,
  oldest: 10,
} as const

export const rosterLimits = {
  /** A roster is dropped from memory this long after its last read. The directory looks for such rosters every `lookMs`. */
  keptMs: 5 * minute,
  lookMs: 1 * minute,
  /** Maximum of rosters in a directory's memory, and rows of all of them (230 bytes each); the least recently read one is dropped first. */
  rosters: 200,
  rows: 200_000,
  /** Interval at which rows that clients read are compared with the store's revisions. This ends the effect of a lost message. */
  compareMs: 1 * minute,
  /** Largest number of revisions, and whole documents, in one read of a comparison. */
  revsPerRead: 5_000,
  documentsPerRead: 500,
  /** Number of successive comparisons that a page waits for while the bus connection is unstable. Then it gets the rows in memory. */
  comparisonsInARow: 2,
} as const

export const eventLimits = {
  /** Event streams of one gateway: fewer than its connections (`http.connections`), so that they leave room for the API. */
  streams: 1_000,
  /** Largest number of event streams of one person: a browser has six connections for all its pages, and a person a few browsers. */
  streamsPerPerson: 50,
  /** Time after which a refused client may retry. */
  fullRetryMs: 5 * second,
  /** Events are collected for this long or up to this many, and sent to all streams at once. People do not notice a delay below 300 ms. */
  gatherMs: 150,
  gathered: 500,
  /** Number of a workspace's events that are kept for reconnecting clients, and for how long after the last client has disconnected. */
  remembered: 1_000,
  lingerMs: 1 * minute,
  /** Unread bytes at which a stream is closed; its client reconnects and reads the present state. */
  unreadBytes: 256 * 1024,
  /** Interval of heartbeats, which keep proxies and `http.stalledMs` from closing an idle stream. */
  beatMs: 15 * second,
  /** A browser reconnects after a random time between this and twice this, so that not all browsers reconnect at the same instant. */
  retryMs: 2 * second,
  /** Interval at which the rights of a stream are checked, and interval at which streams are searched that are due for this check. */
  lookMs: 1 * minute,
  lookTickMs: 1 * second,
  /** Largest number of concurrent checks of rights, and failed checks in a row that end a stream. */
  looksAtOnce: 8,
  failedLooks: 3,
} as const

export const chartLimits = {
  /** Largest number of incidents, and windows, that one chart marks: the newest ones. */
  bands: 500,
  /** Days of one row of uptime bars: as long as roll-ups and incidents are kept. */
  days: 400,
  /** Largest number of monitors whose figures one response contains: as many as a list shows. */
  figures: 100,
  /** Largest number of concurrent reads of roll-ups for the series of a chart, one for each location. */
  seriesAtOnce: 8,
} as const

/** Observations of generation 2 and of Resources. */
export const intakeLimits = {
  /** An observation further in the future than this, or older than `lateMs`, is stored but never judged (reference/custom-subjects 4.6). */
  clockSkewMs: 60 * second,
  lateMs: 24 * hour,
  /** Label sets that are read when a rule is saved, to find the present readings of its inputs: the newest ones of each cited signal. */
  seriesPerSubject: 10_000,
  /** A baseline uses at most this many of the newest numbers: one read of the store returns them, and a sort takes a few ms (v3 4.5). */
  baselineNumbers: 10_000,
  /** Time after a repeated sender's id in which rounds look up ids before they step, to avoid a second step after a refused write. */
  sentIdReadsMs: 10 * second,
} as const
