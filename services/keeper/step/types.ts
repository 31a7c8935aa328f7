// Inputs, context and results of a step.

import type { Reply } from '#shared/contracts/ask/reply.ts'
import type { CheckResult } from '#shared/contracts/observations/check.ts'
import type {
  CheckObservationDocument,
  ObservationIdDocument,
  PushedObservationDocument,
  SeriesDocument,
} from '#shared/contracts/observations/observation.ts'
import type { ReportKind } from '#shared/contracts/observations/silence.ts'
import type { Template } from '#shared/contracts/resources/template.ts'
import type { Command, CommandOf } from '#shared/contracts/subjects/command.ts'
import type { PolicyInput } from '#shared/contracts/subjects/policy.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import type { Refusal } from './commands/refusal.ts'
import type { NumbersInOrder } from './judging/signal-numbers.ts'

/**
 * `at`: the instant to which the input refers, ms since the epoch. `stampedAt`: the bus's stamp of the message, ms; slots are instants of
 * the bus's clock.
 */
export type Input =
  | { kind: 'result'; subjectId: string; at: number; stampedAt: number; locationId: string; result: CheckResult }
  | { kind: 'command'; subjectId: string; at: number; command: Command }
  | { kind: 'deadline'; subjectId: string; at: number }

/** Instant up to which silence counts, by kind of report, ms; null: all silence counts. */
export interface HeldSilence extends Readonly<Record<ReportKind, number | null>> {
  /**
   * A sender that has not reported since the instant `since` may have lost a report in each of `count` outages, of which the first ended at
   * `until`. Its silence counts up to the instant `to`, ms. Absent: the silence of all senders is held back alike.
   */
  readonly missed?: { since: number; until: number; count: number; to: number }
}

export const nothingHeld: HeldSilence = { checks: null, pushed: null }

export type TemplateOf = (resource: Pick<SubjectDocument, 'id' | 'slug' | 'workspaceId' | 'template'>) => Template

/** Facts that a step may use besides subject and input. The caller passes all of them, so that a step can be repeated anywhere. */
export interface StepContext {
  /** Present instant of the keeper's clock, ms since the epoch. It decides which reminders are overdue, and it dates alerts. */
  now: number
  /**
   * Time by which the keeper's clock is ahead of the clock of its machine, because that was set back, ms (ADR 35). Instants of senders are
   * placed on the keeper's clock by it. Absent: 0.
   */
  aheadMs?: number
  /**
   * Instants up to which silence counts, by kind of report. Later silence is held back, because reports may not be accepted or may still be
   * in transit.
   */
  held: HeldSilence
  /** Confirmation delay of monitors that set none, ms. `closeAfterMs`: recovery delay of monitors that set none, ms. */
  confirmAfterMs: number
  closeAfterMs: number
  /** Returns the revision that a Resource is bound to. Throws UnusableTemplate if the revision cannot judge. */
  templateOf: TemplateOf
  /** Returns why nobody can make checks of a kind at a location; null: somebody can, or no prober lives there. Absent: everybody can. */
  inabilityAt?: (locationId: string, kind: string) => string | null
  /** True in a preview, which creates no alerts. */
  isUnannounced?: true
  /** Stored pushed observations that this round's inputs read. */
  stored: StoredReports
}

export type NewestReport = Pick<SeriesDocument, 'rev' | 'observedAtUs'>

/** Stored reports that the round has read before the step. Each step updates them. */
export interface StoredReports {
  /** Returns the newest accepted observation of a set of labels; null: none. */
  series(id: string): NewestReport | null
  /**
   * If this round saves a rule, returns the series of the newest label sets of the signals that this rule reads; otherwise an empty list.
   */
  seriesOf(subjectId: string): readonly SeriesDocument[]
  /** Returns the observation of this identity; null: none. */
  pushed(id: string): PushedObservationDocument | null
  /** Returns the stored place (signal and instant) of the Observation with a sender's id, by `observationIdKey`; null: none. */
  place(key: string): ObservationIdDocument | null
  /** Returns the newest Observations of a signal if a rebind makes its Resource count more of them; otherwise an empty list. */
  newest(subjectId: string, signalKey: string): readonly PushedObservationDocument[]
  /** Returns the earlier numbers of a signal that a baseline may use. */
  numbers(subjectId: string, signalKey: string): NumbersInOrder
}

/** `nothing`: the subject is unchanged. `freshness`: only the freshness of its readings changed. `commit`: the subject must be written. */
export type Change = 'nothing' | 'freshness' | 'commit'

export interface Step {
  subject: SubjectDocument | null
  change: Change
  observation: CheckObservationDocument | null
  /** Reports of senders, stored before the subject. The last of several reports with one id counts. */
  pushed?: readonly PushedObservationDocument[]
  /** Places (signal and instant) of the reports with a sender's id, to be stored before `pushed`. */
  places?: readonly ObservationIdDocument[]
  /** Newest accepted report of each series, to be stored after `pushed`. `rev`: revision of the stored series that is replaced. */
  series?: readonly SeriesDocument[]
  reply: Reply | null
}

/** Subject that has accepted a report and is not judged yet, and the inputs that now read this report. */
export interface Taken {
  subject: SubjectDocument
  inputs: readonly { ruleKey: string; input: PolicyInput }[]
}

/** Subject after a command and the command's result, or the refusal of the command with nothing changed. */
export type Handled = { subject: SubjectDocument; result: unknown } | { refused: Refusal }

/** Handler of one kind of command to an existing subject. `at`: instant at which the command takes effect, ms. */
export type Handler<K extends Command['kind']> = (
  subject: SubjectDocument,
  command: CommandOf<K>,
  at: number,
  context: StepContext,
) => Handled
