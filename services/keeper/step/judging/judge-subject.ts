// Judges a subject at an instant: its rules read its readings, its incidents follow the verdicts, and its next deadline is computed. Pure.

import type { IncidentCause } from '#shared/contracts/incidents/incident.ts'
import type { ReportKind, SilenceAt } from '#shared/contracts/observations/silence.ts'
import { inputsOf } from '#shared/contracts/subjects/policy.ts'
import type { RuleState, RuleVerdict, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import type { Verdict } from '#shared/contracts/subjects/verdict.ts'
import { causeAfter } from '#shared/judging/incident-cause.ts'
import { readPolicyInput } from '#shared/judging/judge-policy.ts'
import type { Judgement } from '#shared/judging/judgement.ts'
import { inJudgingOrder, inputKeyOf } from '#shared/judging/policy-input.ts'
import { limits, second } from '#shared/limits/limits.ts'
import { holdsOf as templateHolds } from '#shared/manifest/answers.ts'
import { driveIncident, type Holds } from '../incidents/drive-incident.ts'
import { endWindow, windowEndOf } from '../incidents/drive-window.ts'
import { movesHold, movesIncident } from '../incidents/verdict-moves.ts'
import type { HeldSilence, StepContext, Taken, TemplateOf } from '../types.ts'
import { factsOf, judgeRule } from './judge-rule.ts'
import { templateFault, templateRuleOf, unjudged } from './resource-template.ts'

/**
 * Returns the subject as judged at `at`, or at its last judgement if that is later. `dueAt` is the next instant that can change a result.
 */
export function judgeSubject(subject: SubjectDocument, at: number, context: StepContext): SubjectDocument {
  const judgedAt = Math.max(at, subject.judgedAt)
  const silenceTo = silenceAt(subject, judgedAt, context)
  let next: SubjectDocument = endWindow({ ...subject, judgedAt, silenceTo, faulty: null }, judgedAt)
  let nextAt: number | null = windowEndOf(next)
  let laterAt: number | null = null
  const restsOnHeldSilence = isHeld(silenceTo, judgedAt) ? createProvisionalCheck(judgedAt, silenceTo, context.templateOf) : null
  for (const { key } of rulesInOrder(subject)) {
    const rule = ruleOf(next, key)
    const judgement = judgeRule(next, rule, judgedAt, silenceTo, context.templateOf)
    const isProvisional = judgement.isProvisional ?? restsOnHeldSilence?.(next, rule, judgement.verdict) ?? false
    next = applyJudgement(next, key, { judgement, isProvisional, at: judgedAt, context })
    nextAt = earlier(earlier(nextAt, judgement.nextAt), incidentDueAt(next, key, judgedAt, isProvisional))
    laterAt = earlier(laterAt, judgement.laterAt ?? null)
  }
  return withDue(next, judgedAt, nextAt, laterAt)
}

/**
 * Returns the subject with its next deadlines. The deadline of a silence that is held back stays in `dueAt`. The next deadline after it
 * goes into `laterAt`, because delays pause from then on (v3 4.11).
 */
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

/** Returns whether silence that began at `at` or before may be held back. */
const isHeld = (to: SilenceAt, at: number): boolean => to.checks < at || to.pushed < at

/**
 * Returns a function that checks whether the verdict of a rule is provisional. The function must be called for each rule in judging order.
 * An `ok` is provisional if it would change with all silence counted. A `no_data` is provisional if it would change with no silence
 * counted. Cited rules are judged under the same assumption.
 */
function createProvisionalCheck(at: number, { checks, pushed }: SilenceAt, templateOf: TemplateOf) {
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
 * Judges a subject that has just accepted a report. `before`: the subject without the report. All deadlines before the report have been
 * handled. If no input's value changes and no input is silent, nothing is judged, and `dueAt` stays as a lower bound.
 */
export function judgeReport(
  before: SubjectDocument,
  { subject, inputs }: Taken,
  at: number,
  context: StepContext,
): SubjectDocument {
  const judgedAt = Math.max(at, subject.judgedAt)
  const silenceTo = silenceAt(subject, judgedAt, context)
  const readsAlike = ({ ruleKey, input }: Taken['inputs'][number]) => {
    const read = (one: SubjectDocument, to: SilenceAt) => readPolicyInput(input, factsOf(one, ruleKey, input, judgedAt), to)
    const isAlike = (to: SilenceAt) => {
      const [was, is] = [read(before, to), read(subject, to)]
      return was.value === is.value && was.young === is.young && (is.value !== true || !saysAnother(subject, { ruleKey, input }))
    }
    return isAlike(silenceTo) && (!isHeld(silenceTo, judgedAt) || isAlike(silenceUpTo(judgedAt)))
  }
  return inputs.every(readsAlike) ? { ...subject, judgedAt, silenceTo } : judgeSubject(subject, at, context)
}

/** Returns whether the sender's own reason is another than the recorded one: it may be the cause of the rule's open incident. */
function saysAnother(subject: SubjectDocument, { ruleKey, input }: Taken['inputs'][number]): boolean {
  const { incident, policy, verdict } = ruleOf(subject, ruleKey)
  const error = subject.custom?.observed[inputKeyOf(ruleKey, input)]?.error ?? null
  if (incident === null || error === null) return false
  const place = inputsOf(policy).findIndex(one => inputKeyOf(ruleKey, one) === inputKeyOf(ruleKey, input))
  return verdict?.evidence.inputs[place]?.reason !== error
}

/**
 * Returns the verdict of a rule of the subject at `at`, and changes nothing. Cited rules count with their last verdict. If the Template is
 * missing or damaged, the verdict is `not_judged`.
 */
export function judge(subject: SubjectDocument, rule: RuleState, at: number, context: StepContext): Judgement {
  const fault = templateFault(subject, context.templateOf)
  if (fault !== null) return unjudged(subject, fault)
  return judgeRule(subject, rule, at, silenceAt(subject, at, context), context.templateOf)
}

/**
 * Like `judge`, and also returns whether the verdict is provisional: a provisional verdict ends no delay. Throws if the subject has no rule
 * of this key.
 */
export function judgeProvisionally(
  subject: SubjectDocument,
  key: string,
  at: number,
  context: StepContext,
): { judgement: Judgement; isProvisional: boolean } {
  const fault = templateFault(subject, context.templateOf)
  if (fault !== null) return { judgement: unjudged(subject, fault), isProvisional: false }
  const silenceTo = silenceAt(subject, at, context)
  const restsOnHeldSilence = isHeld(silenceTo, at) ? createProvisionalCheck(at, silenceTo, context.templateOf) : null
  for (const rule of rulesInOrder(subject)) {
    const judgement = judgeRule(subject, rule, at, silenceTo, context.templateOf)
    const isProvisional = judgement.isProvisional ?? restsOnHeldSilence?.(subject, rule, judgement.verdict) ?? false
    if (rule.key === key) return { judgement, isProvisional }
  }
  throw new Error(`subject ${subject.id} has no rule ${key}`)
}

/**
 * Returns the instants up to which silence counts. An input that was judged silent stays silent, even if silence is now held back from an
 * earlier instant.
 */
function silenceAt(subject: SubjectDocument, at: number, { held, now }: StepContext): SilenceAt {
  const counted = (kind: ReportKind, heldAt: number | null) =>
    heldAt === null ? at : Math.max(Math.min(at, heldAt), subject.silenceTo?.[kind] ?? Number.NEGATIVE_INFINITY)
  return { checks: counted('checks', held.checks), pushed: counted('pushed', pushedHeldAt(subject, held, now)) }
}

/**
 * Returns the instant up to which silence of senders counts; null: all. A sender that lost its next report in the first outage has an interval
 * of at most the time from its last report to the end of that outage. If it lost one in each, it reports after as many intervals and one more.
 */
function pushedHeldAt(subject: SubjectDocument, { pushed, missed }: HeldSilence, now: number): number | null {
  if (missed === undefined) return pushed
  const { since, until, count, to } = missed
  const mayReport = (last: number) => last < since && now < last + (count + 1) * (until - last)
  return lastReportOfEach(subject).some(mayReport) ? Math.min(to, pushed ?? Number.POSITIVE_INFINITY) : pushed
}

/** Returns the instant of the newest report of each input, ms; of an input that never reported, the instant at which it was added. */
function lastReportOfEach({ custom, templated }: SubjectDocument): number[] {
  const observed = Object.values(custom?.observed ?? {}).map(({ observedAtUs, addedAt }) =>
    observedAtUs === null ? addedAt : observedAtUs / 1_000,
  )
  const heard = Object.values(templated?.heard ?? {}).map(({ recent: [newest] }) => (newest?.atUs ?? 0) / 1_000)
  return [...observed, ...heard]
}

/** Returns whether a deadline may be due by `at`. `dueAt` is a lower bound, so a judgement may find no deadline due. */
export function isDueBy(subject: SubjectDocument, at: number): boolean {
  return subject.dueAt !== null && subject.dueAt <= at
}

/** Returns the rules in judging order. If stored rules cite each other in a circle, which saving refuses, they keep the stored order. */
const rulesInOrder = ({ rules }: SubjectDocument) => (rules.length < 2 ? rules : (inJudgingOrder(rules) ?? rules))

const ruleOf = (subject: SubjectDocument, key: string) => subject.rules.find(rule => rule.key === key) as RuleState

/**
 * Returns the next deadline of the rule's incident. A deadline that passed without effect is omitted: from then on, only a report or a
 * command can change the incident. While the verdict is provisional, the deadline stays.
 */
function incidentDueAt(subject: SubjectDocument, key: string, judgedAt: number, isProvisional: boolean): number | null {
  const deadlineAt = ruleOf(subject, key).incident?.context.deadlineAt ?? null
  return deadlineAt !== null && (deadlineAt > judgedAt || isProvisional) ? deadlineAt : null
}

interface Judged {
  judgement: Judgement
  isProvisional: boolean
  at: number
  context: StepContext
}

function applyJudgement(subject: SubjectDocument, key: string, judged: Judged): SubjectDocument {
  const { judgement, at, context } = judged
  const rule = ruleOf(subject, key)
  const isSame = rule.verdict !== null && isSameVerdict(rule.verdict, judgement)
  const unchanged = isSame && !movesHold(rule, judged) && !movesIncident(rule, judged)
  const incidentDeadlineAt = rule.incident?.context.deadlineAt ?? null
  const isIncidentDue = incidentDeadlineAt !== null && incidentDeadlineAt <= at
  const holds = holdsOf(subject, rule, context)
  const cause = causeAfter(subject.rules, rule, judgement)
  if (unchanged && !isIncidentDue && hasHolds(rule, holds) && !isNewCause(rule, cause)) return subject
  const incident = rule.incident && { ...rule.incident, cause }
  const counted = judgement.flapping && { changes: judgement.flapping.changes }
  const next = { ...rule, incident, verdict: verdictOf(rule, judgement, at), ...counted }
  return driveIncident({ ...judged, subject, rule: next, cause }, holds)
}

/** Returns whether a judgement that changes nothing else is recorded, because the open incident has another cause since. */
function isNewCause({ incident }: RuleState, cause: IncidentCause | null): boolean {
  if (incident === null || cause === null || cause.input === null) return false
  const known = incident.cause ?? null
  if (known === null) return true
  if (known.input === cause.input && known.reason === cause.reason) return false
  return known.input === null || (cause.at ?? 0) - (known.at ?? 0) >= limits.judging.causeEveryMs
}

/**
 * Returns the judgement at `at` as its rule records it. `since` stays while the result stays the same. If the result is unknown, the first
 * report begins a new `since`, because the rule's status changes (v3 4.8).
 */
export function verdictOf(rule: RuleState, judgement: Judgement, at: number): RuleVerdict {
  const { verdict, explanation, evidence, isHeard } = judgement
  const isSame = rule.verdict?.verdict === verdict && (verdict !== 'not_judged' || rule.verdict.isHeard === isHeard)
  const since = isSame && rule.verdict !== null ? rule.verdict.since : at
  const heard = isHeard === undefined ? {} : { isHeard }
  return { verdict, since, explanation, evidence, ...heard, ...(isFlapping(judgement) ? { isFlapping: true } : {}) }
}

const isFlapping = ({ flapping }: Judgement): boolean => flapping !== undefined && flapping.until !== null

/**
 * Returns the delays that the policy, the Template or the monitor sets. For a monitor without delays, returns the delays of the keeper's
 * settings.
 */
function holdsOf(subject: SubjectDocument, rule: RuleState, context: StepContext): Holds {
  const declared = templateRuleOf(subject, rule, context.templateOf)
  if (declared !== null) return templateHolds(declared, subject.templated?.answers ?? {})
  const { check } = subject
  const { policy } = rule
  if (policy.language === 'inputs') {
    const { confirmAfterMs, closeAfterMs } = policy.document
    return { confirmAfterMs, closeAfterMs }
  }
  return {
    confirmAfterMs: check?.confirm_after == null ? context.confirmAfterMs : check.confirm_after * second,
    closeAfterMs: check?.recover_after == null ? context.closeAfterMs : check.recover_after * second,
  }
}

function hasHolds(rule: RuleState, holds: Holds): boolean {
  const context = rule.incident?.context
  return context === undefined || (context.confirmAfterMs === holds.confirmAfterMs && context.closeAfterMs === holds.closeAfterMs)
}

/** Returns whether verdict and evidence are the same, and the rule flaps as before. Inputs of the evidence are compared by value; their age does not count. */
function isSameVerdict(stored: RuleVerdict, judgement: Judgement): boolean {
  const before = stored.evidence.inputs
  const after = judgement.evidence.inputs
  return (
    stored.verdict === judgement.verdict &&
    stored.isHeard === judgement.isHeard &&
    (stored.isFlapping === true) === isFlapping(judgement) &&
    before.length === after.length &&
    after.every((input, i) => input.input === before[i]?.input && input.value === before[i]?.value)
  )
}

function earlier(one: number | null, other: number | null): number | null {
  if (one === null) return other
  return other === null ? one : Math.min(one, other)
}
