// Verdict of one rule of a subject: the built-in rule over locations, an authored rule over the inputs of its policy. Pure.

import type { SilenceAt } from '#shared/contracts/observations/silence.ts'
import type { Template, TemplateRule } from '#shared/contracts/resources/template.ts'
import type { PolicyInput } from '#shared/contracts/subjects/policy.ts'
import type { SignalState } from '#shared/contracts/subjects/signal.ts'
import type { ObservedInput, Reading, RuleState, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import type { DecisionInput, EvidenceInput, Verdict } from '#shared/contracts/subjects/verdict.ts'
import { countChanges, flappingWords } from '#shared/judging/count-changes.ts'
import { type DecisionMoment, judgeDecision } from '#shared/judging/judge-decision.ts'
import { type InputFacts, judgePolicy } from '#shared/judging/judge-policy.ts'
import { judgeReachability, silentAfterMs } from '#shared/judging/judge-reachability.ts'
import { earliest, type Judgement } from '#shared/judging/judgement.ts'
import { inputKeyOf, locationLabel, selects } from '#shared/judging/policy-input.ts'
import { limits } from '#shared/limits/limits.ts'
import { isOfGeneration2 } from '#shared/subjects/subject-view.ts'
import { movesIncident } from '../incidents/verdict-moves.ts'
import { neverObserved } from '../observations/observed-input.ts'
import type { TemplateOf } from '../types.ts'
import { templateRuleOf } from './resource-template.ts'

const none: ReadonlyMap<string, Verdict> = new Map()

/**
 * Returns the verdict. `templateOf` is called for a Resource only. `silenceAt`: instants up to which silence counts. `assumed`: verdicts of
 * cited rules by slug, used instead of the rules' last verdicts.
 */
export function judgeRule(
  subject: SubjectDocument,
  rule: RuleState,
  at: number,
  silenceAt: SilenceAt,
  templateOf: TemplateOf,
  assumed: ReadonlyMap<string, Verdict> = none,
): Judgement {
  const { policy } = rule
  const declared = templateRuleOf(subject, rule, templateOf)
  if (declared !== null) {
    const judgement = judgeTemplateRule(subject, declared, { at, silenceAt }, templateOf(subject))
    return withChanges(judgement, rule, declared, at)
  }
  if (policy.language === 'inputs') {
    const facts = policy.document.inputs.map((input): InputFacts => {
      const verdict = input.from === null ? undefined : assumed.get(input.from)
      return verdict === undefined ? factsOf(subject, rule.key, input, at) : { of: 'rule', verdict }
    })
    return judgePolicy(policy.document, facts, silenceAt)
  }
  if (subject.check === null) throw new Error(`subject ${subject.id} has a built-in rule and nothing to check`)
  return judgeReachability(subject.check, subject.readings, at, silenceAt.checks)
}

/**
 * Judges a Template's rule. A true decision is a problem, a false decision is ok. An unknown decision gives `not_judged`, which opens,
 * confirms, recovers and closes nothing (v3 4.7), or the verdict no data, if the rule says so (v3 4.16).
 */
function judgeTemplateRule(
  { templated, readings, custom }: SubjectDocument,
  rule: TemplateRule,
  moment: DecisionMoment,
  { signals }: Template,
): Judgement {
  const { answers, heard, checks, schedules } = templated ?? { answers: {}, heard: {} }
  const addedAt = rule.unknown === undefined ? {} : addedAtOf(custom?.signals ?? [])
  const judged = judgeDecision(rule, { signals, heard, schedules, checks, readings, answers, addedAt }, moment)
  const { result, explanation, evidence, nextAt, laterAt, isHeard, isProvisional } = judged
  const inputs = evidence.inputs.map(evidenceInput)
  const undecided = result === 'unknown' ? (rule.unknown ?? 'not_judged') : 'not_judged'
  const verdict = typeof result === 'string' ? undecided : wordOf[`${result}`]
  return { verdict, explanation, evidence: { ...evidence, inputs }, nextAt, laterAt, isHeard, isProvisional }
}

const wordOf = { true: 'problem', false: 'ok' } as const

/** Signals with the instants at which they were added, ms. */
const addedAtOf = (signals: readonly SignalState[]): Record<string, number> =>
  Object.fromEntries(signals.map(({ slug, addedAt }) => [slug, addedAt]))

/** Counts the changes of the result (v3 4.14). While the rule is flapping, the explanation says so, and the end of this is a deadline. */
function withChanges(judgement: Judgement, rule: RuleState, { wait: { flapping } }: TemplateRule, at: number): Judgement {
  if (flapping === undefined) return judgement
  const counted = countChanges(rule.changes ?? [], at, movesIncident(rule, { judgement }), flapping)
  if (counted.until === null) return { ...judgement, flapping: counted }
  return {
    ...judgement,
    explanation: `${judgement.explanation}${flappingWords(flapping)}`,
    nextAt: earliest([judgement.nextAt, counted.until]),
    laterAt: earliest([judgement.laterAt ?? null, counted.until]),
    flapping: counted,
  }
}

const evidenceInput = (reading: DecisionInput): EvidenceInput => ({
  input: reading.signal,
  value: reading.status ?? 'unknown',
  at: reading.atUs === undefined ? null : Math.floor(reading.atUs / 1_000),
  reason: reading.reason ?? reading.unresolved ?? null,
  reading,
})

/** Returns the facts about one input at `at`. */
export function factsOf(subject: SubjectDocument, ruleKey: string, input: PolicyInput, at: number): InputFacts {
  if (input.from !== null) {
    const cited = subject.rules.find(rule => rule.slug === input.from)
    return { of: 'rule', verdict: cited?.verdict?.verdict ?? null }
  }
  const observed = subject.custom?.observed[inputKeyOf(ruleKey, input)] ?? neverObserved(at)
  const signal = subject.custom?.signals.filter(isOfGeneration2).find(candidate => candidate.slug === input.signal)
  if (signal === undefined) return platformFacts(subject, input, observed)
  if (signal.kind === 'custom_event') return { of: 'signal', reports: 'pushed', observed, silentAfterMs: null, graceMs: 0 }
  const afterMs = input.noDataAfterMs ?? limits.judging.heartbeatSilentMs
  return { of: 'signal', reports: 'pushed', observed, silentAfterMs: afterMs, graceMs: afterMs }
}

/**
 * Returns the facts of the platform's own signal: the newest report of the locations that the input selects. The number of this report is
 * the latency in ms.
 */
function platformFacts({ check, readings }: SubjectDocument, input: PolicyInput, { addedAt }: ObservedInput): InputFacts {
  const selected = Object.entries(readings).filter(([location]) => selects(input.match, { [locationLabel]: location }))
  const newest = selected.reduce<Reading | null>(
    (latest, [, reading]) => (reading.at !== null && reading.at > (latest?.at ?? -1) ? reading : latest),
    null,
  )
  const afterMs = input.noDataAfterMs ?? (check === null ? 0 : silentAfterMs(check))
  const observed =
    newest?.at == null
      ? neverObserved(addedAt)
      : { addedAt, observedAtUs: newest.at * 1_000, ok: newest.ok, value: newest.totalMs, error: newest.error }
  return { of: 'signal', reports: 'checks', observed, silentAfterMs: afterMs, graceMs: limits.judging.websiteGraceMs }
}
