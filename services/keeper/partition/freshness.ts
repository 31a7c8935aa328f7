// Readings newer than the stored document of a subject: collected for the checkpoint, and merged when the document is read again. Pure.
import type { Freshness, FreshReading } from '#shared/contracts/observations/freshness.ts'
import type { SeriesDocument } from '#shared/contracts/observations/observation.ts'
import type { Reading, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { ownMember } from '#shared/text/own-member.ts'
import { changeBetween } from '../step/change.ts'
import { judgeSubject } from '../step/judging/judge-subject.ts'
import { takeReport } from '../step/observations/report-observation.ts'
import type { Change, StepContext } from '../step/types.ts'

/** Returns the newer readings of a subject for the checkpoint, without locations that have no report. */
export function freshnessOf({ id, rev, judgedAt, dueAt, readings }: SubjectDocument): Freshness {
  const fresh: FreshReading[] = []
  for (const [locationId, { slotAt, at, ok, statusCode, totalMs, error, isPushed }] of Object.entries(readings)) {
    if (slotAt === null || at === null) continue
    const report = [locationId, slotAt, at, ok ? 1 : 0, statusCode, totalMs, error] as const
    fresh.push(isPushed ? [...report, 1] : report)
  }
  return [id, rev, judgedAt, dueAt, fresh]
}

/** Returns whether the subject is deleted or archived, so that reports no longer change it. */
const isOver = ({ deletedAt, archivedAt }: SubjectDocument): boolean => deletedAt !== null || archivedAt !== null

export interface Merged {
  subject: SubjectDocument
  /** `commit`: the newer readings change the state in the document, so the subject must be written before the checkpoint moves. */
  change: Change
}

/**
 * Returns the subject with its readings replaced by newer readings, if the freshness has any. If the stored subject has another revision
 * than the freshness, the subject is judged again, because its last judgement may have lacked these readings. Ignores reports of removed
 * locations, and reports from before their location was added.
 */
export function mergeNewer(subject: SubjectDocument, freshness: Freshness, context: StepContext): Merged {
  if (isOver(subject)) return { subject, change: 'nothing' }
  const [, rev, judgedAt, dueAt, fresh] = freshness
  const readings = { ...subject.readings }
  let newer = false
  for (const report of fresh) {
    const [locationId, slotAt, at] = report
    const stored = readings[locationId]
    if (stored === undefined || slotAt <= (stored.slotAt ?? 0) || at < stored.addedAt) continue
    // If the bus's clock was set back between two reports, the earlier report may have the later slot.
    if (rev !== subject.rev && at < (stored.at ?? 0)) continue
    readings[locationId] = readingOf(report, stored.addedAt)
    newer = true
  }
  if (rev === subject.rev) return { subject: { ...subject, readings, judgedAt, dueAt }, change: 'freshness' }
  if (!newer) return { subject, change: 'nothing' }
  const judged = judgeSubject({ ...subject, readings }, subject.judgedAt, context)
  return { subject: judged, change: judged.rules === subject.rules ? 'freshness' : 'commit' }
}

/**
 * Merges the series of senders' reports that a keeper has accepted. A reading that a series changes may not be committed yet. So the subject
 * is then judged at the latest of its own `judgedAt` and those of the series.
 */
export function mergeNewerSeries({ subject, change }: Merged, series: readonly SeriesDocument[], context: StepContext): Merged {
  const { custom } = subject
  if (custom === null || isOver(subject) || series.length === 0) return { subject, change }
  const laid = series.reduce(takeSeries, subject)
  if (laid.custom?.observed === custom.observed && laid.templated === subject.templated) return { subject: laid, change }
  const at = series.reduce((latest, { judgedAt }) => Math.max(latest, judgedAt), subject.judgedAt)
  const judged = judgeSubject(laid, at, context)
  return { subject: judged, change: change === 'commit' ? change : changeBetween(subject, judged) }
}

/**
 * Merges the series of senders' reports without a judgement. Call it if judging failed. The subject is due at once, so that it is judged as
 * soon as possible.
 */
export function mergeUnjudged(subject: SubjectDocument, series: readonly SeriesDocument[]): SubjectDocument {
  if (subject.custom === null || isOver(subject) || series.length === 0) return subject
  const laid = series.reduce(takeSeries, subject)
  const at = series.reduce((latest, { judgedAt }) => Math.max(latest, judgedAt), subject.judgedAt)
  return { ...laid, dueAt: Math.min(laid.dueAt ?? at, at) }
}

/**
 * Merges a series into the document. A Resource's signal is replaced as a whole if the series has newer reports. A series made for another
 * revision may lack Observations that the present rules need: of such a series, only the report count is merged
 * (`loading/load-subjects.ts`).
 */
function takeSeries(subject: SubjectDocument, series: SeriesDocument): SubjectDocument {
  const { custom, templated } = subject
  if (series.heard === undefined || custom === null || templated === null) return takeReport(subject, series).subject
  const signal = custom.signals.find(({ key }) => key === series.signalKey)
  if (signal === undefined) return subject
  const { number } = series
  const known = ownMember(templated.heard, signal.slug)?.recent ?? []
  if (known.some(observation => observation.number >= number)) return subject
  const counted = { ...subject, custom: { ...custom, accepted: Math.max(custom.accepted ?? 0, number) } }
  if (series.template !== subject.template) return counted
  return { ...counted, templated: { ...templated, heard: { ...templated.heard, [signal.slug]: series.heard } } }
}

const readingOf = ([, slotAt, at, ok, statusCode, totalMs, error, isPushed]: FreshReading, addedAt: number): Reading => ({
  addedAt,
  slotAt,
  at,
  ok: ok === 1,
  error,
  statusCode,
  totalMs,
  ...(isPushed ? { isPushed: true } : {}),
})
