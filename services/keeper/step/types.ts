// What goes into a step and what comes out of it.
import type { CheckResult } from '#shared/contracts/check.ts'
import type { Command } from '#shared/contracts/command.ts'
import type {
  CheckObservationDocument,
  ObservationIdDocument,
  PushedObservationDocument,
  SeriesDocument,
} from '#shared/contracts/observation.ts'
import type { PolicyInput } from '#shared/contracts/policy.ts'
import type { Reply } from '#shared/contracts/reply.ts'
import type { ReportKind } from '#shared/contracts/silence.ts'
import type { SubjectDocument } from '#shared/contracts/subject.ts'
import type { Template } from '#shared/contracts/template.ts'
import type { Refusal } from './refusal.ts'
import type { NumbersInOrder } from './signal-numbers.ts'

/** `at` is the instant that the input speaks of, ms since the epoch: see design, Order and time. `stampedAt` is the bus's time, as slots are. */
export type Input =
  | { kind: 'result'; subjectId: string; at: number; stampedAt: number; locationId: string; result: CheckResult }
  | { kind: 'command'; subjectId: string; at: number; command: Command }
  | { kind: 'deadline'; subjectId: string; at: number }

/** By kind of report, ms; null: silence counts. */
export type HeldSilence = Readonly<Record<ReportKind, number | null>>

export const nothingHeld: HeldSilence = { checks: null, pushed: null }

export type TemplateOf = (resource: Pick<SubjectDocument, 'id' | 'slug' | 'workspaceId' | 'template'>) => Template

/** What a step may know of the world; all of it passed in, so that a step can be repeated anywhere. */
export interface Surrounding {
  /** The keeper's clock, ms since the epoch: by it reminders are overdue and alerts are dated. */
  now: number
  /** Up to which instant silence counts while reports could not be taken, or may still be on their way. */
  held: HeldSilence
  /** The holds of monitors that name none themselves, ms. */
  confirmAfterMs: number
  closeAfterMs: number
  /** The revision that a Resource is bound to. Throws UnusableTemplate if nothing can be judged by it. */
  templateOf: TemplateOf
  /** Of a preview: nobody is told of anything, so no alert is made. */
  isUnannounced?: true
  /** What is stored of pushed observations, as far as this round's inputs speak of it. */
  stored: StoredReports
}

/** Where a series stands. */
export type NewestReport = Pick<SeriesDocument, 'rev' | 'observedAtUs'>

/** What the round has read before the step, kept up to date by what it steps. */
export interface StoredReports {
  /** The newest accepted observation of a set of labels; null: none. */
  series(id: string): NewestReport | null
  /** The newest sets of labels of the signals that a rule cites, where one is saved; else nothing. */
  seriesOf(subjectId: string): readonly SeriesDocument[]
  /** The observation of this identity; null: none. */
  pushed(id: string): PushedObservationDocument | null
  /** The place of the Observation with a sender's id, by `observationIdKey`; null: there is none. */
  place(key: string): ObservationIdDocument | null
  /** The newest Observations of a signal of which a Resource that is rebound counts more than before; else nothing. */
  newest(subjectId: string, signalKey: string): readonly PushedObservationDocument[]
  /** Earlier numbers of a signal, as far as a baseline may take them. */
  numbers(subjectId: string, signalKey: string): NumbersInOrder
}

/** nothing: the same subject. freshness: only how fresh its readings are. commit: the subject must be written. */
export type Change = 'nothing' | 'freshness' | 'commit'

export interface Step {
  subject: SubjectDocument | null
  change: Change
  observation: CheckObservationDocument | null
  /** What senders reported, to be stored before the subject is. Of several of one id the last counts. */
  pushed?: readonly PushedObservationDocument[]
  /** Places of those with a sender's id, to be stored before `pushed`. */
  places?: readonly ObservationIdDocument[]
  /** The newest of them that was accepted, of each series: to be stored after `pushed`. `rev` is that of what it replaces. */
  series?: readonly SeriesDocument[]
  reply: Reply | null
}

/** A subject that has taken in a report and is not judged yet, and the inputs that read it now. */
export interface Taken {
  subject: SubjectDocument
  inputs: readonly { ruleKey: string; input: PolicyInput }[]
}

/** What a command made of a subject, and its answer; or why it was refused, with nothing changed. */
export type Obeyed = { subject: SubjectDocument; result: unknown } | { refused: Refusal }
