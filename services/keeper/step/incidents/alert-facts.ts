// Facts of an alert about its subject and its rule, copied when the alert is decided. They contain no secret: neither a request body nor
// credentials of an address (reference/messages 5.7). Pure.

import { kindOf } from '#shared/checks/registry.ts'
import type { AlertFacts, AlertKind, AlertProblem } from '#shared/contracts/incidents/alert.ts'
import type { IncidentSnapshot } from '#shared/contracts/incidents/incident.ts'
import { inputsOf, type PolicyInput } from '#shared/contracts/subjects/policy.ts'
import type { RuleState, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import type { Evidence, EvidenceInput } from '#shared/contracts/subjects/verdict.ts'
import { redactedCause } from '#shared/incidents/cause-text.ts'
import type { Judgement } from '#shared/judging/judgement.ts'
import { isSilent } from '#shared/judging/read-input.ts'
import { messageFields } from '#shared/secrecy/message-fields.ts'
import { redactedText } from '#shared/secrecy/redacted-text.ts'
import { presentSignals } from '#shared/subjects/resource-checks.ts'
import { factsOf } from '../judging/judge-rule.ts'
import { templateFacts } from '../judging/template-facts.ts'
import type { TemplateOf } from '../types.ts'

/** The kind of the message and the instant of its decision. */
interface Order {
  kind: AlertKind
  now: number
  /** Null: its Template has no words for it. */
  templateOf: TemplateOf | null
}

export function alertFacts(
  subject: SubjectDocument,
  { context, cause }: IncidentSnapshot,
  judgement: Judgement,
  { kind, now, templateOf }: Order,
): AlertFacts {
  const evidence = withoutSecrets(judgement.evidence)
  const { inputs } = evidence
  const rule = subject.rules.find(candidate => candidate.key === context.ruleKey)
  const ofLocations = rule?.policy.language === 'reachability'
  const named = (value: string) => inputs.filter(input => ofLocations && input.value === value).map(input => input.input)
  const failing = inputs.find(input => input.value === 'problem')
  return {
    subjectName: redactedText(subject.name),
    subjectSlug: subject.slug,
    ruleKey: ofLocations ? context.ruleKey : (rule?.slug ?? context.ruleKey),
    ruleName: ofLocations ? '' : (rule?.name ?? ''),
    template: subject.template,
    ...checkFacts(subject),
    evidence,
    failing: named('problem'),
    unknown: named('unknown'),
    ok: named('ok'),
    problems: kind === 'problem' && rule ? problemsOf(subject, rule, inputs, now) : [],
    silence: kind === 'no_data' && rule ? silenceOf(subject, rule, inputs) : null,
    error: kind === 'recovery' ? '' : (failing?.reason ?? ''),
    explanation: judgement.explanation,
    cause: cause == null ? null : redactedCause(cause),
    troubleSince: context.troubleSince,
    confirmedAt: context.confirmedAt,
    wellSince: context.wellSince,
    closedAt: context.closedAt,
    ...(kind === 'acknowledged' && context.acknowledgedBy !== null ? { acknowledgedBy: context.acknowledgedBy } : {}),
    ...(rule === undefined || templateOf === null
      ? {}
      : templateFacts(subject, rule, { context, evidence: judgement.evidence }, templateOf)),
  }
}

/** Addresses, long texts and answers to secret fields are always omitted (reference/messages 5.6, v3 10.9). */
function checkFacts({ check, templated }: SubjectDocument) {
  if (check === null) return { url: presentSignals(templated)[0]?.shown.url ?? '', ...messageFields({}, () => false) }
  const { kind: _, ...answers } = check
  const { fields, shown } = kindOf(check)
  const hidden = new Set(fields.flatMap(({ key, secret, type }) => (secret || type === 'url' || type === 'text' ? [key] : [])))
  return { url: shown(check).url, ...messageFields(answers, key => hidden.has(key)) }
}

/** Returns evidence without the addresses that senders quote in errors, and without readings, which are separate facts. */
const withoutSecrets = (evidence: Evidence): Evidence => ({
  ...evidence,
  inputs: evidence.inputs.map(({ reading: _, ...input }) => ({
    ...input,
    reason: input.reason === null ? null : redactedText(input.reason),
  })),
})

/** Returns the inputs that are a problem. The evidence has the same order as the inputs of an authored rule. */
function problemsOf(subject: SubjectDocument, rule: RuleState, evidence: EvidenceInput[], now: number): AlertProblem[] {
  const inputs = inputsOf(rule.policy)
  return inputs.filter((_, i) => evidence[i]?.value === 'problem').map(input => problemOf(subject, rule, input, now))
}

function problemOf(subject: SubjectDocument, rule: RuleState, input: PolicyInput, now: number): AlertProblem {
  const { signal, from, compare, threshold } = input
  if (from !== null) return { of: 'rule', name: subject.rules.find(other => other.slug === from)?.name ?? from }
  const facts = factsOf(subject, rule.key, input, now)
  const value = facts.of === 'signal' ? facts.observed.value : null
  const number = compare === null || value === null ? null : { value, compare, threshold: threshold ?? 0 }
  return { of: 'signal', signal: signal ?? '', number }
}

function silenceOf(subject: SubjectDocument, rule: RuleState, evidence: EvidenceInput[]): AlertFacts['silence'] {
  const silent = silentInputs(subject, rule, evidence, new Set())
  if (silent.length === 0) return null
  return { lastAt: silent.reduce<number | null>((last, { at }) => (at !== null && at > (last ?? 0) ? at : last), null) }
}

/** Returns the silent inputs, including inputs of cited rules. The inputs of a cited rule are those of its last judgement. */
function silentInputs(
  { rules }: Pick<SubjectDocument, 'rules'>,
  rule: RuleState,
  evidence: EvidenceInput[],
  seen: Set<string>,
): EvidenceInput[] {
  seen.add(rule.slug)
  const cited = inputsOf(rule.policy).flatMap(({ from }, i) => {
    const other = evidence[i]?.value === 'unknown' ? rules.find(({ slug }) => slug === from) : undefined
    if (other === undefined || seen.has(other.slug)) return []
    return silentInputs({ rules }, other, other.verdict?.evidence.inputs ?? [], seen)
  })
  return [...evidence.filter(isSilent), ...cited]
}
