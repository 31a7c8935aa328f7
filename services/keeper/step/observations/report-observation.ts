// Intake of a reported observation: stored by its identity, and judged if accepted (reference/custom-subjects 4.6 and 4.7). Pure: the
// context has the stored earlier reports.

import type { PushedObservationDocument, SeriesDocument } from '#shared/contracts/observations/observation.ts'
import type { CommandOf } from '#shared/contracts/subjects/command.ts'
import { inputsOf, type PolicyInput } from '#shared/contracts/subjects/policy.ts'
import type { CustomState, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import type { ObservationView, RejectReason } from '#shared/contracts/subjects/subject-views.ts'
import { inputKeyOf, selects } from '#shared/judging/policy-input.ts'
import { hour, limits } from '#shared/limits/limits.ts'
import { pushedRow } from '#shared/subjects/pushed-row.ts'
import { isOfGeneration2, signalsOf } from '#shared/subjects/subject-view.ts'
import { observationOfSeries, seriesId } from '#shared/text/ids.ts'
import { type Refusal, refusal } from '../commands/refusal.ts'
import { judgeReport } from '../judging/judge-subject.ts'
import type { NewestReport, StepContext, Taken } from '../types.ts'
import { isLater, observedOf } from './observed-input.ts'

export type Report = Omit<CommandOf<'report-observation'>, 'kind' | 'id'> & {
  observedAtUs: number
  /** True if the keeper stamped the report. After the clock was set back, a stamp may lie in the future. */
  isStampedHere: boolean
}

/** The subject after the report, with the row to store and, if the row is the newest, its series; or the reason why nothing is stored. */
export type Reported =
  | { subject: SubjectDocument; row: PushedObservationDocument; series: SeriesDocument | null; view: ObservationView }
  | { refused: Refusal }

/** `at`: present instant of the keeper, ms. Every report has an instant already. */
export function reportObservation(subject: SubjectDocument, report: Report, at: number, context: StepContext): Reported {
  const signal = subject.custom?.signals.filter(isOfGeneration2).find(candidate => candidate.slug === report.signal)
  if (signal === undefined) return { refused: refusalOf(subject, report) }
  const { observedAtUs } = report
  // Instants of senders are placed on the keeper's clock; the row keeps the instant that was sent (ADR 35).
  const placedUs = observedAtUs + (report.isStampedHere ? 0 : (context.aheadMs ?? 0) * 1_000)
  const series = seriesId(subject.id, signal.key, report.labels)
  const id = observationOfSeries(series, observedAtUs)
  const before = context.stored.pushed(id)
  const newest = context.stored.series(series)
  const skewUs = report.isStampedHere ? Number.POSITIVE_INFINITY : limits.intake.clockSkewMs * 1_000
  const rejectReason = before === null ? judgeIntake(placedUs, newest, at, skewUs) : (before.rejectReason ?? 'accepted')
  const view = observationView(report, rejectReason, at)
  const row = pushedRow(id, view, at + limits.retention.pushedMs)
  if (rejectReason !== 'accepted') return { subject, row, series: null, view }
  const { labels, status, value, error } = report
  return {
    ...accept(subject, { signalKey: signal.key, labels, observedAtUs: placedUs, status, value, error }, at, context),
    row,
    view,
  }
}

/** Judges an Observation of a signal that authored rules read. `series`: null if the observation's labels have a newer observation. */
export function accept(
  subject: SubjectDocument,
  report: Omit<Accepted, 'number'>,
  at: number,
  context: StepContext,
): { subject: SubjectDocument; series: SeriesDocument | null } {
  const accepted: Accepted = { ...report, number: (subject.custom?.accepted ?? 0) + 1 }
  const id = seriesId(subject.id, report.signalKey, report.labels)
  const newest = context.stored.series(id)
  const judged = judgeReport(subject, takeReport(subject, accepted), at, context)
  const isNewest = newest === null || newest.observedAtUs <= report.observedAtUs
  return { subject: judged, series: isNewest ? seriesOf(id, subject, accepted, newest, at) : null }
}

/** Returns the first reason that applies (reference/custom-subjects 4.6). `skewUs`: how far in the future the observation may lie, µs. */
export function judgeIntake(observedAtUs: number, newest: NewestReport | null, at: number, skewUs: number): RejectReason {
  const ageUs = at * 1_000 - observedAtUs
  if (-ageUs > skewUs) return 'clock_skew'
  if (ageUs > limits.retention.pushedMs * 1_000) return 'out_of_retention'
  if (ageUs > limits.intake.lateMs * 1_000) return 'late'
  return newest !== null && observedAtUs < newest.observedAtUs ? 'out_of_order' : 'accepted'
}

function refusalOf(subject: SubjectDocument, { signal }: Report): Refusal {
  return signalsOf(subject).some(candidate => candidate.slug === signal)
    ? refusal('forbidden', 'Signal does not accept posted observations', 'Website monitoring alone reports on this signal')
    : refusal('not_found', 'Signal not found', 'Signal does not exist or access denied')
}

export type Accepted = Pick<SeriesDocument, 'signalKey' | 'labels' | 'observedAtUs' | 'number' | 'status' | 'value' | 'error'>

/**
 * Adds an accepted report without a judgement: every input that selects the report reads it, unless the input has read a later report. The
 * subject must have custom state.
 */
export function takeReport(subject: SubjectDocument, report: Accepted): Taken {
  const custom = subject.custom as CustomState
  const signal = custom.signals.find(({ key }) => key === report.signalKey)
  let { observed } = custom
  const inputs: { ruleKey: string; input: PolicyInput }[] = []
  for (const { key: ruleKey, policy } of subject.rules) {
    for (const input of inputsOf(policy)) {
      if (input.signal !== signal?.slug || !selects(input.match, report.labels)) continue
      const key = inputKeyOf(ruleKey, input)
      const known = observed[key]
      if (known !== undefined && isLater(report, known))
        observed = { ...observed, [key]: { addedAt: known.addedAt, ...observedOf(report) } }
      // Inputs that differ only in their bounds share one key, so an earlier pass of this loop may have given them the report.
      if (observed[key] !== custom.observed[key]) inputs.push({ ruleKey, input })
    }
  }
  const accepted = Math.max(custom.accepted ?? 0, report.number)
  return { subject: { ...subject, custom: { ...custom, accepted, observed } }, inputs }
}

function seriesOf(
  id: string,
  subject: SubjectDocument,
  accepted: Accepted,
  newest: NewestReport | null,
  at: number,
): SeriesDocument {
  // Rounded up to whole hours, so that `expireAt` seldom changes.
  const expireAt = Math.ceil((at + limits.retention.pushedMs) / hour) * hour
  const place = { id, rev: newest?.rev ?? 0, writer: '', subjectId: subject.id }
  return { ...place, ...accepted, expireAt, judgedAt: at, subjectRev: subject.rev }
}

const observationView = (report: Report, rejectReason: RejectReason, at: number): ObservationView => ({
  observedAtUs: report.observedAtUs,
  receivedAtUs: at * 1_000,
  status: report.status,
  value: report.value,
  error: report.error,
  labels: report.labels,
  accepted: rejectReason === 'accepted',
  rejectReason,
})
