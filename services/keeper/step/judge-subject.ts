// Judges a subject at an instant: its rules over its readings, its incidents over its verdicts, and its next deadline. Pure.

import type { ReportKind, SilenceAt } from '#shared/contracts/silence.ts'
import type { RuleState, RuleVerdict, SubjectDocument } from '#shared/contracts/subject.ts'
import type { Verdict } from '#shared/contracts/verdict.ts'
import { readPolicyInput } from '#shared/judging/judge-policy.ts'
import type { Judgement } from '#shared/judging/judgement.ts'
import { inJudgingOrder } from '#shared/judging/rule-order.ts'
import { second } from '#shared/limits.ts'
import { holdsOf as templateHolds } from '#shared/manifest/answers.ts'
import { driveIncident, type Holds, movesHold, movesIncident } from './drive-incident.ts'
import { endWindow, windowEndOf } from './drive-window.ts'
import { factsOf, judgeRule } from './judge-rule.ts'
import { templateRuleOf } from './template-rule.ts'
import type { HeldSilence, Surrounding, Taken, TemplateOf } from './types.ts'
import { templateFault, unjudged } from './unusable-template.ts'

/** The subject as judged at `at` (never before what was judged already), with `dueAt` the next instant that matters. */
export function judgeSubject(subject: SubjectDocument, at: number, surrounding: Surrounding): SubjectDocument {
  const judgedAt = Math.max(at, subject.judgedAt)
  const silenceTo = silenceAt(subject, judgedAt, surrounding)
  let next: SubjectDocument = endWindow({ ...subject, judgedAt, silenceTo, faulty: null }, judgedAt)
  let nextAt: number | null = windowEndOf(next)
  let laterAt: number | null = null
  const doubts = isHeld(silenceTo, judgedAt) ? createDoubts(judgedAt, silenceTo, surrounding.templateOf) : null
  for (const { key } of rulesInOrder(subject)) {
    const rule = ruleOf(next, key)
    const judgement = judgeRule(next, rule, judgedAt, silenceTo, surrounding.templateOf)
    const isDoubtful = judgement.isProvisional ?? doubts?.(next, rule, judgement.verdict) ?? false
    next = applyJudgement(next, key, { judgement, isDoubtful, at: judgedAt, surrounding })
    nextAt = earlier(earlier(nextAt, judgement.nextAt), incidentDueAt(next, key, judgedAt, isDoubtful))
    laterAt = earlier(laterAt, judgement.laterAt ?? null)
  }
  return withDue(next, judgedAt, nextAt, laterAt)
}

/** A silence that is held back stays due, and what comes behind it must not be forgotten: holds stand still from there on (v3 4.11). */
function withDue(
  { laterAt: _, ...subject }: SubjectDocument,
  judgedAt: number,
  dueAt: number | null,
  laterAt: number | null,
): SubjectDocument {
  const isLeft = dueAt !== null && dueAt <= judgedAt && laterAt !== null
  return isLeft ? { ...subject, dueAt, laterAt } : { ...subject, dueAt }
}

const silenceUpTo = (at: number): SilenceAt => ({ checks: at, pushed: at })

/** Whether silence is held back that has begun by `at`. */
const isHeld = (to: SilenceAt, at: number): boolean => to.checks < at || to.pushed < at

/**
 * Asked of each rule in judging order: whether its verdict rests on silence that is held back. An ok does where counting all silence would make
 * it another verdict; no data does where counting none of it would. Rules that it cites say in either case what they would say then.
 */
