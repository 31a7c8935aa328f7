// Silence of probers and senders, and notes of a keeper about periods in which it could not read reports (ADR 22).

/** checks: results of probers, from the stream. pushed: observations of senders, through a gateway. */
export type ReportKind = 'checks' | 'pushed'

/** For each kind, the instant (ms) up to which silence counts. If it is at or after the judgement, all silence counts. */
export type SilenceAt = Readonly<Record<ReportKind, number>>

/** A keeper's note to its successor about one kind of report. Without a note, reports were read and silence counted. */
export interface SilenceNote {
  /** Duration of the outage of reports at the time of the note, ms; 0: none. */
  deafMs: number
  /** Duration for which silence stays held back after reports are read again, ms, in addition to `deafMs`. */
  leftMs: number
  /** While silence is held back, it counts only up to this instant of the keeper's clock, ms; null: silence is not held back. */
  heldAt: number | null
}

export type SilenceNotes = Partial<Record<ReportKind, SilenceNote>>
