// Limits of what is read of the past and of many: the audit, Incidents with their history, overviews.
import { second } from '#shared/time-units.ts'

export const auditLimits = {
  /** Rows that wait at a gateway while they cannot be written, a few hundred bytes each; the next ones are dropped (v3 11.4). */
  queued: 10_000,
  /** Rows are written this long after the first, or as soon as so many wait: one write serves them all. */
  flushMs: 1 * second,
  flushRows: 500,
  /** On stop, the last rows get this long; with `http.drainMs` less than `start.serviceStopMs`. */
  lastWriteMs: 0.8 * second,
  /** Characters of a path and of a User-Agent that are kept (v3 11.3). */
  pathCharacters: 500,
  userAgentCharacters: 200,
  /** Rows read at once for a page with a filter, and rows that one answer looks at: a rare person must not cost a read of everything. */
  perRead: 500,
  lookedAt: 10_000,
  /** Workspaces in one answer: each is a read of one row. */
  workspacesPerPage: 200,
  /** Pause between slices while more rows are expired than one slice removes. */
  expireSliceMs: 50,
} as const

export const incidentListLimits = {
  /** Entries of an Incident's history and of its path: a flapping signal makes thousands (v3 5.8). */
  first: 100,
  latest: 400,
  /** Resources of a filtered list whose own Incidents are merged; of more, the workspace's are looked through. */
  merged: 100,
  /** Incidents that one answer looks at, and the most that it reads at once: a rare match must not cost a read of everything (v3 9.5). */
  lookedAt: 10_000,
  perRead: 500,
} as const

export const overviewLimits = {
  /** Open Incidents that one overview looks at, the oldest first, and the most that it reads at once: 10,000 take a quarter of a second. */
  counted: 10_000,
  perRead: 500,
  /** Rules that are named, and oldest Incidents that are shown: a person reads no more (v3 9.7). */
  rules: 50,
  oldest: 10,
} as const