function createDoubts(at: number, { checks, pushed }: SilenceAt, templateOf: TemplateOf) {
  const uncounted = (to: number) => (to < at ? Number.NEGATIVE_INFINITY : at)
  const allCounts = { to: silenceUpTo(at), said: new Map<string, Verdict>() }
  const noneCounts = { to: { checks: uncounted(checks), pushed: uncounted(pushed) }, said: new Map<string, Verdict>() }
  return (subject: SubjectDocument, rule: RuleState, verdict: Verdict): boolean => {
    for (const { to, said } of [allCounts, noneCounts])
      said.set(rule.slug, judgeRule(subject, rule, at, to, templateOf, said).verdict)
    if (verdict === 'ok') return allCounts.said.get(rule.slug) !== 'ok'
    return verdict === 'no_data' && noneCounts.said.get(rule.slug) !== 'no_data'
  }
}

/**
 * The same of a subject that has just taken in a report, and was `before` without it: what was due by then is passed already. Where no input
 * reads another value, or is one that was not heard in time, there is nothing to judge, and `dueAt` stays, a lower bound.
 */
export function judgeReport(
  before: SubjectDocument,
  { subject, inputs }: Taken,
  at: number,
  surrounding: Surrounding,
): SubjectDocument {
  const judgedAt = Math.max(at, subject.judgedAt)
  const silenceTo = silenceAt(subject, judgedAt, surrounding)
  const readsAlike = ({ ruleKey, input }: Taken['inputs'][number]) => {
    const read = (one: SubjectDocument, to: SilenceAt) => readPolicyInput(input, factsOf(one, ruleKey, input, judgedAt), to)
    const isAlike = (to: SilenceAt) => {
      const [was, is] = [read(before, to), read(subject, to)]
      return was.value === is.value && was.young === is.young
    }
    return isAlike(silenceTo) && (!isHeld(silenceTo, judgedAt) || isAlike(silenceUpTo(judgedAt)))
  }
  return inputs.every(readsAlike) ? { ...subject, judgedAt, silenceTo } : judgeSubject(subject, at, surrounding)
}

/**
 * What a rule of the subject says at `at`, with nothing changed by it; rules that it cites count as they were last judged. Of a missing or damaged
 * Template it says that it is not judged.
 */
export function judge(subject: SubjectDocument, rule: RuleState, at: number, surrounding: Surrounding): Judgement {
  const fault = templateFault(subject, surrounding.templateOf)
  if (fault !== null) return unjudged(subject, fault)
  return judgeRule(subject, rule, at, silenceAt(subject, at, surrounding), surrounding.templateOf)
}

/**
 * The same, with whether the verdict rests on silence that is held back, so that no hold comes to its end. Throws if the subject has no rule
 * of this key.
 */
export function judgeWithDoubt(
  subject: SubjectDocument,
  key: string,
  at: number,
  surrounding: Surrounding,
): { judgement: Judgement; isDoubtful: boolean } {
  const fault = templateFault(subject, surrounding.templateOf)
  if (fault !== null) return { judgement: unjudged(subject, fault), isDoubtful: false }
  const silenceTo = silenceAt(subject, at, surrounding)
  const doubts = isHeld(silenceTo, at) ? createDoubts(at, silenceTo, surrounding.templateOf) : null
  for (const rule of rulesInOrder(subject)) {
    const judgement = judgeRule(subject, rule, at, silenceTo, surrounding.templateOf)
    const isDoubtful = judgement.isProvisional ?? doubts?.(subject, rule, judgement.verdict) ?? false
    if (rule.key === key) return { judgement, isDoubtful }
  }
  throw new Error(`subject ${subject.id} has no rule ${key}`)
}

/** The instants up to which silence counts. What was called silent already stays so, however early silence is held now. */
function silenceAt({ silenceTo }: SubjectDocument, at: number, { held }: Surrounding): SilenceAt {
  return { checks: countsTo('checks', silenceTo, at, held), pushed: countsTo('pushed', silenceTo, at, held) }
}

function countsTo(kind: ReportKind, counted: SilenceAt | undefined, at: number, held: HeldSilence): number {
  const heldAt = held[kind]
  return heldAt === null ? at : Math.max(Math.min(at, heldAt), counted?.[kind] ?? Number.NEGATIVE_INFINITY)
}

