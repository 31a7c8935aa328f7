// Silence of those who report, and what a keeper knows of the times in which it could not hear them (ADR 22).

/** checks: results of probers, through the stream. pushed: observations of senders, through a gateway. */
export type ReportKind = 'checks' | 'pushed'

/** Instants, ms: silence that began later does not count yet. At the instant of the judgement or later, all of it counts. */
export type SilenceAt = Readonly<Record<ReportKind, number>>

/** A keeper's note to its successor about one kind of report. Without a note, reports were taken and nothing was held back. */
export interface SilenceNote {
  /** For how long reports had not been taken when this was written, ms. */
  deafMs: number
  /** For how long silence stays held back once they are taken again, ms; `deafMs` comes on top. */
  leftMs: number
  /** Silence counts only up to this instant of the keeper's clock while it is held back; null: it is not. */
  heldAt: number | null
}

export type SilenceNotes = Partial<Record<ReportKind, SilenceNote>>
