// How fresh the readings of a subject are, apart from its document: those of checks are taken from memory for the checkpoint, those of
// senders are its series; both are laid over the document when that is read again. Pure.
import type { Freshness, FreshReading } from '#shared/contracts/freshness.ts'
import type { SeriesDocument } from '#shared/contracts/observation.ts'
import type { Reading, SubjectDocument } from '#shared/contracts/subject.ts'
import { ownMember } from '#shared/own-member.ts'
import { changeBetween } from './step/change.ts'
import { judgeSubject } from './step/judge-subject.ts'
import { takeReport } from './step/report-observation.ts'
import type { Change, Surrounding } from './step/types.ts'

/** How fresh a subject's readings are, for the checkpoint; locations without a report are left out. */
export function freshnessOf({ id, rev, judgedAt, dueAt, readings }: SubjectDocument): Freshness {
  const fresh: FreshReading[] = []
  for (const [locationId, { slotAt, at, ok, statusCode, totalMs, error, isPushed }] of Object.entries(readings)) {
    if (slotAt === null || at === null) continue
    const report = [locationId, slotAt, at, ok ? 1 : 0, statusCode, totalMs, error] as const
    fresh.push(isPushed ? [...report, 1] : report)
  }
  return [id, rev, judgedAt, dueAt, fresh]
}

/** Nothing that was reported moves it any more. */
const isOver = ({ deletedAt, archivedAt }: SubjectDocument): boolean => deletedAt !== null || archivedAt !== null

export interface LaidOver {
  subject: SubjectDocument
  /** commit: the newer readings change what the document says, so it must be written before the checkpoint moves. */
  change: Change
}

/**
 * The subject with the newer readings. A document that was replaced since may have been judged without them: it is judged again.
 * Reports from before a location became part of the subject, and from one that it no longer has, are none of its readings.
 */
export function layOver(subject: SubjectDocument, freshness: Freshness, surrounding: Surrounding): LaidOver {
  if (isOver(subject)) return { subject, change: 'nothing' }
  const [, rev, judgedAt, dueAt, fresh] = freshness
  const readings = { ...subject.readings }
  let newer = false
  for (const report of fresh) {
    const [locationId, slotAt, at] = report
    const stored = readings[locationId]
    if (stored === undefined || slotAt <= (stored.slotAt ?? 0) || at < stored.addedAt) continue
    // Its slot may be the later one though it is the earlier report: the bus's clock was set back between them.
    if (rev !== subject.rev && at < (stored.at ?? 0)) continue
    readings[locationId] = readingOf(report, stored.addedAt)
    newer = true
  }
  if (rev === subject.rev) return { subject: { ...subject, readings, judgedAt, dueAt }, change: 'freshness' }
  if (!newer) return { subject, change: 'nothing' }
  const judged = judgeSubject({ ...subject, readings }, subject.judgedAt, surrounding)
  return { subject: judged, change: judged.rules === subject.rules ? 'freshness' : 'commit' }
}

/**
 * The same with what senders reported, each as its keeper took it. Where that says something new, nobody came to commit it: it is judged
 * at the instant at which it would have been.
 */
export function layOverSeries(
  { subject, change }: LaidOver,
  series: readonly SeriesDocument[],
  surrounding: Surrounding,
): LaidOver {
  const { custom } = subject
  if (custom === null || isOver(subject) || series.length === 0) return { subject, change }
  const laid = series.reduce(takeSeries, subject)
  if (laid.custom?.observed === custom.observed && laid.templated === subject.templated) return { subject: laid, change }
  const at = series.reduce((latest, { judgedAt }) => Math.max(latest, judgedAt), subject.judgedAt)
  const judged = judgeSubject(laid, at, surrounding)
  return { subject: judged, change: change === 'commit' ? change : changeBetween(subject, judged) }
}

/**
 * The subject with what senders reported, not judged: it could not be. It is due at once, so that it is judged as soon as it can be.
 */
export function layUnjudged(subject: SubjectDocument, series: readonly SeriesDocument[]): SubjectDocument {
  if (subject.custom === null || isOver(subject) || series.length === 0) return subject
  const laid = series.reduce(takeSeries, subject)
  const at = series.reduce((latest, { judgedAt }) => Math.max(latest, judgedAt), subject.judgedAt)
  return { ...laid, dueAt: Math.min(laid.dueAt ?? at, at) }
}

/**
 * Of a Resource's signal it is taken whole, where it has heard what the document has not. One that was heard for the rules of another revision lacks
 * what the present ones look at: of it only the number counts (`hear-anew.ts`).
 */
function takeSeries(subject: SubjectDocument, series: SeriesDocument): SubjectDocument {
  const { custom, templated } = subject
  if (series.heard === undefined || custom === null || templated === null) return takeReport(subject, series).subject
  const signal = custom.signals.find(({ key }) => key === series.signalKey)
  if (signal === undefined) return subject
  const number = series.number ?? 0
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
