// Silence of probers and senders, and a keeper's notes about periods in which the keeper could not read reports (ADR 22).

/**
 * Kinds of reports. `checks`: check results, which probers send through the stream. `pushed`: observations, which senders report through a
 * gateway.
 */
export type ReportKind = 'checks' | 'pushed'

/**
 * For each kind of report, the instant (ms) up to which silence counts. If this instant is at or after the instant of the judgement, all
 * silence counts.
 */
export type SilenceAt = Readonly<Record<ReportKind, number>>

/** A keeper's note to its successor about one kind of report. If there is no note, the keeper could read reports, and silence counted. */
export interface SilenceNote {
  /** Time for which the keeper had been unable to read reports when it wrote the note, ms; 0: it could read reports. */
  deafMs: number
  /** Shortest time for which silence still does not count after reports can be read again, ms. */
  leftMs: number
  /**
   * Time from the start of the first outage of this hold until reports were last read, ms. The successor adds the time without reports to it,
   * for the length of the new hold (ADR 22). Absent in notes of earlier versions, which took `leftMs` for it.
   */
  sinceOutageMs?: number
  /**
   * Instant at which silence stopped counting, ms on the keeper's clock: while silence is held back, only silence before this instant
   * counts. Null: silence is not held back.
   */
  heldAt: number | null
  /** The outages that are remembered beyond their holds. Absent: none. */
  missed?: MissedOutages
}

/**
 * Outages of which the first began less than a minute ago, or after which silence is still held back. A sender that has not reported since the
 * first of them began may have lost a report in each.
 */
export interface MissedOutages {
  /** Time from the start of the first outage until reports were last read, ms. `firstMs`: length of the first outage, ms. */
  sinceMs: number
  firstMs: number
  /** Number of the outages. */
  count: number
  /**
   * Shortest time for which the silence of such a sender still does not count after reports can be read again, ms; 0: it counts like that of
   * others.
   */
  leftMs: number
  /** Instant up to which the silence of such a sender counts, ms on the keeper's clock. */
  heldAt: number
}

export type SilenceNotes = Partial<Record<ReportKind, SilenceNote>>
