// Judges a subject at an instant: its rules over its readings, its incidents over its verdicts, and its next deadline. Pure.
import type { RuleState, RuleVerdict, SubjectDocument } from '#shared/contracts/subject.ts'
import { type Judgement, judgeReachability } from '#shared/judging/judge-reachability.ts'
import { second } from '#shared/limits.ts'
import { driveIncident, type Holds } from './drive-incident.ts'
import type { Surrounding } from './types.ts'

/** The subject as judged at `at` (never before what was judged already), with `dueAt` the next instant that matters. */
export function judgeSubject(subject: SubjectDocument, at: number, surrounding: Surrounding): SubjectDocument {
  const judgedAt = Math.max(at, subject.judgedAt)
  let next: SubjectDocument = { ...subject, judgedAt }
  let nextAt: number | null = null
  for (const { key } of subject.rules) {
    const judgement = judge(next, judgedAt, surrounding)
    next = applyJudgement(next, key, judgement, judgedAt, surrounding)
    nextAt = earlier(earlier(nextAt, judgement.nextAt), incidentDueAt(next, key, judgedAt))
  }
  return { ...next, dueAt: nextAt }
}

/** A deadline that has passed and moved nothing waits for a judgement that says something: time alone does nothing for it. */
function incidentDueAt(subject: SubjectDocument, key: string, judgedAt: number): number | null {
  const deadlineAt = subject.rules.find(rule => rule.key === key)?.incident?.context.deadlineAt ?? null
  return deadlineAt !== null && deadlineAt > judgedAt ? deadlineAt : null
}

/** What the subject's rule says at `at`, with nothing changed by it. */
export function judge(subject: SubjectDocument, at: number, surrounding: Surrounding): Judgement {
  const silenceAt = surrounding.silenceHeldAt === null ? at : Math.min(at, surrounding.silenceHeldAt)
  return judgeReachability(subject.meta, subject.readings, at, silenceAt)
}

/** Whether a judgement at `at` would change anything but the freshness of readings: a deadline, or another value of an input. */
export function isDueBy(subject: SubjectDocument, at: number): boolean {
  return subject.dueAt !== null && subject.dueAt <= at
}

function applyJudgement(
  subject: SubjectDocument,
  key: string,
  judgement: Judgement,
  at: number,
  surrounding: Surrounding,
): SubjectDocument {
  const rule = subject.rules.find(candidate => candidate.key === key) as RuleState
  const unchanged = rule.verdict !== null && isSameVerdict(rule.verdict, judgement)
  const incidentDeadlineAt = rule.incident?.context.deadlineAt ?? null
  const isIncidentDue = incidentDeadlineAt !== null && incidentDeadlineAt <= at
  const holds = holdsOf(subject, surrounding)
  if (unchanged && !isIncidentDue && hasHolds(rule, holds)) return subject
  const since = rule.verdict?.verdict === judgement.verdict ? rule.verdict.since : at
  const { verdict, explanation, evidence } = judgement
  const judged = { ...rule, verdict: { verdict, since, explanation, evidence } }
  return driveIncident({ subject, rule: judged, judgement, at, surrounding }, holds)
}

function holdsOf({ meta }: SubjectDocument, surrounding: Surrounding): Holds {
  return {
    confirmAfterMs: meta.confirm_after === null ? surrounding.confirmAfterMs : meta.confirm_after * second,
    closeAfterMs: meta.recover_after === null ? surrounding.closeAfterMs : meta.recover_after * second,
  }
}

function hasHolds(rule: RuleState, holds: Holds): boolean {
  const context = rule.incident?.context
  return context === undefined || (context.confirmAfterMs === holds.confirmAfterMs && context.closeAfterMs === holds.closeAfterMs)
}

/** Evidence counts by what its inputs read, not by how fresh that is. */
function isSameVerdict(stored: RuleVerdict, judgement: Judgement): boolean {
  const before = stored.evidence.inputs
  const after = judgement.evidence.inputs
  return (
    stored.verdict === judgement.verdict &&
    before.length === after.length &&
    after.every((input, i) => input.input === before[i]?.input && input.value === before[i]?.value)
  )
}

function earlier(one: number | null, other: number | null): number | null {
  if (one === null) return other
  return other === null ? one : Math.min(one, other)
}