/** Whether a deadline may be due by `at`: `dueAt` is a lower bound, so a judgement may find nothing due yet. */
export function isDueBy(subject: SubjectDocument, at: number): boolean {
  return subject.dueAt !== null && subject.dueAt <= at
}

/** No saved policy makes a circle; a stored one that does all the same is judged in its own order. */
const rulesInOrder = ({ rules }: SubjectDocument) => (rules.length < 2 ? rules : (inJudgingOrder(rules) ?? rules))

const ruleOf = (subject: SubjectDocument, key: string) => subject.rules.find(rule => rule.key === key) as RuleState

/**
 * A deadline that has passed and moved nothing waits for a judgement that says something: time alone does nothing for it. But for silence that
 * is held back: it counts one day, and what was silent before has no instant of its own any more.
 */
function incidentDueAt(subject: SubjectDocument, key: string, judgedAt: number, isDoubtful: boolean): number | null {
  const deadlineAt = ruleOf(subject, key).incident?.context.deadlineAt ?? null
  return deadlineAt !== null && (deadlineAt > judgedAt || isDoubtful) ? deadlineAt : null
}

interface Judged {
  judgement: Judgement
  isDoubtful: boolean
  at: number
  surrounding: Surrounding
}

function applyJudgement(subject: SubjectDocument, key: string, judged: Judged): SubjectDocument {
  const { judgement, at, surrounding } = judged
  const rule = ruleOf(subject, key)
  const isSame = rule.verdict !== null && isSameVerdict(rule.verdict, judgement)
  const unchanged = isSame && !movesHold(rule, judged) && !movesIncident(rule, judged)
  const incidentDeadlineAt = rule.incident?.context.deadlineAt ?? null
  const isIncidentDue = incidentDeadlineAt !== null && incidentDeadlineAt <= at
  const holds = holdsOf(subject, rule, surrounding)
  if (unchanged && !isIncidentDue && hasHolds(rule, holds)) return subject
  return driveIncident({ ...judged, subject, rule: { ...rule, verdict: verdictOf(rule, judgement, at) } }, holds)
}

/** A judgement at `at` as its rule records it. `since` stays while it reads the same: a first report changes the status of unknown alone (v3 4.8). */
export function verdictOf(rule: RuleState, judgement: Judgement, at: number): RuleVerdict {
  const { verdict, explanation, evidence, isHeard } = judgement
  const isSame = rule.verdict?.verdict === verdict && (verdict !== 'not_judged' || rule.verdict.isHeard === isHeard)
  const since = isSame && rule.verdict !== null ? rule.verdict.since : at
  return { verdict, since, explanation, evidence, ...(isHeard === undefined ? {} : { isHeard }) }
}

/** A saved policy's or a Template's own; a monitor's where it names them, else the keeper's setting. */
function holdsOf(subject: SubjectDocument, rule: RuleState, surrounding: Surrounding): Holds {
  const declared = templateRuleOf(subject, rule, surrounding.templateOf)
  if (declared !== null) return templateHolds(declared, subject.templated?.answers ?? {})
  const { check } = subject
  const { policy } = rule
  if (policy.language === 'inputs') {
    const { confirmAfterMs, closeAfterMs } = policy.document
    return { confirmAfterMs, closeAfterMs }
  }
  return {
    confirmAfterMs: check?.confirm_after == null ? surrounding.confirmAfterMs : check.confirm_after * second,
    closeAfterMs: check?.recover_after == null ? surrounding.closeAfterMs : check.recover_after * second,
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
    stored.isHeard === judgement.isHeard &&
    before.length === after.length &&
    after.every((input, i) => input.input === before[i]?.input && input.value === before[i]?.value)
  )
}

function earlier(one: number | null, other: number | null): number | null {
  if (one === null) return other
  return other === null ? one : Math.min(one, other)
}
